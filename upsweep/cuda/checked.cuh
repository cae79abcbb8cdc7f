/// Operators that do not accept every result: the first prefix that is not accepted, by bisection.
#pragma once

#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

namespace upsweep::device {

/// If `total`, the total of the n elements after the prefix `before`, is not accepted: finds the
/// shortest prefix that is not accepted, by bisection, and throws what finishing it throws. Every
/// prefix that is longer than that one is not accepted either.
template <class Source, class Op, class A>
void expect_accepted_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                        A const& total, A const* before) {
  if (op.accepts(total)) return;
  using It = typename Source::iterator;
  using part = source<It, std::remove_cvref_t<decltype(in.function())>, Op, Source::reversed>;
  A refused = total;
  std::size_t accepted = 0, end = n;  // lengths of prefixes that are accepted, and refused
  while (end - accepted > 1) {
    std::size_t const middle = accepted + (end - accepted) / 2;
    std::size_t const skipped = Source::reversed ? n - middle : 0;
    A prefix = reduce_on(on,
                         part(in.first() + static_cast<std::iter_difference_t<It>>(skipped), middle,
                              in.function(), op, in.base() + skipped),
                         middle, op);
    if (before != nullptr) prefix = op(*before, prefix);
    if (op.accepts(prefix)) {
      accepted = middle;
    } else {
      end = middle;
      refused = prefix;
    }
  }
  (void)detail::finish(op, refused);
}

/// The scan by a checked operator: first a reduction, which tells whether every prefix is accepted,
/// then a scan by the unchecked operator. So the elements are read twice, and the call waits for
/// the reduction.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_checked_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                     A const* initial, A const* first) {
  using It = typename Source::iterator;
  using unchecked = typename Op::unchecked;
  using F = std::remove_cvref_t<decltype(in.function())>;
  using trusting_source = source<It, F, unchecked, Source::reversed>;
  using B = typename trusting_source::accumulator;
  unchecked const trusting{};
  std::size_t const needed = kind == scan_kind::exclusive ? n - 1 : n;
  if (needed > 0) {
    std::size_t const skipped = Source::reversed ? n - needed : 0;
    source<It, F, Op, Source::reversed> const all(
        in.first() + static_cast<std::iter_difference_t<It>>(skipped), needed, in.function(), op,
        in.base() + skipped);
    A const total = reduce_on(on, all, needed, op);
    expect_accepted_on(on, all, needed, op, initial != nullptr ? A(op(*initial, total)) : total,
                       initial);
  }
  auto value = [](A const* a) {
    return a != nullptr ? std::optional<B>(static_cast<B>(a->total)) : std::nullopt;
  };
  auto pointer = [](std::optional<B> const& b) { return b ? &*b : nullptr; };
  auto const initial_value = value(initial), first_value = value(first);
  scan_on<kind>(on, trusting_source(in.first(), n, in.function(), trusting, in.base()),
                sink<typename Sink::iterator, unchecked, Sink::reversed>(out.first(), n, trusting),
                n, trusting, pointer(initial_value), pointer(first_value));
}

}  // namespace upsweep::device
