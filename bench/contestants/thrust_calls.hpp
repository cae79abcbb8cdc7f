/// Thrust's reduce and scans under one execution policy; included by one source file per backend.
#pragma once

#include <bench/contestants/runners.hpp>

#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cstddef>

namespace upsweep::bench {

template <class Policy>
struct thrust_on {
  template <verb V, class Op, class T>
  struct calls {
    static constexpr bool possible = commutes_where_it_must<V, T>;

    static void run(call const& c, std::size_t repeats) {
      T const* const in = input<T>(c);
      T* const out = output<T>(c);
      Policy const policy;
      repeat(c, repeats, [=, &c] {
        if constexpr (V == verb::reduce)
          deliver(c, thrust::reduce(policy, in, in + c.n, reducing<Op, T>::identity(),
                                    reducing<Op, T>{}));
        else if constexpr (V == verb::inclusive_scan)
          thrust::inclusive_scan(policy, in, in + c.n, out, Op{});
        else
          thrust::exclusive_scan(policy, in, in + c.n, out, Op::identity(), Op{});
      });
    }
  };
};

}  // namespace upsweep::bench
