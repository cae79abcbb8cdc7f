/// Streams: the verbs over data that arrives in chunks of any length, with the bits of one call
/// over all of it.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/scan.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// Marks the constructors of streams that leave an argument out. Braces such as {.threads = 2} or
/// {} may mean several arguments; overload resolution then takes the constructor that is no
/// template, which leaves out none before the last.
template <class T>
concept shorter_form = std::is_void_v<T>;

/// The carry of a stream without elements.
template <class Carry, class Op, class A>
void restart(Carry& left, Op const& op, options<A> const& o) {
  if constexpr (continues<Op, A>)
    left = Carry(prefix_before(op, o.initial ? std::addressof(*o.initial) : nullptr));
  else
    left = {};
}

/// What streams of reductions and of scans have in common.
template <class T, class Op, executor E, bool is_scan>
class stream {
 public:
  using accumulator = accumulator_t<Op, T>;

  stream() : stream(E{}) {}
  /// Braces without anything in place of the executor and what follows it.
  stream(std::initializer_list<nothing_given>, options<accumulator> o)
      : stream(E{}, Op{}, std::move(o)) {}
  template <class First, class... Rest>
    requires executor_comes_late<First, Rest...>
  stream(First const&, Rest const&...) : stream() {
    refuse_late_executor<First>();
  }
  explicit stream(E on, Op op = {}, options<accumulator> o = {})
      : op_(std::move(op)), options_(std::move(o)), on_(std::move(on)) {
    expects(!options_.reverse,
            is_scan ? "scan_stream: .reverse is not supported, as the end of a stream is not "
                      "known; use a scan over the whole input"
                    : "reduce_stream: .reverse is not supported, as the end of a stream is not "
                      "known; use reduce over the whole input");
    if constexpr (is_scan || has_own_carry<E, accumulator>) expect_prefix_tree(options_);
    restart(left_, op_, options_);
  }
  template <shorter_form = void>
  stream(E on, options<accumulator> o) : stream(std::move(on), Op{}, std::move(o)) {}
  template <shorter_form = void>
  explicit stream(Op op, options<accumulator> o = {}) : stream(E{}, std::move(op), std::move(o)) {}
  template <shorter_form = void>
  explicit stream(options<accumulator> o) : stream(E{}, Op{}, std::move(o)) {}

  /// The number of elements so far.
  [[nodiscard]] std::size_t size() const { return left_.position(); }

  /// The reduction of the block of 2^k elements for bit k of size(), which must be set. A stream
  /// with the same operator and options that appends these blocks, the largest first, continues
  /// this stream, whichever of the two kinds each of them is. Not on a GPU.
  [[nodiscard]] accumulator const& block_total(int k) const
    requires(!has_own_carry<E, accumulator>)
  {
    return left_.total(k);
  }
  /// Appends 2^k elements by their reduction, without results. size() must be a multiple of 2^k.
  void append_block(int k, accumulator total)
    requires(!has_own_carry<E, accumulator>)
  {
    float_environment const ieee;
    left_.push(k, std::move(total), op_);
  }

  /// Returns the result of reduce() on all elements so far; the stream can continue. Throws as
  /// reduce() does if there are none.
  [[nodiscard]] auto result() const {
    float_environment const ieee;
    if constexpr (operands_fit<Op, T const&>())
      return result_of(left_, op_, options_);
    else
      return no_result<T>();
  }

 protected:
  Op op_;
  options<accumulator> options_;
  E on_;
  stream_carry_t<E, accumulator> left_;
};

}  // namespace upsweep::detail

namespace upsweep {

/// Reduces elements of type T that arrive in chunks: reduce_stream<T>([executor,] [op,] [options]).
/// Stores one total for each set bit of their number, at most 64.
template <class T, class Op = plus, executor E = detail::default_executor_t<T>>
class reduce_stream : public detail::stream<T, Op, E, false> {
  using base = detail::stream<T, Op, E, false>;
  using base::left_, base::on_, base::op_, base::options_;

 public:
  using base::base;
  using typename base::accumulator;

  /// Appends a chunk of any length, including 0. If the operator throws or rejects a prefix, the
  /// stream is empty afterwards.
  void push(std::span<T const> chunk) {
    if constexpr (detail::operands_fit<Op, T const&>()) append(chunk);
  }

 private:
  void append(std::span<T const> chunk) try {
    if (chunk.empty()) return;
    detail::float_environment const ieee;
    detail::as_is const f;
    std::size_t const begin = left_.position();
    call const c{
        source<T const*, detail::as_is, Op, false>(chunk.data(), chunk.size(), f, op_, begin),
        chunk.size(), op_};
    if constexpr (requires(accumulator const& a) { op_.accepts(a); }) {
      auto const before = total();
      on_.reduce_chunk(c, left_);
      expect_accepted(c, *total(), begin, before ? std::addressof(*before) : nullptr);
    } else {
      on_.reduce_chunk(c, left_);
    }
  } catch (...) {
    detail::restart(left_, op_, options_);
    throw;
  }

  /// The total of all elements so far, or nothing if there are none.
  [[nodiscard]] std::optional<accumulator> total() const {
    if (!left_.prefix()) return options_.initial;
    return options_.initial ? op_(detail::start(op_, *options_.initial), *left_.prefix())
                            : *left_.prefix();
  }
};

/// Scans elements of type T that arrive in chunks: scan_stream<T>([executor,] [op,] [options]).
/// Each call takes the next chunk and stores one result per element. inclusive() and exclusive()
/// can be mixed in one stream.
template <class T, class Op = plus, executor E = detail::default_executor_t<T>>
class scan_stream : public detail::stream<T, Op, E, true> {
  using base = detail::stream<T, Op, E, true>;
  using base::left_, base::on_, base::op_, base::options_;

 public:
  using base::base, base::size;
  using typename base::accumulator;

  /// Inclusive scan of the next chunk: out[i] = initial op prefix(size() + i + 1). `chunk` and
  /// `out` are contiguous ranges of the same size, and may be the same memory. Float sums may
  /// decrease by a rounding error, as in inclusive_scan.
  template <class In = std::span<T const>, class Out>
  void inclusive(In const& chunk, Out&& out) {
    detail::expect_kept<Out>();
    if constexpr (detail::chunk_fits<T, Op, In, Out>())
      run<scan_kind::inclusive>(chunk, std::span(out), nullptr);
  }

  /// Exclusive scan of the next chunk: out[i] = initial op prefix(size() + i), where prefix(0) is
  /// the initial value or the identity of the operator.
  template <class In = std::span<T const>, class Out>
  void exclusive(In const& chunk, Out&& out) {
    detail::expect_kept<Out>();
    if constexpr (detail::chunk_fits<T, Op, In, Out>()) run_exclusive(chunk, std::span(out));
  }

 private:
  template <class Out>
  void run_exclusive(std::span<T const> chunk, Out const& out) {
    detail::float_environment const ieee;
    detail::start_of<Op, accumulator> const start(op_, options_.initial);
    if (start.get() || size() > 0) return run<scan_kind::exclusive>(chunk, out, start.get());
    if constexpr (monoid_over<Op, accumulator>) {
      accumulator const first = identity_of<accumulator>(op_);
      run<scan_kind::exclusive>(chunk, out, std::addressof(first));
    } else {
      detail::fail(
          "scan_stream: the operator has no identity for the first exclusive result; give "
          ".initial, or use upsweep::monoid(op, identity)");
    }
  }

  template <scan_kind kind, class Out>
  void run(std::span<T const> chunk, Out const& out, accumulator const* first) {
    detail::float_environment const ieee;
    detail::check_output("scan_stream", chunk, out);
    if (!chunk.empty()) scan<kind>(chunk, out, first);
  }

  template <scan_kind kind, class Out>
  void scan(std::span<T const> chunk, Out const& out, accumulator const* first) try {
    detail::as_is const f;
    std::size_t const begin = left_.position();
    detail::start_of<Op, accumulator> const start(op_, options_.initial);
    call const c{
        source<T const*, detail::as_is, Op, false>(chunk.data(), chunk.size(), f, op_, begin),
        chunk.size(),
        op_,
        options_.mode,
        start.get(),
        first};
    on_.template scan_chunk<kind>(
        c, sink<typename Out::pointer, Op, false>(out.data(), out.size(), op_, begin), left_);
  } catch (...) {
    detail::restart(left_, op_, options_);
    throw;
  }
};

}  // namespace upsweep
