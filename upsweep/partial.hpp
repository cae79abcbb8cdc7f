/// Partials: mergeable summaries of pieces of an array, which join to the bits of one call over
/// all.
///
/// The combine tree is anchored at element 0, so the elements [begin, end) contain certain aligned
/// blocks of it, whose totals depend on nothing else. A partial is these totals: at most two for
/// each doubling of the size. When pieces are joined, blocks that become siblings combine to the
/// block above them. Joining is therefore associative in every bit, for any operator.
#pragma once

#include <upsweep/scan_stream.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// Element `position` of a whole, whose number may be noted: source(i) is that at position base + i
/// of the scan's direction.
template <bool reverse, class It, class F, class Op>
struct noting_source {
  using values = source<It, F, Op, false>;
  using operation = Op;
  using accumulator = typename values::accumulator;
  values in;             ///< the piece
  std::size_t size;      ///< of the piece
  std::size_t position;  ///< of the piece
  std::size_t whole;
  std::size_t base;
  Op const& op;

  [[nodiscard]] accumulator operator()(std::size_t i) const {
    std::size_t const at = base + i, local = at - position;
    return detail::lift(op, in.value(reverse ? size - 1 - local : local),
                        reverse ? whole - 1 - at : at);
  }
};

/// The `size` elements from `first` on, after `f`, as a piece of `whole` elements in which the
/// first of them, in the scan's direction, is number `position`. Operators that note positions get
/// those in the whole, and lose the compiled kernels by that.
template <bool reverse, class It, class F, class Op>
struct piece {
  using transformed = transformed_t<It, F>;
  static constexpr bool notes =
      requires(Op const& op, transformed const& x) { op.lift(x, std::size_t{}); };
  It first;
  std::size_t size;
  F const& f;
  Op const& op;
  std::size_t position;
  std::size_t whole;  ///< used if it `notes` and is reversed

  /// Its elements [begin, begin + n) in the scan's direction, for a reduction on an `E`. On a GPU
  /// they have their positions in the whole.
  template <class E>
  [[nodiscard]] auto subrange(std::size_t begin, std::size_t n) const {
    if constexpr (has_own_memory<E> && !reverse) {
      auto const from = first + static_cast<std::iter_difference_t<It>>(begin);
      return source<It, F, Op, false>(from, n, f, op, position + begin);
    } else if constexpr (notes) {
      return noted(position + begin);
    } else {
      auto const from = static_cast<std::iter_difference_t<It>>(reverse ? size - begin - n : begin);
      return source<It, F, Op, reverse>(first + from, n, f, op);
    }
  }
  /// All, at their positions in the whole, for a scan.
  [[nodiscard]] auto chunk() const {
    if constexpr (notes)
      return noted(0);
    else if constexpr (reverse)
      return source<It, F, Op, true>(first, position + size, f, op);
    else
      return source<It, F, Op, false>(first, size, f, op, position);
  }
  /// Where the results of that scan go.
  template <class Out>
  [[nodiscard]] auto results_to(Out out) const {
    if constexpr (reverse)
      return sink<Out, Op, true>(out, position + size, op);
    else
      return sink<Out, Op, false>(out, size, op, position);
  }

 private:
  [[nodiscard]] auto noted(std::size_t base) const {
    return noting_source<reverse, It, F, Op>{{first, size, f, op}, size, position, whole, base, op};
  }
};

}  // namespace upsweep::detail

namespace upsweep {

/// A mergeable summary of the elements [begin(), end()) of an array of T: their reduction by `Op`.
///
/// Exact operators need one total, others at most 2 log2(size()). A member that throws leaves the
/// partial unchanged. The bits of its result and of to_bytes() depend only on begin(), end() and
/// the elements between them.
template <class T, class Op = plus>
class partial {
 public:
  using accumulator = accumulator_t<Op, T>;
  static constexpr bool exact = is_exact<Op, accumulator>;

  /// A partial without elements, at position `begin` of the whole.
  explicit partial(std::size_t begin, Op op) : op_(std::move(op)), begin_(begin), end_(begin) {}
  explicit partial(std::size_t begin = 0)
    requires std::default_initializable<Op>
      : partial(begin, Op{}) {}

  /// A partial of the elements of a stream, whose initial value belongs to result().
  template <class E>
  static partial of(reduce_stream<T, Op, E> const& stream, Op op = {}) {
    return of_blocks(stream, std::move(op));
  }
  template <class E>
  static partial of(scan_stream<T, Op, E> const& stream, Op op = {}) {
    static_assert(
        !requires { typename Op::unchecked; },
        "upsweep: scans by checked operators keep no range of prefixes; use push()");
    return of_blocks(stream, std::move(op));
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] Op const& operation() const { return op_; }

  /// The totals of its aligned blocks, in order; one total for an exact operator.
  [[nodiscard]] std::deque<accumulator> const& totals() const { return totals_; }

  /// Appends the elements from end() on. Runs on the executor `on`: on a GPU as one launch, on
  /// others as one reduction of each aligned block.
  template <class In = std::span<T const>, executor E = detail::default_executor_t<T>>
  void push(E const& on, In const& next) {
    static constexpr detail::as_is f;
    std::span<T const> const x = detail::chunk_of<T>(next);
    if constexpr (detail::operands_fit<Op, T const&>())
      push(on,
           detail::piece<false, T const*, detail::as_is, Op>{x.data(), x.size(), f, op_, end_, 0});
  }
  template <class In = std::span<T const>>
  void push(In const& next) {
    push(detail::default_executor_t<T>{}, next);
  }
  /// The same of a piece at position end(), for calls over ranks.
  template <executor E, bool reverse, class It, class F>
  void push(E const& on, detail::piece<reverse, It, F, Op> const& next) {
    detail::float_environment const ieee;
    expect_room(next.size);
    if (next.size == 0) return;
    auto const part = [&](std::size_t begin, std::size_t n) {
      return call{next.template subrange<E>(begin, n), n, op_};
    };
    partial longer(*this);
    if constexpr (exact) {
      longer.join(on.reduce(part(0, next.size)), next.size);
    } else {
      auto const put = [&](int k, accumulator const& total) { longer.push_block(k, total); };
      if constexpr (!reverse && detail::has_block_totals<E, decltype(part(0, 0)), decltype(put)>) {
        on.block_totals(part(0, next.size), end_, put);
      } else {
        detail::block_sequence const blocks(end_, end_ + next.size, detail::largest_block_log2);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
          auto const [position, k] = blocks[i];
          put(k, on.reduce(part(position - end_, std::size_t{1} << k)));
        }
      }
    }
    swap(longer);
  }

  /// Appends `later`, which must begin at end(). An empty partial may begin anywhere.
  void append(partial const& later) {
    if (later.empty()) return;
    if (empty()) {
      partial copy(later);
      return swap(copy);
    }
    if (later.begin_ != end_)
      detail::fail(
          "partial: only adjacent parts can be joined; one ends at %zu, the later begins at %zu",
          end_, later.begin_);
    detail::float_environment const ieee;
    partial longer(*this);
    if constexpr (exact) {
      longer.join(later.totals_.front(), later.size());
    } else {
      for (std::size_t i = 0; i < later.totals_.size(); ++i)
        longer.push_block(later.levels_[i], later.totals_[i]);
    }
    swap(longer);
  }

  /// The result of reduce() on the whole array with `.initial` and `.tree`; begin() must be 0.
  [[nodiscard]] auto result(options<accumulator> const& o = {}) const {
    expect_whole();
    detail::expects(!o.reverse, "partial: .reverse is not supported; omit it");
    detail::float_environment const ieee;
    auto const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    carry<accumulator> left(detail::prefix_before(op_, initial));
    for (std::size_t i = 0; i < totals_.size(); ++i)
      left.push(exact ? 0 : levels_[i], totals_[i], op_);
    return detail::result_of(left, op_, o);
  }

  /// Appends these elements to a stream without elements that has the same operator. The stream
  /// then continues after them: a scan of a later piece, or a stream that was interrupted. begin()
  /// must be 0, and an exact operator must have an identity.
  template <class Stream>
  void resume(Stream& stream) const {
    detail::expects(stream.size() == 0, "partial: the stream to resume already has elements");
    each_block([&](int k, accumulator total) { stream.append_block(k, std::move(total)); });
  }
  /// The carry for a scan from end() on; `initial` may be null. Conditions as for resume().
  [[nodiscard]] carry<accumulator> front(accumulator const* initial = nullptr) const {
    detail::float_environment const ieee;
    carry<accumulator> left(detail::prefix_before(op_, initial));
    each_block([&](int k, accumulator total) { left.push(k, std::move(total), op_); });
    return left;
  }

  /// A partial of [begin, end) from its totals(), which the caller has stored.
  static partial of_totals(std::size_t begin, std::size_t end, std::deque<accumulator> totals,
                           Op op = {}) {
    partial made(begin, std::move(op));
    if (begin < end) {
      if constexpr (exact) {
        made.end_ = end;
      } else {
        detail::block_sequence const blocks(begin, end, detail::largest_block_log2);
        for (std::size_t i = 0; i < blocks.size(); ++i)
          made.levels_.push_back(static_cast<unsigned char>(blocks[i].k));
        made.end_ = end;
      }
    }
    detail::expects(begin <= end, "partial: its end is before its begin");
    detail::expects(totals.size() == blocks_of(begin, end),
                    "partial: the number of block results does not match the range of elements");
    made.totals_ = std::move(totals);
    return made;
  }
  /// The number of totals() of a partial of the elements [begin, end), begin <= end.
  [[nodiscard]] static std::size_t blocks_of(std::size_t begin, std::size_t end) {
    if constexpr (exact) return begin < end ? 1 : 0;
    return begin < end ? detail::block_sequence(begin, end, detail::largest_block_log2).size() : 0;
  }

 private:
  template <class Stream>
  static partial of_blocks(Stream const& stream, Op op) {
    partial made(0, std::move(op));
    detail::float_environment const ieee;
    for (int k = detail::size_digits; k-- > 0;) {
      if ((stream.size() >> k & 1u) == 0) continue;
      if constexpr (exact)
        made.join(stream.block_total(k), std::size_t{1} << k);
      else
        made.push_block(k, stream.block_total(k));
    }
    return made;
  }

  /// Calls f(k, total) for the blocks of 2^k elements that [0, end()) consists of, the largest
  /// first. Of an exact operator the first has the total of all, and the others the identity.
  template <class F>
  void each_block(F const& f) const {
    expect_whole();
    std::size_t next = 0;
    for (int k = detail::size_digits; k-- > 0;) {
      if ((end_ >> k & 1u) == 0) continue;
      if constexpr (exact)
        f(k, next++ == 0 ? totals_.front() : identity_of<accumulator>(op_));
      else
        f(k, totals_[next++]);
    }
  }

  /// Appends the aligned block of 2^k elements that begins at end_.
  void push_block(int k, accumulator const& total) {
    std::size_t const end = end_ + (std::size_t{1} << k);
    std::optional<accumulator> block(std::in_place, total);
    // The block begins at an odd multiple of its size, and the one before it has that size.
    for (; !levels_.empty() && levels_.back() == k && (end_ >> k & 1u) != 0; ++k) {
      block.emplace(op_(std::as_const(totals_.back()), std::as_const(*block)));
      totals_.pop_back();
      levels_.pop_back();
      end_ -= std::size_t{1} << k;
    }
    totals_.push_back(*std::move(block));
    levels_.push_back(static_cast<unsigned char>(k));
    end_ = end;
  }
  /// Appends n elements by their total, for exact operators.
  void join(accumulator total, std::size_t n) {
    if (!totals_.empty()) {
      std::optional<accumulator> both(std::in_place,
                                      op_(std::as_const(totals_.back()), std::as_const(total)));
      totals_.pop_back();
      totals_.push_back(*std::move(both));
    } else {
      totals_.push_back(std::move(total));
    }
    end_ += n;
  }

  void expect_room(std::size_t n) const {
    detail::expects(n <= std::numeric_limits<std::size_t>::max() - end_,
                    "partial: the elements would end beyond position 2^64");
  }
  void expect_whole() const {
    if (begin_ != 0)
      detail::fail(
          "partial: the elements [0, %zu) are missing before this part, which ends at %zu; "
          "append it to their partial",
          begin_, end_);
  }
  void swap(partial& other) {
    std::swap(end_, other.end_);
    std::swap(begin_, other.begin_);
    totals_.swap(other.totals_);
    levels_.swap(other.levels_);
  }

  Op op_;
  std::size_t begin_, end_;
  std::deque<accumulator> totals_;     // std::vector<bool> would have none to refer to
  std::vector<unsigned char> levels_;  // of each total, log2 of its block's size; none if exact
};

/// Returns the partial of the elements of `earlier` and `later`. `later` must begin at
/// earlier.end().
template <class T, class Op>
[[nodiscard]] partial<T, Op> merge(partial<T, Op> earlier, partial<T, Op> const& later) {
  earlier.append(later);
  return earlier;
}

/// Partials that arrive in any order, for example from tasks. Neighbors are joined as soon as both
/// are there, so insert() is commutative as well as associative in every bit.
template <class T, class Op = plus>
class partial_set {
 public:
  /// Adds a partial. Throws precondition_error if the set has one of its elements already.
  void insert(partial<T, Op> part) {
    if (part.empty()) return;
    auto const next = runs_.lower_bound(part.begin());
    auto const before = next == runs_.begin() ? runs_.end() : std::prev(next);
    bool const overlaps = (next != runs_.end() && next->first < part.end()) ||
                          (before != runs_.end() && before->second.end() > part.begin());
    if (overlaps)
      detail::fail("partial_set: elements of [%zu, %zu) exist already; was a part added twice?",
                   part.begin(), part.end());
    if (next != runs_.end() && next->first == part.end()) part.append(next->second);
    bool const joins = next != runs_.end() && next->first < part.end();
    if (before != runs_.end() && before->second.end() == part.begin())
      before->second.append(part);
    else
      runs_.emplace(part.begin(), std::move(part));
    if (joins) runs_.erase(next);
  }
  void merge(partial_set const& other) {
    for (auto const& [begin, run] : other.runs_) insert(run);
  }

  /// The contiguous parts in the set, by their begin.
  [[nodiscard]] std::map<std::size_t, partial<T, Op>> const& runs() const { return runs_; }

  /// The partial of the elements [0, size). Throws precondition_error if one of them is missing, or
  /// if there are more.
  [[nodiscard]] partial<T, Op> whole(std::size_t size) const {
    if (size == 0 && runs_.empty()) return partial<T, Op>();
    if (runs_.empty() || runs_.begin()->first != 0)
      detail::fail("partial_set: the elements [0, %zu) of %zu are missing",
                   runs_.empty() ? size : runs_.begin()->first, size);
    auto const& first = runs_.begin()->second;
    if (first.end() < size)
      detail::fail("partial_set: element %zu of %zu is missing", first.end(), size);
    if (runs_.size() > 1 || first.end() > size)
      detail::fail("partial_set: there are elements up to %zu, after the %zu of the whole",
                   std::prev(runs_.end())->second.end(), size);
    return first;
  }

 private:
  std::map<std::size_t, partial<T, Op>> runs_;
};

}  // namespace upsweep
