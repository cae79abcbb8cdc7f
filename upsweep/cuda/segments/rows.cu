/// Launches the sums of rows by segments.
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/real_types.cuh>
#include <upsweep/cuda/segments/on_gpu.hpp>
#include <upsweep/cuda/segments/rows.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {
namespace {

/// A warp for each piece of work of the two kernels.
template <class E, class A, class Rows>
void launch_row_sums(gpu const& on, row_sums_call<E, A> call, Rows const& rows) {
  if (call.count == 0 || call.columns == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const ranges = call.size / rows_of_part + 1, groups = divide_up(call.columns, 32);
  auto const memory = take_memory(on, ranges * call.columns * sizeof(A));
  call.parts = static_cast<A*>(memory.data());
  auto const plan_of = [&](std::size_t work, std::size_t elements) {
    std::size_t const blocks = divide_up(work * groups, row_sum_warps);
    upsweep::detail::expects(blocks < std::size_t{1} << 31, "rows are too many for one call");
    return cuda_plan{.algorithm = cuda_algorithm::sum_rows,
                     .tile = rows_of_part,
                     .blocks = blocks,
                     .threads = row_sum_threads,
                     .launches = 1,
                     .traffic_bytes = elements * call.columns * sizeof(E)};
  };
  launch<sum_row_parts<E, A, Rows>>(plan_of(ranges, call.size), on, device, call, rows);
  launch<sum_parts_of_rows<E, A, Rows>>(plan_of(call.count, call.count), on, device, call, rows);
}

template <class E, class A>
void sum_typed(gpu const& on, host::row_sums const& c) {
  launch_row_sums<E, A>(on,
                        {c.borders, c.count, c.size, c.columns, static_cast<E*>(c.out), nullptr},
                        matrix_rows<E, A>{static_cast<E const*>(c.x), c.order, c.columns});
}
template <class E, class A>
void sum_typed(gpu const& on, normed_sums const& c) {
  launch_row_sums<E, A>(
      on, {nullptr, 1, c.size, c.columns, static_cast<E*>(c.out), nullptr},
      normed_rows<E, A>{static_cast<E const*>(c.x), static_cast<E const*>(c.gradient),
                        static_cast<A const*>(c.scale), c.columns});
}

template <class OfFloat, class Call>
void sum_any(gpu const& on, Call const& c) {
  with_real_type<OfFloat>(c.type, [&]<class E, class A> { sum_typed<E, A>(on, c); });
}

}  // namespace

void sum_rows_on(gpu const& on, host::row_sums const& call) {
  sum_any<float>(on, call);
}
void sum_normed_rows_on(gpu const& on, normed_sums const& call) {
  sum_any<double>(on, call);
}

}  // namespace upsweep::device
