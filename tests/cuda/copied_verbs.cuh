/// The device's side of verbs_copied_to_gpu: calls of upsweep::gpu's own members.
#pragma once

#include "verbs_copied_to_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/histogram.hpp>

#include <cstddef>

namespace upsweep::test {

template <class Marks, class... Outputs>
detail::selected_counts<sizeof...(Outputs)> gpu_selection<Marks, Outputs...>::run(
    Marks const& marks, std::size_t n, Outputs const&... outputs) {
  return gpu{}.select(marks, n, outputs...);
}

template <class Op, class T, class U, class Offset>
void gpu_segments<Op, T, U, Offset>::reduce(segments_call const& c, Offset const* offsets,
                                            std::size_t count, U* out) {
  gpu{}.reduce_segments(c, offsets, count, sink<U*, Op, false>(out, count, c.op));
}
template <class Op, class T, class U, class Offset>
void gpu_segments<Op, T, U, Offset>::scan(scan_kind kind, segments_call const& c,
                                          Offset const* offsets, std::size_t count, U* out) {
  sink<U*, Op, false> const results(out, c.n, c.op);
  if (kind == scan_kind::inclusive)
    gpu{}.scan_segments<scan_kind::inclusive>(c, offsets, count, results);
  else
    gpu{}.scan_segments<scan_kind::exclusive>(c, offsets, count, results);
}

template <class K, class Same, class Op, class T, class U>
std::size_t gpu_runs<K, Same, Op, T, U>::reduce(marks const& heads,
                                                detail::value_output<K const*, K*> const& keys_to,
                                                runs_call const& c, U* out, std::size_t room) {
  return gpu{}.reduce_runs(heads, keys_to, c, sink<U*, Op, false>(out, room, c.op), room);
}
template <class K, class Same, class Op, class T, class U>
void gpu_runs<K, Same, Op, T, U>::scan(scan_kind kind, marks const& heads, K const* keys,
                                       runs_call const& c, U* out) {
  sink<U*, Op, false> const results(out, c.n, c.op);
  if (kind == scan_kind::inclusive)
    gpu{}.scan_runs<scan_kind::inclusive>(heads, keys, c, results);
  else
    gpu{}.scan_runs<scan_kind::exclusive>(heads, keys, c, results);
}

template <class Op, class T, class U>
void gpu_windows<Op, T, U>::run(T const* in, std::size_t n, U* out, std::size_t count,
                                std::size_t width, Op const& op, A const* initial) {
  gpu{}.windows(device_source(in, n, op), sink<U*, Op, false>(out, count, op), count, width, op,
                initial);
}

template <class T, class U, class Levels>
outside_counts gpu_histogram<T, U, Levels>::run(T const* x, std::size_t n, U* counts,
                                                std::size_t size, Levels const& levels,
                                                histogram_options const& o) {
  return gpu{}.histogram(x, n, counts, size, levels, o);
}
template <class T, class U>
void gpu_index_counts<T, U>::run(T const* x, std::size_t n, U* counts, std::size_t size) {
  gpu{}.count_indices(x, n, counts, size);
}

template <class Op, class T>
bool gpu_lines<Op, T>::scan(scan_kind kind, matrices const& lines, bool reverse, Op const& op,
                            A const* initial, A const* first) {
  if (kind == scan_kind::inclusive)
    return gpu{}.scan_lines<scan_kind::inclusive>(lines, reverse, op, initial, first);
  return gpu{}.scan_lines<scan_kind::exclusive>(lines, reverse, op, initial, first);
}
template <class Op, class T>
bool gpu_lines<Op, T>::reduce(matrices const& lines, bool reverse, Op const& op, A const* initial) {
  return gpu{}.reduce_lines(lines, reverse, op, initial);
}

}  // namespace upsweep::test
