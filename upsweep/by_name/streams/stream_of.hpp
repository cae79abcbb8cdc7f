/// How a stream by name is made from the C++ streams. Private to the library.
#pragma once

#include <upsweep/by_name/instances.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::dynamic {

/// How elements of type T are read from columns; here they are one column.
template <class T>
struct elements_in_columns {
  using number = T;
  static constexpr std::size_t columns = 1;
  std::span<T const> read(any_stream::columns in, std::size_t n) {
    return {static_cast<T const*>(in[0]), n};
  }
};
/// The same where an element consists of several numbers.
template <class T>
  requires(!std::is_arithmetic_v<T> && !detail::is_narrow_float<T>)
struct elements_in_columns<T> {
  using number = number_of<T>;
  static constexpr std::size_t columns = sizeof(T) / sizeof(number);
  std::span<T const> read(any_stream::columns in, std::size_t n) {
    elements_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      elements_[i] = [&]<std::size_t... c>(std::index_sequence<c...>) {
        return T{static_cast<number const*>(in[c])[i]...};
      }(std::make_index_sequence<columns>{});
    return elements_;
  }

 private:
  std::vector<T> elements_;
};

/// How results are stored, which a scan stores as `stored`: one number, into its column.
template <class Op, class T>
struct one_number {
  using A = accumulator_t<Op, T>;
  static auto number_in(result_t<Op, T> const& r) {
    using R = result_t<Op, T>;
    if constexpr (requires { r.index; })
      return std::uint64_t{};
    else if constexpr (std::is_arithmetic_v<R>)
      return R{};
    else
      return typename elements_in_columns<T>::number{};
  }
  using stored = decltype(number_in(std::declval<result_t<Op, T>>()));
  void put(std::span<stored const> results, any_stream::results out) const {
    std::copy(results.begin(), results.end(), static_cast<stored*>(out[0]));
  }
};

/// The reduction and the scan of a stream, of which the one that was used last has the elements, or
/// the partial of a piece.
template <class Op, class T, class Results = one_number<Op, T>>
class stream_of : public any_stream {
 public:
  using A = accumulator_t<Op, T>;
  using stored = typename Results::stored;

 private:
  static constexpr bool is_narrow =
      detail::is_narrow_float<T> ||
      (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < 8);
  /// Narrow elements are widened before they are divided into pieces, or scanned into wider
  /// results.
  static constexpr bool in_pieces = !is_narrow, scans = !is_narrow || std::is_same_v<T, stored>;
  static constexpr bool stores_directly =
      std::is_arithmetic_v<stored> || detail::is_narrow_float<stored>;

 public:
  using part_type = std::conditional_t<in_pieces, partial<T, Op>, partial<double>>;

  stream_of(Op op, std::optional<A> initial, stream_options const& how, Results stores = {})
      : results_(std::move(stores)),
        op_(std::move(op)),
        options_{.initial = std::move(initial), .mode = how.mode},
        on_(how.on) {
    has_initial_ = options_.initial.has_value();
    if constexpr (in_pieces)
      if (how.use == stream_use::piece) part_.emplace(0, op_);
  }

  void restart(std::size_t position) override {
    begin_ = position_ = part_ ? position : 0;
    if constexpr (in_pieces)
      if (part_) part_.emplace(position, op_);
    reduced_.reset();
    scanned_.reset();
  }
  void push(columns in, std::size_t n) override { push_elements(elements_.read(in, n)); }
  void push_elements(std::span<T const> elements) {
    if (!push_to_part(elements)) start(reduced_, scanned_).push(elements);
    position_ += elements.size();
  }
  void scan(scan_kind kind, columns in, std::size_t n, results out) override {
    auto const values = elements_.read(in, n);
    std::span<stored> to;
    if constexpr (stores_directly) {
      to = {static_cast<stored*>(out[0]), n};
    } else {
      totals_.resize(n);
      to = totals_;
    }
    if constexpr (scans)
      kind == scan_kind::inclusive ? start(scanned_, reduced_).inclusive(values, to)
                                   : start(scanned_, reduced_).exclusive(values, to);
    if constexpr (!stores_directly) results_.put(std::span<stored const>(totals_), out);
    position_ += n;
  }
  void result(results out) override {
    auto const total = static_cast<stored>(reduced());
    results_.put(std::span<stored const>(&total, 1), out);
  }

  void save(std::vector<std::byte>& to) const override {
    put(to, position_);
    for_each_block(position_, [&](int k) {
      put(to, scanned_ ? scanned_->block_total(k) : reduced_->block_total(k));
    });
  }
  std::size_t resume(std::span<std::byte const> from) override {
    restart(0);
    std::size_t at = 0;
    auto const take = [&]<class Value>(Value& value) {
      std::memcpy(static_cast<void*>(&value), from.data() + at, sizeof(Value));
      at += sizeof(Value);
    };
    take(position_);
    for_each_block(position_, [&](int k) {
      std::array<std::byte, sizeof(A)> total;
      take(total);
      start(scanned_, reduced_).append_block(k, std::bit_cast<A>(total));
    });
    return at;
  }
  [[nodiscard]] stream_part part() const override {
    stream_part all;
    if constexpr (in_pieces) {
      detail::bytes::writer totals;
      detail::bytes::write_totals(totals, *part_);
      all = {part_->begin(), part_->end(), totals.take()};
    }
    return all;
  }
  void append(stream_part const& later) override {
    if constexpr (in_pieces) append(read(later));
  }

  /// The totals of a piece, from their bytes.
  [[nodiscard]] part_type read(stream_part const& from) const {
    detail::bytes::reader totals(from.totals, format_of_totals(from.totals.size()));
    return detail::bytes::read_totals<T>(totals, from.begin, from.end, op_);
  }
  void append(part_type const& later) {
    if (!part_)
      from_start(later).resume(start(scanned_, reduced_));
    else if (part_->empty() || !part_type::exact)
      part_->append(later);
    else if (!later.empty())  // there may be positions without a value, and pieces that were moved
      part_->append(part_type::of_totals(
          part_->end(), std::max(later.end(), part_->end() + later.size()), later.totals(), op_));
    position_ = part_ ? part_->end() : scanned_->size();
    begin_ = part_ ? part_->begin() : 0;
  }
  /// A piece of a stream of another operator, each of whose totals becomes to(total).
  template <class Other, class F>
  [[nodiscard]] part_type converted(partial<T, Other> const& of, F const& to) const {
    std::deque<A> totals;
    for (auto const& total : of.totals()) totals.push_back(to(total));
    return part_type::of_totals(of.begin(), of.end(), std::move(totals), op_);
  }
  /// Goes on after the elements of another operator's stream, each of whose totals becomes
  /// to(total).
  template <class Other, class R, class F>
  void begin_after(stream_of<Other, T, R> const& other, F const& to) {
    begin_ = other.begin_, position_ = other.position_;
    if (other.part_) {
      part_ = converted(*other.part_, to);
      return;
    }
    for_each_block(position_, [&](int k) {
      if (other.scanned_)
        start(scanned_, reduced_).append_block(k, to(other.scanned_->block_total(k)));
      else
        start(reduced_, scanned_).append_block(k, to(other.reduced_->block_total(k)));
    });
  }

 protected:
  [[nodiscard]] auto reduced() {
    if constexpr (in_pieces)
      if (part_) return from_start(*part_).result(options_);
    return scanned_ ? scanned_->result() : start(reduced_, scanned_).result();
  }
  Results results_;
  elements_in_columns<T> elements_;

 private:
  template <class, class, class>
  friend class stream_of;

  /// The first version wrote exact sums as they lie in memory, which is longer than any of now.
  static std::uint16_t format_of_totals(std::size_t bytes) {
    if constexpr (detail::bytes::is_superaccumulator<A>)
      if (bytes == sizeof(std::uint64_t) + sizeof(A)) return detail::bytes::format_of_memory;
    return detail::bytes::newest_format;
  }
  /// The same elements as the beginning of a whole, which does not change exact totals.
  static part_type from_start(part_type const& of) {
    if (of.empty()) return part_type(0, of.operation());
    return part_type::exact ? part_type::of_totals(0, of.end(), of.totals(), of.operation()) : of;
  }
  /// Calls f(k) for each bit k of `size`, the highest first.
  template <class F>
  static void for_each_block(std::size_t size, F const& f) {
    for (; size != 0; size ^= std::bit_floor(size)) f(detail::floor_log2(size));
  }
  template <class Value>
  static void put(std::vector<std::byte>& to, Value const& value) {
    auto const bytes = std::as_bytes(std::span(&value, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  bool push_to_part(std::span<T const> elements) {
    if constexpr (in_pieces)
      if (part_) part_->push(on_, elements);
    return part_.has_value();
  }
  /// The stream that goes on, with the elements of the other, if that has some.
  template <class Stream, class Other>
  Stream& start(std::optional<Stream>& stream, std::optional<Other>& other) {
    if (stream) return *stream;
    stream.emplace(on_, op_, options_);
    if (other)
      for_each_block(other->size(), [&](int k) { stream->append_block(k, other->block_total(k)); });
    other.reset();
    return *stream;
  }

  Op op_;
  options<A> options_;
  cpu on_;
  std::optional<reduce_stream<T, Op, cpu>> reduced_;
  std::optional<scan_stream<T, Op, cpu>> scanned_;
  std::optional<part_type> part_;
  std::vector<std::conditional_t<stores_directly, std::byte, stored>> totals_;
};

/// The initial value of a stream of T: a number as wide as sums are, or as the elements.
template <class Op, class T>
struct initial_of_stream {
  using A = accumulator_t<Op, T>;
  using number =
      std::conditional_t<std::is_arithmetic_v<A>, A, typename elements_in_columns<T>::number>;

  static std::optional<A> of(Op const& op, stream_options const& how) {
    if (!how.initial) return {};
    number const x = *static_cast<number const*>(how.initial);
    if constexpr (std::is_constructible_v<A, number> && requires { typename Op::unchecked; })
      return A(x);
    else if constexpr (requires { A{0, x}.b; })
      return A{0, x};  // the map that is constant
    else if constexpr (elements_in_columns<T>::columns == 1)
      return A(detail::lift(op, x, 0));
    else
      return {};
  }
};

/// An accumulator that may have no value: an exclusive scan has no first result then.
template <class A>
concept may_lack_value = requires(A const& a) { a.has_value(); };

template <class Op, class T, class Results = one_number<Op, T>>
constexpr stream_row row_of_stream(catalog::id op, stream_pointer (*make)(stream_options const&)) {
  using A = accumulator_t<Op, T>;
  return {.op = op,
          .element = dtype_of<typename elements_in_columns<T>::number>,
          .columns = elements_in_columns<T>::columns,
          .result = dtype_of<typename Results::stored>,
          .initial = dtype_of<typename initial_of_stream<Op, T>::number>,
          .exact = is_exact<Op, A>,
          .first_has_value = monoid_over<Op, A> && !may_lack_value<A>,
          .total_bytes = sizeof(A),
          .make = make};
}

template <class Op, class T>
stream_pointer make_stream(stream_options const& how) {
  Op const op{};
  return std::make_unique<stream_of<Op, T>>(op, initial_of_stream<Op, T>::of(op, how), how);
}

/// {get.operator()<Op, T>()...}, for all pairs that have streams.
template <class Get, class... Op>
constexpr auto table_of_streams(types<Op...>, Get const& get) {
  std::array<stream_row, (types_for<target::stream, Op>::size + ...)> all{};
  std::size_t at = 0;
  auto const append = [&]<class O, class... T>(std::type_identity<O>, types<T...>) {
    ((all[at++] = get.template operator()<O, T>()), ...);
  };
  (append(std::type_identity<Op>{}, types_for<target::stream, Op>{}), ...);
  return all;
}

template <class Operators>
std::span<stream_row const> streams_of<Operators>::rows() {
  static constexpr auto all = table_of_streams(Operators{}, []<class Op, class T>() {
    return row_of_stream<Op, T>(catalog::id_of<Op>, make_stream<Op, T>);
  });
  return all;
}

}  // namespace upsweep::dynamic
