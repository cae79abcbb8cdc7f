/// Reductions and scans of consecutive segments, on one thread unless a segment is long.
#pragma once

#include <upsweep/call/results.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/generic/segments/order.hpp>
#include <upsweep/generic/segments/short.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// The call `c` over its elements [begin, begin + size).
template <class Call>
Call part_of_call(Call const& c, std::size_t begin, std::size_t size) {
  as_is const f;
  return Call{part_of(c.in, begin, size, f, c.op), size, c.op, c.how, c.initial, c.first};
}
/// Apart, because a call whose address is taken is stored in memory, also for short segments.
template <class E, class Call>
[[gnu::noinline]] auto reduce_long(E const& on, Call c, std::size_t begin, std::size_t size) {
  return reduce_call(on, part_of_call(c, begin, size));
}
template <scan_kind kind, class E, class Call, class Sink>
[[gnu::noinline]] void scan_long(E const& on, Call c, std::size_t begin, std::size_t size,
                                 Sink const& out) {
  on.template scan<kind>(part_of_call(c, begin, size), part_of(out, begin, size, c.op));
}

/// The result of a call from the total of its elements.
template <class Call, class A>
UPSWEEP_INLINED inline auto with_initial(Call const& c, A const& total) {
  return finished(c.op, c.initial ? static_cast<A>(c.op(*c.initial, total)) : total);
}
/// The result of a call over one segment, the elements [begin, begin + size) of `c`, size > 0.
template <class E, class Call>
UPSWEEP_INLINED inline auto reduce_segment(E const& on, Call const& c, std::size_t begin,
                                           std::size_t size) {
  using A = typename Call::accumulator;
  if constexpr (reduces_short<typename Call::operation, A>)
    if (size <= most_reduced_short<typename Call::operation, std::decay_t<decltype(c.in)>> &&
        !prefix_before(c.op, c.initial)) {
      as_is const f;
      A const total = reduce_short(part_of(c.in, begin, size, f, c.op), size, c.op);
      return with_initial(c, total);
    }
  return reduce_long(on, c, begin, size);
}
template <scan_kind kind, class E, class Call, class Sink>
UPSWEEP_INLINED inline void scan_segment(E const& on, Call const& c, std::size_t begin,
                                         std::size_t size, Sink const& out) {
  if constexpr (reduces_short<typename Call::operation, typename Call::accumulator>)
    if (size <= most_short && !prefix_before(c.op, c.initial))
      return scan_short<kind>(part_of_call(c, begin, size), part_of(out, begin, size, c.op));
  scan_long<kind>(on, c, begin, size, out);
}

/// f(j) for j in [0, count), which need not wait for each other.
template <class F>
void independently(std::size_t count, F const& f) {
  constexpr std::size_t block = 64;  // compilers vectorize a loop of constant length
  std::size_t begin = 0;
  for (; count - begin >= block; begin += block) {
    UPSWEEP_INDEPENDENT_STEPS
    for (std::size_t j = 0; j < block; ++j) f(begin + j);
  }
  for (; begin < count; ++begin) f(begin);
}
/// Whether an element is the same accumulator wherever its segment begins.
template <class Op, class Source>
inline constexpr bool lifts_anywhere =
    !requires(Op const& op, typename Source::transformed const& x) { op.lift(x, std::size_t{}); };
/// Whether `count` segments have one element each.
template <class Borders>
bool are_ones(Borders const& border, std::size_t begin, std::size_t count) {
  return border(begin + count) - border(begin) == count && border(begin + 1) - border(begin) == 1 &&
         have_one_length(border, begin, count);
}

/// Where the `count` segments from number `begin` on begin, and where the last one ends: at from +
/// at()[0], ....
template <class Borders>
struct batch_borders {
  std::size_t from;

  batch_borders(Borders const& border, std::size_t begin, std::size_t count) : from(border(begin)) {
    auto const place = [&](std::size_t j) {
      return static_cast<std::uint32_t>(border(begin + j) - from);
    };
    if (count == segment_batch)  // compilers vectorize a loop of constant length
      for (std::size_t j = 0; j < segment_batch; ++j) at_[j] = place(j);
    else
      for (std::size_t j = 0; j < count; ++j) at_[j] = place(j);
    at_[count] = place(count);
  }
  [[nodiscard]] std::uint32_t const* at() const { return at_; }

 private:
  std::uint32_t at_[segment_batch + 1];
};
/// Offsets of 32 bits are taken as they are.
template <class Borders>
  requires std::is_same_v<decltype(Borders::offsets), std::uint32_t const*>
struct batch_borders<Borders> {
  std::size_t from;

  batch_borders(Borders const& border, std::size_t begin, std::size_t)
      : from(border.shift), at_(border.offsets + begin) {}
  [[nodiscard]] std::uint32_t const* at() const { return at_; }

 private:
  std::uint32_t const* at_;
};

/// Runs the segments [begin, end): together(k, count) those that the kernel takes of `count` short
/// ones, and returns how many they are; each(k, end) others one after another.
template <bool has_kernel, class Borders, class Together, class Each>
void run_batches(Borders const& border, std::size_t begin, std::size_t end,
                 Together const& together, Each const& each) {
  constexpr std::size_t most_elements = segment_batch * 256, a_group = 8,
                        some = has_kernel ? 32 : segment_batch;
  for (std::size_t k = begin; k < end;) {
    std::size_t const count = at_most(segment_batch, end - k);
    bool const short_ones = border(k + count) - border(k) <= most_elements;
    std::size_t const done = short_ones ? together(k, count) : 0;
    k += done;
    if (done == count) continue;
    std::size_t const last = k + at_most(done > 0 ? a_group : short_ones ? some : count, end - k);
    each(k, last);
    k = last;
  }
}

/// A reduction of segments, whose results are results[place], results[place + 1], ...
template <class Source, class Op, class Borders, class Sink>
struct segment_reduction {
  using A = typename Source::accumulator;

  Source const& x;
  Op const& op;
  options<A> const& o;
  Borders const& border;
  Sink const& results;
  std::size_t place;
  start_of<Op, A> const start{op, o.initial};
  A const* const initial = start.get();

  void store_empty(std::size_t begin, std::size_t end) const {
    auto const result = finished(op, result_of_empty(op, o, "reduce_segments: a segment"));
    independently(end - begin, [&](std::size_t j) { results.store(place + begin + j, result); });
  }
  /// Those of one element each; returns how many they are.
  std::size_t store_ones(std::size_t begin, std::size_t count) const {
    if constexpr (reduces_short<Op, A> && lifts_anywhere<Op, Source>)
      if (are_ones(border, begin, count)) {
        auto const from = x.from(border(begin));
        auto const store = [this, begin, from](auto const& of) {
          return [to = results, first = place + begin, from, of](std::size_t j) {
            to.store(first + j, of(from(static_cast<int>(j))));
          };
        };
        if (initial)
          independently(count, store([this](A const& a) {
                          return finished(op, static_cast<A>(op(*initial, a)));
                        }));
        else
          independently(count, store([this](A const& a) { return finished(op, a); }));
        return count;
      }
    return 0;
  }
  /// One after another, at most a batch.
  template <class E>
  void run_each(E const& on, std::size_t begin, std::size_t end) const {
    // Copies, which stay in registers.
    auto const run = [this, &on, c = call{x, 0, op, o.mode, initial}, at = border, to = results,
                      first = place](std::size_t m, auto const& each) UPSWEEP_INLINED {
      if constexpr (reduces_short<Op, A> && has_fixed_shape<A> && lifts_anywhere<Op, Source>)
        if (m > 0 && m <= group && !prefix_before(c.op, c.initial))
          return with_fixed_size(m, [&]<int n>(fixed_size<n>) UPSWEEP_INLINED {
            each([&](std::size_t k) UPSWEEP_INLINED {
              A const total =
                  total_by<A>(without_branches<A>(c.op), [&](auto const& by) UPSWEEP_INLINED {
                    return fixed_prefix<A, n>(c.in.from(at(k)), by);
                  });
              to.store(first + k, with_initial(c, total));
            });
          });
      each([&](std::size_t k) UPSWEEP_INLINED {
        std::size_t const from = at(k), size = at(k + 1) - from;
        if (size == 0)
          store_empty(k, k + 1);
        else
          to.store(first + k, reduce_segment(on, c, from, size));
      });
    };
    run_in_order(
        border, begin, end,
        [this](std::size_t i) UPSWEEP_INLINED { x.template prefetch<group>(i); }, run);
  }
  /// Those that the executor sums together; returns how many they are.
  template <class E>
  std::size_t run_together(std::size_t begin, std::size_t count) const {
    batch_borders<Borders> const borders(border, begin, count);
    std::uint32_t const* const at = borders.at();
    if constexpr (Sink::plain && std::is_same_v<typename Sink::element, A> &&
                  !requires(A const& a) { op.finish(a); })
      if (!initial)
        return E::kernels::sum_segments(x, borders.from, at, count, results.pointer(place + begin));
    A totals[segment_batch];
    std::size_t const done = E::kernels::sum_segments(x, borders.from, at, count, totals);
    for (std::size_t j = 0; j < done; ++j) {
      A const& total = totals[j];
      if (initial && at[j] != at[j + 1])
        results.store(place + begin + j, finished(op, static_cast<A>(op(*initial, total))));
      else
        results.store(place + begin + j, finished(op, initial ? *initial : total));
    }
    return done;
  }
  template <class E>
  void run(E const& on, std::size_t begin, std::size_t end) const {
    run_batches<has_segment_sums<E, Source>>(
        border, begin, end,
        [&](std::size_t k, std::size_t count) {
          if (border(k) == border(k + count)) {
            store_empty(k, k + count);
            return count;
          }
          if constexpr (has_segment_sums<E, Source>)
            return run_together<E>(k, count);
          else
            return store_ones(k, count);
        },
        [&](std::size_t k, std::size_t last) { run_each(on, k, last); });
  }
};

/// Results [begin, end) of the segments of `x`, at results[place + begin], ...
template <class E, class Source, class Op, class Borders, class Sink>
void reduce_segment_range(E const& on, Source const& x, Op const& op,
                          options<typename Source::accumulator> const& o, Borders const& border,
                          std::size_t begin, std::size_t end, Sink const& results,
                          std::size_t place) {
  segment_reduction<Source, Op, Borders, Sink>{x, op, o, border, results, place}.run(on, begin,
                                                                                     end);
}

/// The scans of segments of one element each; returns how many they are.
template <scan_kind kind, class Call, class Borders, class Sink>
std::size_t scan_ones(Call const& c, Borders const& border, std::size_t begin, std::size_t count,
                      Sink const& results) {
  using A = typename Call::accumulator;
  using Op = typename Call::operation;
  if constexpr (reduces_short<Op, A> && lifts_anywhere<Op, std::decay_t<decltype(c.in)>>)
    if (are_ones(border, begin, count)) {
      auto const store = [&](auto const& of) {
        return [x = c.in.from(border(begin)), to = results.from(border(begin)), of](std::size_t j) {
          int const i = static_cast<int>(j);
          to(i, of(x(i)));
        };
      };
      if (kind == scan_kind::exclusive)
        independently(count, store([&](A const&) { return *c.first; }));
      else if (c.initial)
        independently(count,
                      store([&](A const& a) { return static_cast<A>(c.op(*c.initial, a)); }));
      else
        independently(count, store([](A const& a) { return a; }));
      return count;
    }
  return 0;
}

/// The scans of segments [begin, end); c.n is not used.
template <scan_kind kind, class E, class Call, class Borders, class Sink>
void scan_segment_range(E const& on, Call const& c, Borders const& border, std::size_t begin,
                        std::size_t end, Sink const& results) {
  run_batches<has_segment_scans<E, kind, Call, Sink>>(
      border, begin, end,
      [&](std::size_t k, std::size_t count) {
        if (border(k) == border(k + count)) return count;
        if constexpr (has_segment_scans<E, kind, Call, Sink>) {
          batch_borders<Borders> const borders(border, k, count);
          return E::kernels::template scan_segments<kind>(c, borders.from, borders.at(), count,
                                                          results);
        } else {
          return scan_ones<kind>(c, border, k, count, results);
        }
      },
      [&](std::size_t k, std::size_t last) {
        auto const ahead = [in = c.in, to = results.first()](std::size_t i) UPSWEEP_INLINED {
          in.template prefetch<group>(i);
          prefetch<group>(to, i);
        };
        // Copies, which stay in registers.
        run_in_order(border, k, last, ahead,
                     [&on, c, at = border, to = results](std::size_t, auto const& each)
                         UPSWEEP_INLINED {
                           each([&](std::size_t j) UPSWEEP_INLINED {
                             std::size_t const from = at(j), size = at(j + 1) - from;
                             if (size > 0) scan_segment<kind>(on, c, from, size, to);
                           });
                         });
      });
}

}  // namespace upsweep::detail
