/// Plain serial loops, compiled with -O3 and without -ffast-math.
#include <bench/contestants/runners.hpp>
#include <bench/plain/operators.hpp>
#include <bench/plain/verbs.hpp>
#include <bench/rows/catalog.hpp>

#include <cstddef>
#include <utility>

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

template <class Op, class T>
struct loop_by_name {
  using loop = plain::running<Op, T>;
  using result = decltype(std::declval<loop>().result());

  static void reduce(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&] { plain::reduce<loop>(input<T>(c), output<result>(c), c.n); });
  }
  static void scan(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&] { plain::inclusive_scan<loop>(input<T>(c), output<result>(c), c.n); });
  }
};

/// Null for a work by name whose operator has no loop in bench/plain/operators.hpp.
run_function find(work const& w) {
  if (!w.by_name) return find_in<loop>(w);
  run_function found = nullptr;
  for_each_row_pair([&]<class Op, class T>() {
    if constexpr (plain::has_loop<Op, T>)
      if (is_row_of<Op, T>(w))
        found = w.verb == verb::reduce ? loop_by_name<Op, T>::reduce : loop_by_name<Op, T>::scan;
  });
  return found;
}

}  // namespace

registration const loop_registration{{"loop", "plain loop, 1 thread", false, find, plain::verbs}};
registration const sliding_registration{
    {"sliding", "sliding loop", false, nullptr, plain::sliding}};

}  // namespace upsweep::bench
