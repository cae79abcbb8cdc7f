/// Loops over offsets for AVX2 and AVX-512.
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {
namespace {

template <class T>
bool ascend(T const* offsets, std::size_t begin, std::size_t end) {
  return in_widest_registers([=] { return detail::offsets_ascend(offsets, begin, end); });
}

}  // namespace

bool offsets_ascend(std::uint64_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}
bool offsets_ascend(std::uint32_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}
bool offsets_ascend(std::int32_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}

}  // namespace upsweep::host
