/// Streams of runs: unique, runs, reductions and scans by key over data that arrives in chunks of
/// any length, with the results of one call over all of it. `select` and `partition` need no
/// stream: call them for each chunk. Histograms: histogram.hpp.
#pragma once

#include <upsweep/by_key.hpp>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// A value that the next one replaces in two steps, of which only the first can throw, also where T
/// can only be copied.
template <class T>
class replaceable {
 public:
  void prepare(T const& next) { values_[1 - now_].emplace(next); }
  void commit() noexcept { values_[std::exchange(now_, 1 - now_)].reset(); }
  void reset() noexcept { values_[now_].reset(); }
  /// The value, or null if there is none.
  T const* get() const noexcept { return values_[now_] ? std::addressof(*values_[now_]) : nullptr; }

 private:
  std::array<std::optional<T>, 2> values_;
  std::size_t now_ = 0;
};

/// Where the runs of a chunk begin, of which the first may continue a run of the chunks before.
template <class Key, class Same, class E>
class chunk_runs {
 public:
  chunk_runs(Same same, E on) : equal_(std::move(same)), on_(std::move(on)) {}

  /// Finds them in the next chunk.
  void find(std::span<Key const> keys) {
    float_environment const ieee;
    continued_ = 0;
    Key const* const last = last_.get();
    if (last && !keys.empty() && invoke_function(equal_, *last, keys[0])) {
      continued_ = 1;
      while (continued_ < keys.size() &&
             invoke_function(equal_, keys[continued_ - 1], keys[continued_]))
        ++continued_;
    }
    starts_.resize(keys.size() - continued_);
    starts_.resize(run_starts(on_, keys.subspan(continued_), starts_, equal_));
    for (std::size_t& start : starts_) start += continued_;
  }
  /// The number of keys at the beginning that continue the run of the chunks before.
  [[nodiscard]] std::size_t continued() const { return continued_; }
  /// The positions of the first keys of the other runs. The last run is still open.
  [[nodiscard]] std::vector<std::size_t> const& starts() const { return starts_; }
  /// Where run k of `starts` ends, in a chunk of n keys.
  [[nodiscard]] std::size_t end(std::size_t k, std::size_t n) const {
    return k + 1 < starts_.size() ? starts_[k + 1] : n;
  }
  /// The chunk has been taken. Nothing has changed if a copy of the key throws.
  void pass(std::span<Key const> keys) {
    if (keys.empty()) return;
    last_.prepare(keys.back());
    last_.commit();
  }
  void clear() { last_.reset(); }
  [[nodiscard]] E const& on() const { return on_; }

 private:
  Same equal_;
  E on_;
  replaceable<Key> last_;  // of the chunks before
  std::size_t continued_ = 0;
  std::vector<std::size_t> starts_;
};

/// What streams of reductions and of scans by key have in common: where runs begin, and the stream
/// of the run that is open.
template <class Key, class T, class Op, class Same, class E, class Open>
class stream_by_key {
 public:
  using accumulator = accumulator_t<Op, T>;
  using nothing = std::initializer_list<nothing_given>;

  stream_by_key() : stream_by_key(E{}) {}
  /// Braces without anything in place of the executor and what follows it.
  stream_by_key(nothing, options<accumulator> o) : stream_by_key(E{}, Op{}, Same{}, std::move(o)) {}
  stream_by_key(nothing, nothing, options<accumulator> o)
      : stream_by_key(E{}, Op{}, Same{}, std::move(o)) {}
  template <class First, class... Rest>
    requires executor_comes_late<First, Rest...>
  stream_by_key(First const&, Rest const&...) : stream_by_key() {
    refuse_late_executor<First>();
  }
  explicit stream_by_key(E on, Op op = {}, Same equal = {}, options<accumulator> o = {})
      : runs_(std::move(equal), std::move(on)),
        op_(std::move(op)),
        options_(std::move(o)),
        open_(std::in_place, runs_.on(), op_, options_) {
    expect_prefix_tree(options_);
  }
  template <shorter_form = void>
  stream_by_key(E on, options<accumulator> o)
      : stream_by_key(std::move(on), Op{}, Same{}, std::move(o)) {}
  template <shorter_form = void>
  stream_by_key(E on, Op op, options<accumulator> o)
      : stream_by_key(std::move(on), std::move(op), Same{}, std::move(o)) {}
  template <shorter_form = void>
  explicit stream_by_key(Op op, Same equal = {}, options<accumulator> o = {})
      : stream_by_key(E{}, std::move(op), std::move(equal), std::move(o)) {}
  template <shorter_form = void>
  stream_by_key(Op op, options<accumulator> o)
      : stream_by_key(E{}, std::move(op), Same{}, std::move(o)) {}
  template <shorter_form = void>
  explicit stream_by_key(options<accumulator> o) : stream_by_key(E{}, Op{}, Same{}, std::move(o)) {}

 protected:
  void begin_run() { open_.emplace(runs_.on(), op_, options_); }
  /// Makes the borders of the runs that begin and end in the chunk, relative to the first of them.
  void find_borders() {
    borders_ = runs_.starts();
    for (std::size_t& border : borders_) border -= runs_.starts().front();
  }

  chunk_runs<Key, Same, E> runs_;
  Op op_;
  options<accumulator> options_;
  std::optional<Open> open_;  // the open run
  std::vector<std::size_t> borders_;
};

}  // namespace upsweep::detail

namespace upsweep {

/// unique over chunks: stores the first element of each run of equal neighbors as data arrives.
template <class T, class Same = same, executor E = detail::default_executor_t<T>>
class unique_stream {
 public:
  unique_stream() : unique_stream(E{}) {}
  explicit unique_stream(E on, Same equal = {}) : runs_(std::move(equal), std::move(on)) {}
  template <detail::shorter_form = void>
  explicit unique_stream(Same equal) : unique_stream(E{}, std::move(equal)) {}

  /// Stores the first elements of the runs that begin in the chunk, and returns their number. `out`
  /// must not overlap the chunk. Throws precondition_error if `out` is too small, after it has
  /// stored what fits. The chunk can then be pushed again, as after any exception.
  template <class In = std::span<T const>, elements Out>
  std::size_t push(In const& next, Out&& out) {
    detail::expect_kept<Out>();
    std::span<T const> const chunk = detail::chunk_of<T>(next);
    detail::expect_apart<false>("unique_stream", chunk, out);
    runs_.find(chunk);
    auto const& starts = runs_.starts();
    std::size_t const room = std::ranges::size(out);
    auto to = std::ranges::begin(out);
    for (std::size_t k = 0; k < starts.size() && k < room; ++k, ++to) *to = chunk[starts[k]];
    detail::expect_room("unique_stream", "the output", room, starts.size());
    runs_.pass(chunk);
    return starts.size();
  }

 private:
  detail::chunk_runs<T, Same, E> runs_;
};

/// Run-length encoding over chunks.
template <class T, class Same = same, executor E = detail::default_executor_t<T>>
class run_stream {
 public:
  run_stream() : run_stream(E{}) {}
  explicit run_stream(E on, Same equal = {}) : runs_(std::move(equal), std::move(on)) {}
  template <detail::shorter_form = void>
  explicit run_stream(Same equal) : run_stream(E{}, std::move(equal)) {}

  /// Stores the first elements and the lengths of the runs that end before or in the chunk, and
  /// returns their number. The last run of the chunk stays open. Throws precondition_error, before
  /// anything is stored, if an output is too small or a length does not fit the integers of
  /// `lengths`. The chunk can then be pushed again, as after any exception.
  template <class In = std::span<T const>, elements Values, elements Lengths>
  std::size_t push(In const& next, Values&& values, Lengths&& lengths) {
    detail::expect_kept<Values, Lengths>();
    std::span<T const> const chunk = detail::chunk_of<T>(next);
    detail::expect_outputs_apart("run_stream", chunk, values, lengths);
    runs_.find(chunk);
    auto const& starts = runs_.starts();
    std::size_t const count = starts.empty() ? 0 : starts.size() - (open_.get() ? 0 : 1);
    detail::expect_room_in("run_stream", "the output of the values", values, count);
    detail::expect_room_in("run_stream", "the output of the lengths", lengths, count);
    detail::expect_length_fits<Lengths>(
        "run_stream: a run of %zu elements is longer than the output's integers of %zu bits hold; "
        "give lengths of std::size_t",
        longest_ended(chunk.size()));
    auto value = std::ranges::begin(values);
    auto length = std::ranges::begin(lengths);
    T const* first = open_.get();  // of the run that is open
    std::size_t size = length_ + runs_.continued();
    for (std::size_t k = 0; k < starts.size(); ++k) {
      if (first) {
        *value++ = *first;
        *length++ = static_cast<std::ranges::range_value_t<Lengths>>(size);
      }
      first = std::addressof(chunk[starts[k]]);
      size = runs_.end(k, chunk.size()) - starts[k];
    }
    if (!starts.empty()) open_.prepare(*first);
    runs_.pass(chunk);
    if (!starts.empty()) open_.commit();
    length_ = size;
    return count;
  }
  /// Returns the last run and its length, or nothing if there were no elements. The stream is empty
  /// afterwards.
  [[nodiscard]] std::optional<std::pair<T, std::size_t>> finish() {
    std::optional<std::pair<T, std::size_t>> last;
    if (T const* const first = open_.get()) last.emplace(*first, length_);
    runs_.clear();
    open_.reset();
    length_ = 0;
    return last;
  }

 private:
  /// The length of the longest run that ends in a chunk of n elements.
  [[nodiscard]] std::size_t longest_ended(std::size_t n) const {
    auto const& starts = runs_.starts();
    std::size_t longest = starts.empty() ? 0 : length_ + runs_.continued();
    for (std::size_t k = 0; k + 1 < starts.size(); ++k)
      longest = std::max(longest, runs_.end(k, n) - starts[k]);
    return longest;
  }

  detail::chunk_runs<T, Same, E> runs_;
  detail::replaceable<T> open_;  // the first element of the open run
  std::size_t length_ = 0;
};

/// Reductions by key over chunks: each run of equal keys has the bits of its own reduction,
/// regardless of chunk borders. Memory: that of a reduce_stream, and the positions of the runs of a
/// chunk.
template <class Key, class T, class Op = plus, class Same = same,
          executor E = detail::default_executor_t<T>>
class reduce_runs_stream
    : public detail::stream_by_key<Key, T, Op, Same, E, reduce_stream<T, Op, E>> {
  using base = detail::stream_by_key<Key, T, Op, Same, E, reduce_stream<T, Op, E>>;
  using base::begin_run, base::borders_, base::op_, base::open_, base::options_, base::runs_;

 public:
  using base::base;
  using typename base::accumulator;

  /// Takes n keys and n values of a chunk, stores the first key and the reduction of each run that
  /// has ended, and returns their number. The last run stays open. Throws precondition_error,
  /// before anything is stored, if the sizes differ or an output is too small; the chunk can then
  /// be pushed again. If `op` throws, the stream is empty afterwards.
  template <class Keys = std::span<Key const>, class In = std::span<T const>, elements KeysOut,
            elements Out>
  std::size_t push(Keys const& next_keys, In const& next, KeysOut&& keys_out, Out&& out) {
    detail::expect_kept<KeysOut, Out>();
    std::span<Key const> const keys = detail::chunk_of<Key>(next_keys);
    std::span<T const> const values = detail::chunk_of<T>(next);
    detail::float_environment const ieee;
    if (keys.size() != values.size())
      detail::fail_inputs("reduce_runs_stream", keys.size(), values.size());
    detail::expect_outputs_apart("reduce_runs_stream", keys, keys_out, out);
    detail::expect_outputs_apart("reduce_runs_stream", values, keys_out, out);
    runs_.find(keys);
    auto const& starts = runs_.starts();
    std::size_t const count = starts.empty() ? 0 : starts.size() - (key_ ? 0 : 1);
    detail::expect_room_in("reduce_runs_stream", "the output of the keys", keys_out, count);
    detail::expect_room_in("reduce_runs_stream", "the output", out, count);
    try {
      take(keys, values, std::ranges::begin(keys_out), out);
    } catch (...) {
      close();
      throw;
    }
    return count;
  }
  /// Returns the key and the reduction of the last run, or nothing if there were no elements. The
  /// stream is empty afterwards.
  [[nodiscard]] auto finish() {
    std::optional<std::pair<Key, decltype(open_->result())>> last;
    if (key_) last.emplace(*key_, open_->result());
    close();
    return last;
  }

 private:
  void close() {
    runs_.clear();
    key_.reset();
    begin_run();
  }
  template <class KeyTo, class Out>
  void take(std::span<Key const> keys, std::span<T const> values, KeyTo key_to, Out& out) {
    auto const& starts = runs_.starts();
    open_->push(values.first(runs_.continued()));
    if (!starts.empty()) {
      std::size_t const before = key_ ? 1 : 0;
      if (key_) {
        *key_to++ = *key_;
        *std::ranges::begin(out) = static_cast<std::ranges::range_value_t<Out>>(open_->result());
      }
      std::size_t const first = starts.front(), last = starts.back();
      this->find_borders();
      for (std::size_t k = 0; k + 1 < starts.size(); ++k) *key_to++ = keys[starts[k]];
      auto results = detail::elements_between(out, before, before + starts.size() - 1);
      upsweep::reduce_segments(runs_.on(), values.subspan(first, last - first), borders_, results,
                               op_, options_);
      key_ = keys[last];
      begin_run();
      open_->push(values.subspan(last));
    }
    runs_.pass(keys);
  }

  std::optional<Key> key_;  // of the open run
};

/// Scans by key over chunks: each run of equal keys has the bits of its own scan, regardless of
/// chunk borders. inclusive() and exclusive() can be mixed. Memory: that of a scan_stream, and the
/// positions of the runs of a chunk.
template <class Key, class T, class Op = plus, class Same = same,
          executor E = detail::default_executor_t<T>>
class scan_runs_stream : public detail::stream_by_key<Key, T, Op, Same, E, scan_stream<T, Op, E>> {
  using base = detail::stream_by_key<Key, T, Op, Same, E, scan_stream<T, Op, E>>;
  using base::begin_run, base::borders_, base::op_, base::open_, base::options_, base::runs_;

 public:
  using base::base;
  using typename base::accumulator;

  /// Takes n keys and n values of a chunk, and stores the n results of inclusive_scan_runs in
  /// `out`, a contiguous range that may be the memory of the values. Throws precondition_error if
  /// the sizes differ or `out` overlaps in another way; the chunk can then be pushed again. If `op`
  /// throws, the stream is empty afterwards.
  template <class Keys = std::span<Key const>, class In = std::span<T const>, class Out>
  void inclusive(Keys const& keys, In const& values, Out&& out) {
    detail::expect_kept<Out>();
    if constexpr (detail::is_chunk<Key, Keys>() && detail::chunk_fits<T, Op, In, Out>())
      scan<scan_kind::inclusive>(keys, values, std::span(out));
  }
  /// Takes the same and stores the results of exclusive_scan_runs.
  template <class Keys = std::span<Key const>, class In = std::span<T const>, class Out>
  void exclusive(Keys const& keys, In const& values, Out&& out) {
    detail::expect_kept<Out>();
    if constexpr (detail::is_chunk<Key, Keys>() && detail::chunk_fits<T, Op, In, Out>())
      scan<scan_kind::exclusive>(keys, values, std::span(out));
  }

 private:
  template <scan_kind kind, class Out>
  void scan(std::span<Key const> keys, std::span<T const> values, Out const& out) {
    if (keys.size() != values.size())
      detail::fail_inputs("scan_runs_stream", keys.size(), values.size());
    detail::check_output("scan_runs_stream", values, out);
    detail::expect_apart<false>("scan_runs_stream", keys, out);
    runs_.find(keys);
    auto const& starts = runs_.starts();
    try {
      if (std::size_t const n = runs_.continued()) scan_open<kind>(values.first(n), out.first(n));
      if (!starts.empty()) {
        std::size_t const first = starts.front(), last = starts.back();
        this->find_borders();
        auto const ended = values.subspan(first, last - first);
        auto const to = out.subspan(first, last - first);
        if constexpr (kind == scan_kind::inclusive)
          upsweep::inclusive_scan_segments(runs_.on(), ended, borders_, to, op_, options_);
        else
          upsweep::exclusive_scan_segments(runs_.on(), ended, borders_, to, op_, options_);
        begin_run();
        scan_open<kind>(values.subspan(last), out.subspan(last));
      }
      runs_.pass(keys);
    } catch (...) {
      runs_.clear();
      begin_run();
      throw;
    }
  }
  template <scan_kind kind, class Out>
  void scan_open(std::span<T const> values, Out const& out) {
    if constexpr (kind == scan_kind::inclusive)
      open_->inclusive(values, out);
    else
      open_->exclusive(values, out);
  }
};

}  // namespace upsweep
