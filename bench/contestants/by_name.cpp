/// Upsweep's calls by name: every operator of the catalog with every element type.
#include <bench/contestants/ours.hpp>
#include <bench/rows/catalog.hpp>

#include <upsweep/by_name/run.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::bench {
namespace {

/// The type in which results are stored: positions without values, values that are there.
template <class R>
struct stored {
  using type = R;
};
template <class T>
struct stored<indexed<T>> {
  using type = std::uint64_t;
};
template <class T>
struct stored<maybe<T>> {
  using type = T;
};

/// Calls by an operator that by_name/run.hpp lacks.
struct other_calls {
  void (*run)(cpu const& on, verb v, call const& c);
  host::plan (*plan)(verb v, std::size_t n, int threads);
};

template <class Op, class T>
struct typed {
  using result = typename stored<result_t<Op, T>>::type;

  static void run(cpu const& on, verb v, call const& c) {
    std::span<T const> const in(static_cast<T const*>(c.in), c.n);
    auto* const out = static_cast<result*>(c.out);
    if (v == verb::reduce)
      *out = static_cast<result>(upsweep::reduce(on, in, Op{}));
    else
      upsweep::inclusive_scan(on, in, std::span<result>(out, c.n), Op{});
  }
  static host::plan plan(verb v, std::size_t n, int threads) {
    using Source = source<T const*, detail::as_is, Op, false>;
    using Sink = sink<result*, Op, false>;
    if (v == verb::reduce) return host::explain_reduction<Source>(n, threads);
    return host::explain_scan<Source, Sink>(n, threads, false);
  }
};

other_calls find_other(work const& w) {
  other_calls found{};
  for_each_other_pair([&]<class Op, class T>() {
    if (is_row_of<Op, T>(w)) found = {typed<Op, T>::run, typed<Op, T>::plan};
  });
  return found;
}

}  // namespace

timed_run run_by_name(work const& w, std::size_t n, cpu on) {
  if (auto const* const entry = dynamic::find(id_of(w.op), dtype_of(w.type)))
    return timed(
        [entry, v = w.verb, how = dynamic::request{.on = on}](call const& c, std::size_t repeats) {
          repeat(c, repeats, [&] { entry->run(v, c.in, c.n, how, c.out); });
        },
        n, on.threads);
  return timed(
      [other = find_other(w).run, v = w.verb, on](call const& c, std::size_t repeats) {
        repeat(c, repeats, [&] { other(on, v, c); });
      },
      n, on.threads);
}

host::plan plan_by_name(work const& w, std::size_t n, int threads) {
  if (auto const* const entry = dynamic::find(id_of(w.op), dtype_of(w.type)))
    return entry->plan(w.verb, n, threads, w.in_place);
  return find_other(w).plan(w.verb, n, threads);
}

}  // namespace upsweep::bench
