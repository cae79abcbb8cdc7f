/// The checksum of saved states.
#include <cli/engine/saved_state.hpp>

#include <upsweep/ops/bytes.hpp>

namespace upsweep::cli {

std::uint64_t checksum(std::span<std::byte const> bytes) {
  return detail::bytes::writer::checksum(bytes);
}

}  // namespace upsweep::cli
