/// The algorithms of the standard library: with the execution policy par_unseq (libstdc++: on TBB),
/// and of those that reductions and scans do not need, also on one thread.
#include <bench/contestants/runners.hpp>
#include <bench/plain/std_calls.hpp>

#include <execution>
#include <numeric>

namespace upsweep::bench {
namespace {

template <verb V, class Op, class T>
struct std_par {
  static constexpr bool possible = commutes_where_it_must<V, T>, takes_functions = true;

  static void run(call const& c, std::size_t repeats) {
    T const* const in = input<T>(c);
    T* const out = output<T>(c);
    auto const policy = std::execution::par_unseq;
    repeat(c, repeats, [=, &c] {
      if constexpr (requires { typename Op::function; })
        deliver(c, std::transform_reduce(policy, in, in + c.n, T{}, Op{}, typename Op::function{}));
      else if constexpr (V == verb::reduce)
        deliver(c,
                std::reduce(policy, in, in + c.n, reducing<Op, T>::identity(), reducing<Op, T>{}));
      else if constexpr (V == verb::inclusive_scan)
        std::inclusive_scan(policy, in, in + c.n, out, Op{});
      else
        std::exclusive_scan(policy, in, in + c.n, out, Op::identity(), Op{});
    });
  }
};

struct parallel_policy {
  template <class F>
  static void with(F const& f) {
    f(std::execution::par_unseq);
  }
};

}  // namespace

registration const std_registration{
    {"std", "std:: with par_unseq", false, find_in<std_par>, std_calls<parallel_policy>::all}};
registration const std_serial_registration{
    {"std-serial", "std::", false, nullptr, std_calls<without_policy>::all}};

}  // namespace upsweep::bench
