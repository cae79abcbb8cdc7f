/// Upsweep itself, through its public verbs only: reproducible (the default), fast, and on one
/// thread.
#include <bench/baselines/competitors.hpp>
#include <bench/baselines/runners.hpp>

#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <span>

namespace upsweep::bench {
namespace {

enum class manner { reproducible, fast, one_thread };

template <manner M>
auto executor_for(call const& c) {
  if constexpr (M == manner::one_thread)
    return serial{};
  else
    return cpu{.threads = c.threads, .mode = M == manner::fast ? mode::fast : mode::reproducible};
}

template <class Op, class T>
struct ours {
  using op = upsweep::max;
  using type = T;
};
template <class T>
struct ours<sum_of<T>, T> {
  using op = upsweep::plus;
  using type = T;
};
template <class T>
struct ours<composition<T>, bench::affine_map<T>> {
  using op = upsweep::affine;
  using type = upsweep::affine_map<T>;
};

template <manner M>
struct in_manner {
  template <verb V, class Op, class T>
  struct calls {
    static constexpr bool possible =
        commutes_where_it_must<V, T>;  // the maps are only scanned here

    static void run(call const& c, std::size_t repeats) {
      using type = typename ours<Op, T>::type;
      auto const on = executor_for<M>(c);
      std::span<type const> const in(input<type>(c), c.n);
      std::span<type> const out(output<type>(c), c.n);
      typename ours<Op, T>::op const op{};
      repeat(c, repeats, [&] {
        if constexpr (V == verb::reduce)
          deliver(c, upsweep::reduce(on, in, op));
        else if constexpr (V == verb::inclusive_scan)
          upsweep::inclusive_scan(on, in, out, op);
        else
          upsweep::exclusive_scan(on, in, out, op);
      });
    }
  };

  template <class T>
  static void exact(call const& c, std::size_t repeats) {
    auto const on = executor_for<M>(c);
    std::span<T const> const in(input<T>(c), c.n);
    repeat(c, repeats, [&] { deliver(c, upsweep::reduce(on, in, exact_sum{})); });
  }

  static run_function find(work const& w) {
    if (w.op != operation::exact_sum) return find_in<calls>(w);
    if (w.verb != verb::reduce) return nullptr;
    if (w.type == element::f32) return exact<float>;
    return w.type == element::f64 ? exact<double> : nullptr;
  }
};

competitor make(char const* name, char const* title, run_function (*find)(work const&)) {
  return {name, title, role::upsweep, false,
          [find](work const& w, std::size_t) { return timed(find(w)); }};
}

}  // namespace

std::vector<competitor> upsweep_competitors() {
  return {make("upsweep", "Upsweep, reproducible", in_manner<manner::reproducible>::find),
          make("upsweep-fast", "Upsweep, fast", in_manner<manner::fast>::find),
          make("upsweep-serial", "Upsweep, 1 thread", in_manner<manner::one_thread>::find)};
}

}  // namespace upsweep::bench
