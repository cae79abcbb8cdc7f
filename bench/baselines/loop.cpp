/// A plain serial loop, compiled with -O3 and without -ffast-math.
#include <bench/baselines/plain_loop.hpp>
#include <bench/baselines/runners.hpp>

namespace upsweep::bench {
namespace {

template <verb V, class Op, class T>
struct loop {
  static constexpr bool possible = true, takes_functions = true;

  static void run(call const& c, std::size_t repeats) {
    T const* const in = input<T>(c);
    T* const out = output<T>(c);
    std::size_t const n = c.n;
    repeat(c, repeats, [&] {
      if constexpr (V == verb::reduce) {
        reducing<Op, T> const op{};
        auto total = op.identity();
        if constexpr (requires { typename Op::function; })
          for (std::size_t i = 0; i < n; ++i) total = op(total, typename Op::function{}(in[i]));
        else
          for (std::size_t i = 0; i < n; ++i) total = op(total, in[i]);
        deliver(c, total);
      } else {
        Op const op{};
        T prefix = op.identity();
        for (std::size_t i = 0; i < n; ++i) {
          T const next = op(prefix, in[i]);
          out[i] = V == verb::inclusive_scan ? next : prefix;
          prefix = next;
        }
      }
    });
  }
};

run_function find(work const& w) {
  return w.by_name ? find_plain_loop(w) : find_in<loop>(w);
}

}  // namespace

registration const loop_registration{{"loop", "plain loop, 1 thread", false, find}};

}  // namespace upsweep::bench
