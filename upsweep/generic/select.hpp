/// Selections on any executor: by its own kernels, or element by element on the calling thread.
#pragma once

#include <upsweep/call/selection.hpp>

#include <cstddef>

namespace upsweep::detail {

/// Puts the elements in order. Each is read before anything after it is stored, so an output may
/// be the input's memory.
template <class Marks, class... Outputs>
selected_counts<sizeof...(Outputs)> select_in_order(Marks const& marks, std::size_t n,
                                                    Outputs const&... outputs) {
  constexpr std::size_t block = 256;
  selected_counts<sizeof...(Outputs)> counts;
  mark found[block];
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::size_t const size = at_most(block, n - begin);
    marks(begin, begin + size, found);
    for (std::size_t j = 0; j < size; ++j) {
      std::size_t k = 0;
      auto const offer = [&](auto const& output) {
        std::size_t& count = counts.of[k++];
        if (found[j] != output.takes) return;
        if (count < output.room) output.put(count, begin + j);
        ++count;
      };
      (..., offer(outputs));
    }
  }
  return counts;
}

/// Runs the call on `on`.
template <class E, class Marks, class... Outputs>
auto select_on(E const& on, Marks const& marks, std::size_t n, Outputs const&... outputs) {
  using counts = selected_counts<sizeof...(Outputs)>;
  constexpr bool has_member = has_select<E, counts, Marks, Outputs...>;
  static_assert(has_member || !has_own_memory<E>,
                "upsweep: select, partition, unique and runs run on the executors of the CPU "
                "and on upsweep::gpu");
  if constexpr (!requires { on.count_to; })  // a GPU may have to store the count 0
    if (n == 0) return counts{};
  if constexpr (has_member)
    return on.select(marks, n, outputs...);
  else
    return select_in_order(marks, n, outputs...);
}

}  // namespace upsweep::detail
