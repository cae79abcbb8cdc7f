/// The verbs whose kernels the library has not compiled, each with the types that are used most, so
/// that their registers can be checked. Nothing calls this.
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::test {
namespace {
struct is_positive {
  __host__ __device__ bool operator()(float x) const { return x > 0; }
};
}  // namespace

void selections(std::span<float const> in, std::span<float> out, std::span<float> rest,
                std::span<std::uint32_t> numbers) {
  upsweep::select(gpu{}, in, out, is_positive{});
  upsweep::select_positions(gpu{}, in, numbers, is_positive{});
  upsweep::partition(gpu{}, in, out, rest, is_positive{});
  upsweep::runs(gpu{}, in, out, numbers);
}
template <class T>
void by_key(std::span<int const> keys, std::span<T const> in, std::span<int> keys_out,
            std::span<T> out) {
  upsweep::reduce_runs(gpu{}, keys, in, keys_out, out);
  upsweep::inclusive_scan_runs(gpu{}, keys, in, out);
  upsweep::exclusive_scan_runs(gpu{}, keys, in, out);
}
template void by_key(std::span<int const>, std::span<float const>, std::span<int>,
                     std::span<float>);
template void by_key(std::span<int const>, std::span<unsigned const>, std::span<int>,
                     std::span<unsigned>);
template <class T>
void windows(std::span<T const> in, std::size_t width, std::span<T> out) {
  upsweep::windowed(gpu{}, in, width, out);
  upsweep::windowed(gpu{}, in, width, out, max{});
}
template void windows(std::span<float const>, std::size_t, std::span<float>);
template void windows(std::span<double const>, std::size_t, std::span<double>);

void tables(detail::matrices<float const> const& in, detail::matrices<float> const& out,
            detail::matrices<double> const& wide) {
  gpu{}.summed_area_table(in, out);
  gpu{}.summed_area_table(in, wide);
}
void lines(detail::line_matrices<float const, float> const& all, float const* initial) {
  (void)gpu{}.scan_lines<scan_kind::inclusive>(all, false, plus{}, initial, initial);
  (void)gpu{}.scan_lines<scan_kind::exclusive>(all, false, plus{}, initial, initial);
  (void)gpu{}.reduce_lines(all, false, plus{}, initial);
}
template <std::size_t order>
void recurrences(std::span<float const> in, std::span<float> out,
                 recurrence<order, float> const& op) {
  upsweep::inclusive_scan(gpu{}, in, out, op);
  (void)upsweep::reduce(gpu{}, in, op);
}
template void recurrences(std::span<float const>, std::span<float>, recurrence<1, float> const&);
template void recurrences(std::span<float const>, std::span<float>, recurrence<2, float> const&);

void streams(std::span<float const> in, std::span<float> out) {
  scan_stream<float, plus, gpu> sums;
  sums.inclusive(in, out);
  (void)sums.result();
}

}  // namespace upsweep::test
