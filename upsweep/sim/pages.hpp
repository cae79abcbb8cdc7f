/// Addresses of the process, which cost no memory until they are used.
#pragma once

#include <cstddef>

namespace upsweep::sim {

/// `bytes` bytes of addresses that cannot be accessed yet; null if there are none.
[[nodiscard]] std::byte* reserve_pages(std::size_t bytes);
/// The pages around these bytes become readable and writable, and are zero if they are new. Returns
/// whether there was memory for them.
[[nodiscard]] bool open_pages(std::byte* begin, std::size_t bytes);
/// Returns the memory of whole pages, which cannot be accessed from then on.
void close_pages(std::byte* begin, std::size_t bytes);
/// Returns the memory of the pages around these bytes, which become zero and remain accessible.
void empty_pages(std::byte* begin, std::size_t bytes);
/// Gives reserved addresses back.
void release_pages(std::byte* begin, std::size_t bytes);

}  // namespace upsweep::sim
