/// oneTBB's parallel_reduce and parallel_scan in their functional forms.
#include <bench/baselines/runners.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

namespace upsweep::bench {
namespace {

template <verb V, class Op, class T>
struct tbb_peer_call {
  static constexpr bool possible = true;
  using range = tbb::blocked_range<std::size_t>;

  static void reduce(call const& c) {
    using fold = reducing<Op, T>;
    T const* const in = input<T>(c);
    deliver(c, tbb::parallel_reduce(
                   range(0, c.n), fold::identity(),
                   [=](range const& r, auto total) {
                     for (std::size_t i = r.begin(); i != r.end(); ++i)
                       total = fold{}(total, in[i]);
                     return total;
                   },
                   fold{}));
  }

  static void scan(call const& c) {
    T const* const in = input<T>(c);
    T* const out = output<T>(c);
    tbb::parallel_scan(
        range(0, c.n), Op::identity(),
        [=](range const& r, T prefix, bool is_final) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            T const next = Op{}(prefix, in[i]);
            if (is_final) out[i] = V == verb::inclusive_scan ? next : prefix;
            prefix = next;
          }
          return prefix;
        },
        Op{});
  }

  static void run(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&c] {
      if constexpr (V == verb::reduce)
        reduce(c);
      else
        scan(c);
    });
  }
};

}  // namespace

registration const tbb_registration{{"tbb", "oneTBB", false, find_in<tbb_peer_call>}};

}  // namespace upsweep::bench
