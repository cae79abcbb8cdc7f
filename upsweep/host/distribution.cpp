/// Cumulative distributions of built-in numbers in contiguous memory, by the vector kernels.
#include <upsweep/host/distribution.hpp>
#include <upsweep/host/simd/kernels.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {
namespace {

template <class T>
struct distribution_of_memory {
  T const* x;
  T* out;
  std::size_t n;
  accumulator_t<plus, T> const* initial;
  bool streamed;
  std::size_t tile;
};

template <class T>
void expect_weights_of(T const* x, std::size_t begin, std::size_t end, std::size_t n) {
  if (simd::reduce<min>(x + begin, end - begin, mode::fast) >= 0) return;
  expect_weights([&](std::size_t i) { return x[i]; }, begin, end, n);
}

/// The kernels scan a tile for its sums and then scan the sums for their running maximum. If the
/// output exceeds the caches, the sums go to a buffer and the maxima are streamed to memory.
template <class T>
class vector_monotone_engine {
 public:
  using A = accumulator_t<plus, T>;

  explicit vector_monotone_engine(distribution_of_memory<T> const& d)
      : d_(d), buffer_(d.streamed ? d.tile : 0) {}

  A up(std::size_t position, int k) {
    std::size_t const n = std::size_t{1} << k;
    expect_weights_of(d_.x, position, position + n, d_.n);
    return simd::reduce<plus>(d_.x + position, n, mode::reproducible);
  }
  /// The next down() prefetches the block of the same size at `position`, so that reading it
  /// overlaps with writing this block.
  void expect(std::size_t position) { ahead_ = d_.x + position; }
  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    T* const out = d_.out + position;
    T* const sums = d_.streamed ? &buffer_[0].value() : out;
    simd::scan<scan_kind::inclusive, plus>(d_.x + position, sums, n, before, d_.initial,
                                           simd::stores::cached, std::exchange(ahead_, nullptr));
    sums[n - 1] = static_cast<T>(d_.initial ? A(plus{}(*d_.initial, after)) : after);
    simd::scan<scan_kind::inclusive, max>(
        sums, out, n, highest_ ? &*highest_ : nullptr, nullptr,
        d_.streamed ? simd::stores::streamed : simd::stores::cached);
    highest_ = out[n - 1];
  }

 private:
  distribution_of_memory<T> const& d_;
  detail::uninitialized_array<T> buffer_;
  T const* ahead_ = nullptr;
  std::optional<T> highest_;  // of the tiles of this thread so far
};

}  // namespace

template <class T, class A>
void distribute_memory(T const* x, T* out, std::size_t n, plan const& p, A const* initial) {
  // With its results, an L2 of 2 MiB.
  constexpr std::size_t fits_a_cache = (std::size_t{1} << 20) / sizeof(T);
  if (n <= fits_a_cache) {
    expect_weights_of(x, 0, n, n);
    simd::scan<scan_kind::inclusive, plus>(x, out, n, nullptr, initial, simd::stores::cached);
    simd::scan<scan_kind::inclusive, max>(out, out, n, nullptr, nullptr, simd::stores::cached);
    return;
  }
  distribution_of_memory<T> const d{x, out, n, initial, p.streamed, p.tile(n)};
  carry<A> left;
  distribute_tiles<vector_monotone_engine<T>>(d, out, n, p, left);
}

#define UPSWEEP_INSTANTIATE(T)                                            \
  template void distribute_memory(T const*, T*, std::size_t, plan const&, \
                                  accumulator_t<plus, T> const*);
UPSWEEP_INSTANTIATE(std::int8_t)
UPSWEEP_INSTANTIATE(std::int16_t)
UPSWEEP_INSTANTIATE(std::int32_t)
UPSWEEP_INSTANTIATE(std::int64_t)
UPSWEEP_INSTANTIATE(std::uint8_t)
UPSWEEP_INSTANTIATE(std::uint16_t)
UPSWEEP_INSTANTIATE(std::uint32_t)
UPSWEEP_INSTANTIATE(std::uint64_t)
UPSWEEP_INSTANTIATE(float)
UPSWEEP_INSTANTIATE(double)
#undef UPSWEEP_INSTANTIATE

}  // namespace upsweep::host
