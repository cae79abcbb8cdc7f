/// Segments, bins, runs and windows by name: by the engine of the pair, or its entry for each
/// segment.
#include <upsweep/by_key.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/segment_engine.hpp>

#include <cstring>
#include <vector>

namespace upsweep::dynamic {
namespace {

segment_engine const* find_engine(call_entry const& e) {
  for (segment_engine const& engine : segment_engines())
    if (engine.op == e.op && engine.element == e.element) return &engine;
  return nullptr;
}

/// The segments of checked borders, which may begin and end anywhere.
void run_each(verb v, call_entry const& e, segments const& s, request const& how, void* out) {
  if (s.count == 0) return;
  if (auto const* const engine = find_engine(e))
    return engine->calls[static_cast<int>(v)](s, how, out);
  detail::segment_borders<std::uint64_t const*> const border{s.borders};
  detail::for_each_segment(
      how.on, border, s.count, [&](std::size_t k, std::size_t end, cpu const& here) {
        request const alone{here, false, how.initial};
        for (; k < end; ++k) {
          std::size_t const begin = border(k), size = border(k + 1) - begin;
          if (v == verb::reduce || size > 0)
            e.run(v, element_in(s.in, bytes_in(e), begin), size, alone,
                  element_in(out, bytes_out(e), v == verb::reduce ? k : begin));
        }
      });
}

void expect_forward(request const& how) {
  detail::expects(!how.reverse,
                  "segments, runs and windows: reverse is not supported; reverse the arrays");
}

/// Calls f(first, borders, count) for each `count` consecutive runs from number `first` on, and
/// returns the number of runs. `select` as in detail::for_each_run.
template <class Keys, class Select, class F>
std::size_t for_each_run_range(cpu const& on, Keys const& keys, Select const& select, F const& f) {
  std::vector<std::uint64_t> borders;
  return detail::for_each_run(
      on, keys, same{}, select,
      [&](auto const& border, std::size_t count, std::size_t first) {
        borders.resize(count + 1);
        for (std::size_t k = 0; k <= count; ++k) borders[k] = border(k);
        f(first, borders.data(), count);
      },
      [&](std::size_t begin, std::size_t end, std::size_t run) {
        borders.assign({begin, end});
        f(run, borders.data(), 1);
      });
}

}  // namespace

/// Without an engine the weights are moved to their bins, each of which is a segment.
outside_counts reduce_bins(call_entry const& e, binned_weights const& x, cpu const& on, void* out,
                           std::size_t* sizes) {
  if (auto const* const engine = find_engine(e)) return engine->reduce_bins(x, on, out, sizes);
  detail::bin_order order(on, x.n, x.bins, x.find);
  if (sizes) order.store_sizes(sizes);
  std::size_t const bytes = bytes_in(e);
  auto const sorted = detail::memory_for<std::byte>(x.n * bytes);
  order.place(on, [&](std::size_t at, std::size_t i) {
    std::memcpy(element_in(sorted.get(), bytes, at), element_in(x.weights, bytes, i), bytes);
  });
  std::vector<std::uint64_t> const offsets(order.offsets().begin(), order.offsets().end());
  run_each(verb::reduce, e, {sorted.get(), order.offsets().back(), offsets.data(), x.bins},
           {on, false, nullptr}, out);
  return order.outside();
}

void run_segments(verb v, call_entry const& e, segments const& s, request const& how, void* out) {
  char const* const verb = v == verb::reduce           ? "reduce_segments"
                           : v == verb::inclusive_scan ? "inclusive_scan_segments"
                                                       : "exclusive_scan_segments";
  expect_forward(how);
  std::size_t const results = v == verb::reduce ? s.count : s.n;
  bool const may_be_in_place = v != verb::reduce && e.element == e.result;
  expect_apart(verb, s.in, s.n * bytes_in(e), out, results * bytes_out(e), may_be_in_place);
  expect_apart(verb, s.borders, (s.count + 1) * sizeof *s.borders, out, results * bytes_out(e));
  detail::expect_offsets(how.on, s.borders, s.count, s.n);
  run_each(v, e, s, how, out);
}

std::size_t reduce_runs(call_entry const& e, keyed_array const& x, request const& how,
                        void* keys_out, void* out, std::size_t room) {
  detail::float_environment const ieee;
  expect_forward(how);
  std::size_t const key_bytes = size_of(x.key);
  expect_apart("reduce_runs", x.keys, x.n * key_bytes, keys_out, room * key_bytes);
  expect_apart("reduce_runs", x.keys, x.n * key_bytes, out, room * bytes_out(e));
  expect_apart("reduce_runs", x.in, x.n * bytes_in(e), keys_out, room * key_bytes);
  expect_apart("reduce_runs", x.in, x.n * bytes_in(e), out, room * bytes_out(e));
  expect_apart("reduce_runs", keys_out, room * key_bytes, out, room * bytes_out(e));
  return with_compared_type(x.key, [&]<class Key>() {
    auto const keys = elements_at<Key>(x.keys, x.n);
    auto const first_keys = elements_at<Key>(keys_out, room);
    auto const to_keys = detail::values_to(keys, first_keys);
    return for_each_run_range(
        how.on, keys,
        [&](std::size_t begin, std::size_t runs, auto const& select) {
          return select(detail::moved_on(to_keys, begin, runs));
        },
        [&](std::size_t first, std::uint64_t const* borders, std::size_t count) {
          if (first < room)
            run_each(verb::reduce, e, {x.in, x.n, borders, detail::at_most(count, room - first)},
                     how, element_in(out, bytes_out(e), first));
        });
  });
}

void scan_runs(verb v, call_entry const& e, keyed_array const& x, request const& how, void* out) {
  detail::float_environment const ieee;
  char const* const verb =
      v == verb::inclusive_scan ? "inclusive_scan_runs" : "exclusive_scan_runs";
  expect_forward(how);
  expect_apart(verb, x.in, x.n * bytes_in(e), out, x.n * bytes_out(e), e.element == e.result);
  expect_apart(verb, x.keys, x.n * size_of(x.key), out, x.n * bytes_out(e));
  with_compared_type(x.key, [&]<class Key>() {
    for_each_run_range(
        how.on, elements_at<Key>(x.keys, x.n),
        [](std::size_t, std::size_t, auto const& select) { return select(); },
        [&](std::size_t, std::uint64_t const* borders, std::size_t count) {
          run_each(v, e, {x.in, x.n, borders, count}, how, out);
        });
  });
}

void windowed(call_entry const& e, void const* in, std::size_t n, std::size_t width,
              request const& how, void* out) {
  expect_forward(how);
  detail::expects(width > 0, "windowed: the width must be at least 1");
  if (n < width) return;
  std::size_t const windows = n - width + 1;
  expect_apart("windowed", in, n * bytes_in(e), out, windows * bytes_out(e));
  if (e.shares_windows) return e.windowed(in, n, width, how, out);
  constexpr std::size_t tile = 64;
  std::size_t const tiles = (windows + tile - 1) / tile;
  how.on.for_each_line(tiles, tile * width, [&](std::size_t t, cpu const& here) {
    request const alone{here, false, how.initial};
    for (std::size_t i = t * tile, end = detail::at_most(windows, i + tile); i < end; ++i)
      e.reduce(element_in(in, bytes_in(e), i), width, alone, element_in(out, bytes_out(e), i));
  });
}

}  // namespace upsweep::dynamic
