/// The verbs whose kernels the library has not compiled, each with the types that are used most, so
/// that their registers can be checked. Nothing calls this.
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdint>

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
void by_key(std::span<int const> keys, std::span<float const> in, std::span<int> keys_out,
            std::span<float> out) {
  upsweep::reduce_runs(gpu{}, keys, in, keys_out, out);
  upsweep::inclusive_scan_runs(gpu{}, keys, in, out);
  upsweep::exclusive_scan_runs(gpu{}, keys, in, out);
}
template <class T>
void windows(std::span<T const> in, std::size_t width, std::span<T> out) {
  upsweep::windowed(gpu{}, in, width, out);
  upsweep::windowed(gpu{}, in, width, out, max{});
}
template void windows(std::span<float const>, std::size_t, std::span<float>);
template void windows(std::span<double const>, std::size_t, std::span<double>);

void tables(strided_view<float const> in, strided_view<float> out, strided_view<double> wide) {
  apps::summed_area_table(in, out, gpu{});
  apps::summed_area_table(in, wide, gpu{});
  upsweep::inclusive_scan(gpu{}, in, out);
  upsweep::exclusive_scan(gpu{}, in, out);
  upsweep::reduce(gpu{}, in, out);
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
