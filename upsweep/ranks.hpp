/// Reductions and scans of an array of which each rank, a process or a thread, has a piece, with
/// the bits of one call over the whole.
///
/// Every rank calls the same verb with its own piece; the pieces follow each other in the order of
/// the ranks, and may be empty. The ranks exchange where their pieces begin, then a partial of at
/// most a few hundred bytes, by recursive doubling: ceil(log2(ranks)) messages each.
#pragma once

#include <upsweep/partial_bytes.hpp>
#include <upsweep/reduce.hpp>

#include <concepts>
#include <exception>
#include <string>

namespace upsweep {

/// What connects ranks. All ranks make the same calls in the same order.
template <class C>
concept communicator = requires(C const& c, int other, std::vector<std::byte> const& bytes) {
  { c.rank() } -> std::same_as<int>;  ///< 0 <= rank() < size()
  { c.size() } -> std::same_as<int>;
  /// Sends bytes to another rank, which calls the same with this one, and returns what it sends.
  { c.exchange(other, bytes) } -> std::same_as<std::vector<std::byte>>;
  /// Returns on every rank the bytes that rank `other` gives.
  { c.broadcast(other, bytes) } -> std::same_as<std::vector<std::byte>>;
};

/// Where the calls below run: all ranks of a communicator, each on its executor.
template <communicator C, executor E>
struct ranks {
  C connection;
  E on;

  explicit ranks(C all, E each) : connection(std::move(all)), on(std::move(each)) {}
};

namespace detail {

/// A value, or the sentence that says why a rank has none.
template <class X>
struct attempt {
  X value;
  std::string failure{};
};

/// Calls f(); what it throws becomes a failure, so that the rank goes on talking to the others.
template <class X, class F>
void attempt_to(attempt<X>& a, std::exception_ptr& thrown, F const& f) {
  if (!a.failure.empty()) return;
  try {
    f();
  } catch (std::exception const& e) {
    thrown = std::current_exception();
    a.failure = *e.what() ? e.what() : "an exception without words";
  } catch (...) {
    thrown = std::current_exception();
    a.failure = "an exception that is no std::exception";
  }
}

template <class T, class Op>
std::vector<std::byte> packed(attempt<partial<T, Op>> const& a) {
  bytes::writer out;
  out.value(a.failure);
  out.number(std::uint64_t{a.value.begin()});
  out.number(std::uint64_t{a.value.end()});
  bytes::write_totals(out, a.value);
  return out.take();
}
template <class T, class Op>
attempt<partial<T, Op>> unpacked(std::vector<std::byte> const& from, Op const& op) {
  bytes::reader in(from);
  std::string failure;
  in.value(failure);
  auto const begin = static_cast<std::size_t>(in.number<std::uint64_t>());
  auto const end = static_cast<std::size_t>(in.number<std::uint64_t>());
  return {bytes::read_totals<T>(in, begin, end, op), std::move(failure)};
}

/// What a rank knows after the exchange: the elements in front of its piece, and all.
template <class T, class Op>
struct surroundings {
  partial<T, Op> before;
  partial<T, Op> whole;
};

/// Where the piece of this rank begins.
template <communicator C>
std::size_t begin_of(C const& all, std::size_t size) {
  std::uint64_t run = size, before = 0;
  for (int mask = 1; mask < all.size(); mask *= 2) {
    int const partner = all.rank() ^ mask;
    if (partner >= all.size()) continue;
    bytes::writer out;
    out.number(run);
    auto const received = all.exchange(partner, out.take());
    auto const theirs = bytes::reader(received).number<std::uint64_t>();
    run += theirs;
    if (partner < all.rank()) before += theirs;
  }
  return static_cast<std::size_t>(before);
}

/// Reduces the piece and joins it with the others'. If that fails on one rank, all throw: that rank
/// what was thrown, the others an error with its words.
template <communicator C, executor E, class T, class Op>
surroundings<T, Op> joined(ranks<C, E> const& all, std::span<T const> piece, Op const& op) {
  C const& c = all.connection;
  std::size_t const begin = begin_of(c, piece.size());
  std::exception_ptr thrown;
  attempt<partial<T, Op>> run{partial<T, Op>(begin, op)}, before{partial<T, Op>(0, op)};
  attempt_to(run, thrown, [&] { run.value.push(all.on, piece); });
  for (int mask = 1; mask < c.size(); mask *= 2) {
    int const partner = c.rank() ^ mask;
    if (partner >= c.size()) continue;
    auto other = unpacked<T>(c.exchange(partner, packed(run)), op);
    if (run.failure.empty()) run.failure = other.failure;
    if (partner < c.rank()) {
      attempt_to(run, thrown, [&] {
        before.value = upsweep::merge(other.value, before.value);
        run.value = upsweep::merge(std::move(other.value), run.value);
      });
    } else {
      attempt_to(run, thrown, [&] { run.value.append(other.value); });
    }
  }
  auto whole = unpacked<T>(c.broadcast(c.size() - 1, packed(run)), op);
  if (thrown) std::rethrow_exception(thrown);
  if (!whole.failure.empty()) throw error(("another rank failed: " + whole.failure).c_str());
  return {std::move(before.value), std::move(whole.value)};
}

template <class A>
void expect_forward(options<A> const& o) {
  expects(!o.reverse, "ranks: .reverse is not supported; give the ranks in reverse order instead");
}

template <scan_kind kind, communicator C, executor E, class T, class Out, class Op>
void scan_pieces(ranks<C, E> const& all, std::span<T const> piece, Out&& out, Op const& op,
                 options<accumulator_t<Op, T>> const& o) {
  expect_forward(o);
  check_output("scan over ranks", piece, out);
  scan_stream<T, Op, E> behind(all.on, op, o);
  joined(all, piece, op).before.resume(behind);
  if constexpr (kind == scan_kind::inclusive)
    behind.inclusive(piece, out);
  else
    behind.exclusive(piece, out);
}

template <class In>
using piece_of = std::span<std::ranges::range_value_t<In> const>;

}  // namespace detail

/// reduce() of all pieces, in the order of the ranks, returned on each of them. The options must be
/// the same everywhere. `piece` is a contiguous range; the accumulators must have bytes, as
/// to_bytes() says.
template <communicator C, executor E, std::ranges::contiguous_range In, class Op = plus>
[[nodiscard]] auto reduce(
    ranks<C, E> const& all, In const& piece, Op const& op = {},
    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  detail::expect_forward(o);
  return detail::joined(all, detail::piece_of<In>(piece), op).whole.result(o);
}

/// The scans of all pieces: each rank gets the results for its piece, which has the size of `out`
/// and may be the same memory.
template <communicator C, executor E, std::ranges::contiguous_range In, class Out, class Op = plus>
void inclusive_scan(ranks<C, E> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  detail::scan_pieces<scan_kind::inclusive>(all, detail::piece_of<In>(piece), out, op, o);
}
template <communicator C, executor E, std::ranges::contiguous_range In, class Out, class Op = plus>
void exclusive_scan(ranks<C, E> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  detail::scan_pieces<scan_kind::exclusive>(all, detail::piece_of<In>(piece), out, op, o);
}

}  // namespace upsweep
