/// Asks the engines of upsweep/cpu for their cut-offs and tiles.
#include "cpu_plans.hpp"

#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>

namespace upsweep::cli {

namespace {

template <class T, class Op>
cpu_plan reduce_plan(std::size_t n, int threads) {
  using Source = source<T const*, as_is, Op, false>;
  cpu_plan p;
  p.engine = compiled::reduces<Source> ? "vector" : folds<Source> ? "fold" : "tree";
  p.threads = threads::team_size(n, parallel_cutoff<Source>, threads);
  p.tile = p.threads > 1 ? std::size_t{1} << tile_log2(n, p.threads, reduce_tile<Source>) : n;
  return p;
}

template <class T, class Op>
cpu_plan scan_plan(std::size_t n, int threads, bool in_place) {
  using Source = source<T const*, as_is, Op, false>;
  using Sink = sink<T*, Op, false>;
  using A = accumulator_t<Op, T>;
  using Engine = typename decltype(choose_engine<scan_kind::inclusive, Source, Sink,
                                                 emitter<Sink, Op, A>, Op>())::type;
  cpu_plan p;
  p.engine = compiled::scans<Source, Sink> ? "vector" : is_exact<Op, A> ? "fold" : "tree";
  p.threads = threads::team_size(n, Engine::parallel_cutoff, threads);
  int const largest =
      p.threads > 1 ? tile_log2(n, p.threads, Engine::tile(true)) : Engine::tile(false);
  p.tile = std::min(n, std::size_t{1} << largest);
  if constexpr (requires { Engine::beyond_caches; })
    p.streams = !in_place && n >= Engine::beyond_caches;
  return p;
}

template <class T, class Op>
cpu_plan plan_of(bench::work const& w, std::size_t n, int threads) {
  if (w.verb == bench::verb::reduce) return reduce_plan<T, Op>(n, threads);
  return scan_plan<T, Op>(n, threads, w.in_place);
}

template <class T>
cpu_plan plan_for(bench::work const& w, std::size_t n, int threads) {
  if (w.op == bench::operation::max) return plan_of<T, max>(w, n, threads);
  if constexpr (std::is_floating_point_v<T>) {
    if (w.op == bench::operation::affine) return plan_of<affine_map<T>, affine>(w, n, threads);
    if (w.op == bench::operation::exact_sum) return reduce_plan<T, exact_sum>(n, threads);
  }
  return plan_of<T, plus>(w, n, threads);
}

}  // namespace

cpu_plan plan_on_cpu(bench::work const& w, std::size_t n, int threads) {
  switch (w.type) {
    case bench::element::i32:
      return plan_for<std::int32_t>(w, n, threads);
    case bench::element::i64:
      return plan_for<std::int64_t>(w, n, threads);
    case bench::element::f64:
      return plan_for<double>(w, n, threads);
    default:
      break;
  }
  return plan_for<float>(w, n, threads);
}

}  // namespace upsweep::cli
