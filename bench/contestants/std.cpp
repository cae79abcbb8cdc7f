/// The C++17 parallel algorithms of the standard library with the execution policy par_unseq
/// (libstdc++: on TBB).
#include <bench/contestants/runners.hpp>

#include <cstddef>
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

}  // namespace

verb_entries parallel_std_verbs();  // std_verbs.cpp

registration const std_registration{
    {"std", "std:: with par_unseq", false, find_in<std_par>, parallel_std_verbs()}};

}  // namespace upsweep::bench
