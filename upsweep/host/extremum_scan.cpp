/// Scans by the operators that find where an extremum is: few elements change it, so 32 elements
/// are compared with it by vectors, and looked at one by one only if one wins.
#include <upsweep/host/compiled.hpp>

#include <upsweep/host/registers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::host {
namespace {

/// Integers in the operator's order: the greater one wins. A NaN is the greatest.
template <class T>
class ranks {
 public:
  using type =
      std::conditional_t<std::is_floating_point_v<T>,
                         std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>, T>;

  explicit ranks(bool largest) : flip_(static_cast<type>(largest ? 0 : -1)) {}
  [[gnu::always_inline]] type operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr type greatest = std::numeric_limits<type>::max();
      auto const bits = std::bit_cast<type>(x);
      type const ordered = bits ^ ((bits >> (8 * sizeof(T) - 1)) & greatest) ^ flip_;
      return x != x ? greatest : ordered;
    } else {
      return static_cast<type>(x ^ flip_);
    }
  }

 private:
  type flip_;
};

template <bool later, class R>
[[gnu::always_inline]] inline bool wins(R rank, R highest) {
  return later ? rank >= highest : rank > highest;
}

constexpr std::size_t block = 32;

/// The ranks of the `block` elements at x, to `rank`; returns whether one wins.
template <bool later, class T, class R>
[[gnu::always_inline]] inline bool rank_block(ranks<T> const& rank_of, T const* x, R highest,
                                              R* rank) {
  R any = 0;
  for (std::size_t i = 0; i < block; ++i) {
    rank[i] = rank_of(x[i]);
    any = static_cast<R>(any | (wins<later>(rank[i], highest) ? 1 : 0));
  }
  return any != 0;
}

template <class Out, class T>
[[gnu::always_inline]] inline Out result(T value, std::size_t index) {
  if constexpr (std::is_same_v<Out, indexed<T>>)
    return {value, index};
  else
    return index;
}

template <bool later, class T, class Out>
[[gnu::always_inline]] inline void scan(extremum_scan how, T const* x, std::size_t first,
                                        std::size_t n, indexed<T>& best, Out* out) {
  using R = typename ranks<T>::type;
  ranks<T> const rank_of(how.rule.largest);
  R highest = rank_of(best.value), rank[block];
  T value = best.value;
  std::size_t index = best.index;
  for (std::size_t done = 0, some; done < n; done += some) {
    some = n - done < block ? n - done : block;
    std::size_t const from = how.reversed ? n - done - some : done;
    if (some < block) {
      for (std::size_t i = 0; i < some; ++i) rank[i] = rank_of(x[from + i]);
    } else if (!rank_block<later>(rank_of, x + from, highest, rank)) {
      Out const same = result<Out>(value, index);
      for (std::size_t i = 0; i < block; ++i) std::memcpy(out + from + i, &same, sizeof same);
      continue;
    }
    for (std::size_t step = 0; step < some; ++step) {
      std::size_t const j = how.reversed ? some - 1 - step : step, i = from + j;
      T const mine = x[i];  // before a result overwrites it
      if (how.kind == scan_kind::exclusive) out[i] = result<Out>(value, index);
      if (wins<later>(rank[j], highest)) [[unlikely]] {  // a jump: most elements do not
        highest = rank[j];
        value = mine;
        index = first + i;
      }
      if (how.kind == scan_kind::inclusive) out[i] = result<Out>(value, index);
    }
  }
  best = {value, index};
}

}  // namespace

template <class T, class Out>
void scan_extremum(extremum_scan how, T const* x, std::size_t index, std::size_t n,
                   indexed<T>& best, Out* out) {
  in_widest_registers<registers::avx2>([=, &best]() UPSWEEP_INLINED {
    if (how.rule.last != how.reversed)
      scan<true>(how, x, index, n, best, out);
    else
      scan<false>(how, x, index, n, best, out);
  });
}

#define UPSWEEP_INSTANTIATE(T)                                                                \
  template void scan_extremum(extremum_scan, T const*, std::size_t, std::size_t, indexed<T>&, \
                              indexed<T>*);                                                   \
  template void scan_extremum(extremum_scan, T const*, std::size_t, std::size_t, indexed<T>&, \
                              std::uint64_t*);
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
