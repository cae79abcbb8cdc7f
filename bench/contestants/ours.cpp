/// Upsweep through its public functions: reproducible (the default), fast, and on one thread.
#include <bench/contestants/competitors.hpp>
#include <bench/contestants/ours.hpp>
#include <bench/contestants/runners.hpp>

#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

struct reproducible {
  static auto executor(int threads) { return cpu{.threads = threads}; }
};
struct fast {
  static auto executor(int threads) { return cpu{.threads = threads, .mode = mode::fast}; }
};
struct one_thread {
  static auto executor(int) { return serial{}; }
};

/// The library's operator and element for those of the benchmark.
template <class Op, class T>
struct translated {
  using op = upsweep::max;
  using type = T;
};
template <class T>
struct translated<sum_of<T>, T> {
  using op = upsweep::plus;
  using type = T;
};
template <class T>
struct translated<user_sum<T>, T> {
  using op = user_sum<T>;
  using type = T;
};
template <class T>
struct translated<sum_of_squares<T>, T> : translated<sum_of<T>, T> {};
template <class T>
struct translated<affine_composition<T>, bench::affine_map<T>> {
  using op = upsweep::affine;
  using type = upsweep::affine_map<T>;
};

template <class Variant>
struct upsweep_as {
  template <verb V, class Op, class T>
  struct calls {
    // Affine maps are only scanned.
    static constexpr bool possible = commutes_where_it_must<V, T>, takes_functions = true;

    static void run(call const& c, std::size_t repeats) {
      using type = typename translated<Op, T>::type;
      auto const on = Variant::executor(c.threads);
      std::span<type const> const in(input<type>(c), c.n);
      std::span<type> const out(output<type>(c), c.n);
      typename translated<Op, T>::op const op{};
      repeat(c, repeats, [&] {
        if constexpr (requires { typename Op::function; })
          deliver(c, upsweep::transform_reduce(on, in, typename Op::function{}));
        else if constexpr (V == verb::reduce)
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
    auto const on = Variant::executor(c.threads);
    std::span<T const> const in(input<T>(c), c.n);
    repeat(c, repeats, [&] { deliver(c, upsweep::reduce(on, in, exact_sum{})); });
  }

  static run_function find(work const& w) {
    if (w.op == operation::user_in_large_file)
      return std::is_same_v<Variant, reproducible> ? find_user_in_large_file(w) : nullptr;
    if (w.op != operation::exact_sum) return find_in<calls>(w);
    if (w.verb != verb::reduce) return nullptr;
    if (w.type == element::f32) return exact<float>;
    return w.type == element::f64 ? exact<double> : nullptr;
  }
};

/// Stores the plan of such a call as its result.
template <verb V, class Op, class T>
struct plans {
  static constexpr bool possible = commutes_where_it_must<V, T>, takes_functions = true;

  static void run(call const& c, std::size_t) {
    using type = typename translated<Op, T>::type;
    using op = typename translated<Op, T>::op;
    using in = source<type const*, detail::as_is, op, false>;
    auto& plan = *output<host::plan>(c);
    if constexpr (requires { typename Op::function; })
      plan = host::explain_reduction<source<type const*, typename Op::function, op, false>>(
          c.n, c.threads);
    else if constexpr (V == verb::reduce)
      plan = host::explain_reduction<in>(c.n, c.threads);
    else
      plan = host::explain_scan<in, sink<type*, op, false>>(c.n, c.threads, c.in == c.out);
  }
};

/// `by_name` is the executor for rows by name.
competitor make(char const* name, char const* title, run_function (*find)(work const&), int threads,
                cpu by_name, find_verb_function find_verb) {
  return {name,
          title,
          role::upsweep,
          false,
          [=](work const& w, std::size_t n) {
            return w.by_name ? run_by_name(w, n, by_name) : timed(find(w), n, threads);
          },
          std::move(find_verb),
          {},
          by_name.mode == mode::fast};
}

}  // namespace

std::vector<competitor> upsweep_competitors(int threads) {
  return {make("upsweep", "Upsweep, reproducible", upsweep_as<reproducible>::find, threads,
               cpu{.threads = threads}, timed_verbs(our_verbs())),
          make("upsweep-fast", "Upsweep, fast", upsweep_as<fast>::find, threads,
               cpu{.threads = threads, .mode = mode::fast}, {}),
          make("upsweep-serial", "Upsweep, 1 thread", upsweep_as<one_thread>::find, threads,
               cpu{.threads = 1}, timed_verbs(our_verbs(), 1))};
}

host::plan plan_of(work const& w, std::size_t n, int threads) {
  run_function const store = find_in<plans>(w);
  if (!store) return plan_by_name(w, n, threads);
  host::plan plan;
  store({.n = n, .in = w.in_place ? &plan : nullptr, .out = &plan, .threads = threads}, 1);
  return plan;
}

verb_entries our_verbs() {
  static std::vector<verb_entry> const all = [] {
    std::vector<verb_entry> entries;
    for (auto const part : {our_selections(), our_parts(), our_counts(), our_sorts(), our_scans()})
      entries.insert(entries.end(), part.begin(), part.end());
    return entries;
  }();
  return all;
}

}  // namespace upsweep::bench
