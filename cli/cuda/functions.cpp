/// A table of functions for every pair of operation and type that has compiled kernels.
#include <cli/cuda/functions.hpp>

#include <bench/harness/random.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <io/error.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

/// A number in [-1, 1). Sums and recurrences of such numbers round at every step, so only the same
/// order of operations gives the same bits.
double random_number(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
}

template <class T, class Op>
T random_element(std::size_t i) {
  std::uint64_t const bits = bench::random_word(i);
  if constexpr (std::is_same_v<Op, affine>) {
    using F = decltype(T::a);
    return {static_cast<F>(0.9 * random_number(bits)), static_cast<F>(random_number(bits << 32))};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::is_same_v<Op, multiplies> ? bits | 1 : bits);
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    // 1.5 and its rounded inverse alternate: long products round, but neither overflow nor
    // underflow.
    double const x = i % 2 == 0 ? 1.5 : 1 / 1.5;
    return static_cast<T>(bits % 2 == 0 ? x : -x);
  } else {
    return static_cast<T>(static_cast<float>(random_number(bits)));
  }
}

template <class T, class Op>
struct calls_of {
  static T const* from(void const* x) { return static_cast<T const*>(x); }

  static void fill(void* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) static_cast<T*>(x)[i] = random_element<T, Op>(i);
  }
  static void reduce_on_cpu(int threads, void const* x, std::size_t n, void* out) {
    *static_cast<result_t<Op, T>*>(out) =
        upsweep::reduce(cpu{.threads = threads}, std::span<T const>(from(x), n), Op{});
  }
  static void scan_on_cpu(int threads, void const* x, std::size_t n, void* out) {
    upsweep::inclusive_scan(cpu{.threads = threads}, std::span<T const>(from(x), n),
                            std::span<T>(static_cast<T*>(out), n), Op{});
  }
  static void reduce_on_gpu(upsweep::gpu const& on, void const* x, std::size_t n, void* out) {
    using A = accumulator_t<Op, T>;
    detail::as_is const f;
    Op const op;
    device::reduce_into_on(on, source<T const*, detail::as_is, Op, false>(from(x), n, f, op), n, op,
                           static_cast<A*>(out), static_cast<A const*>(nullptr));
  }
  static void scan_on_gpu(upsweep::gpu const& on, void const* x, std::size_t n, void* out) {
    upsweep::inclusive_scan(on, std::span<T const>(from(x), n),
                            std::span<T>(static_cast<T*>(out), n), Op{});
  }
};

std::vector<functions> const& table() {
  static auto const all = [] {
    std::vector<functions> rows;
    dynamic::for_each_pair<dynamic::target::gpu>([&]<class Op, class T>() {
      auto const op = bench::operation_of(catalog::id_of<Op>);
      auto const type = bench::element_of(dynamic::dtype_of<dynamic::number_of<T>>);
      using w = calls_of<T, Op>;
      rows.push_back({op, type, sizeof(T), sizeof(result_t<Op, T>), w::fill, w::reduce_on_cpu,
                      w::scan_on_cpu, w::reduce_on_gpu, w::scan_on_gpu});
    });
    return rows;
  }();
  return all;
}

}  // namespace

bool has_kernels(bench::work const& w) {
  return std::any_of(table().begin(), table().end(),
                     [&](auto const& f) { return f.op == w.op && f.type == w.type; });
}

functions const& functions_for(bench::operation op, bench::element type) {
  for (auto const& f : table())
    if (f.op == op && f.type == type) return f;
  throw io::usage_error("bench: there is no compiled kernel for {} of {}", name_of(op),
                        name_of(type));
}

}  // namespace upsweep::cli::gpu
