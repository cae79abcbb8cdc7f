/// What ranks must have in common in a call over all pieces, as a number that their messages carry.
#pragma once

#include <upsweep/call/options.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/partial/bytes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>

namespace upsweep::detail {

/// What ranks do together: they join summaries, counted from the first rank or from the last, or
/// one rank tells the others.
enum class round : unsigned char { end, forward, backward, from_last, from_first };

/// The verbs over ranks; 0 means none.
inline constexpr std::array verbs_over_ranks{"no verb",
                                             "reduce",
                                             "transform_reduce",
                                             "inclusive_scan",
                                             "exclusive_scan",
                                             "transform_inclusive_scan",
                                             "transform_exclusive_scan",
                                             "select",
                                             "select_positions",
                                             "partition",
                                             "unique",
                                             "run_starts",
                                             "runs",
                                             "reduce_runs",
                                             "inclusive_scan_runs",
                                             "exclusive_scan_runs",
                                             "reduce_segments",
                                             "inclusive_scan_segments",
                                             "exclusive_scan_segments",
                                             "windowed",
                                             "histogram",
                                             "weighted_histogram",
                                             "count_indices"};

/// FNV-1a of strings and of values as a partial writes them.
class hash_of_call {
 public:
  template <class T>
  void value(T const& x) {
    bytes::writer out;
    out.value(x);
    add(out.take());
  }
  void text(std::string_view s) {
    value(std::uint64_t{s.size()});
    add(std::as_bytes(std::span(s)));
  }
  /// Numbers and strings have the same name everywhere, other types wherever names are mangled
  /// alike.
  template <class T>
  void type() {
    if constexpr (bytes::plain<T> || parts::string_like<T> || requires { T::name; })
      text(bytes::type_name<T>());
    else
      name_of_compiler<T>();
  }
  template <class Op>
  void operation(Op const& op) {
    if constexpr (bytes::has_operator_name<Op>) {
      text(bytes::operator_name<Op>());
      if constexpr (parts::divisible<Op const> || std::is_trivially_copyable_v<Op>)
        text(bytes::parameters(op));
    } else {
      name_of_compiler<Op>();
      if constexpr (requires { op.parts(); })  // those of a tuple
        std::apply([&](auto const&... each) { (operation(each), ...); }, op.parts());
    }
  }
  template <std::size_t order, class T>
  void operation(recurrence<order, T> const& op) {
    name_of_compiler<recurrence<order, T>>();
    for (std::size_t k = 0; k < order; ++k) value(op.powers()[k]);
  }
  /// Bits that depend on all bytes: the highest ones of FNV-1a do not depend on the last byte.
  [[nodiscard]] std::uint64_t bits(int count) const {
    return (h_ ^ h_ >> 32) * 0x9e3779b97f4a7c15 >> (64 - count);
  }

 private:
  template <class T>
  void name_of_compiler() {
#ifdef __cpp_rtti
    text(typeid(T).name());
#else
    text(__PRETTY_FUNCTION__);
#endif
  }
  void add(std::span<std::byte const> b) { h_ = bytes::writer::checksum(b, h_); }

  std::uint64_t h_ = bytes::writer::checksum({});
};

/// 64 bits: 4 rounds of 3 each, the verb's number in 6, and hashes of the types of elements in 14,
/// of the operator in 16, and of the options in 16. The first round of all calls is `forward`:
/// after it every rank knows the call of rank 0, whose other rounds all follow.
class call_of_ranks {
 public:
  explicit constexpr call_of_ranks(std::uint64_t bits) : bits_(bits) {}
  /// A verb of verbs_over_ranks, and its rounds after the first.
  call_of_ranks(std::string_view verb, std::initializer_list<detail::round> rounds) : bits_(0) {
    int at = 0;
    for (auto const each : rounds) set(3 * at++, static_cast<std::uint64_t>(each));
    for (std::size_t i = 1; i < verbs_over_ranks.size(); ++i)
      if (verbs_over_ranks[i] == verb) set(verb_at, i);
  }
  template <class... T>
  call_of_ranks& elements() {
    hash_of_call h;
    (h.type<T>(), ...);
    set(elements_at, h.bits(14));
    return *this;
  }
  template <class Op>
  call_of_ranks& operation(Op const& op) {
    hash_of_call h;
    h.operation(op);
    set(operation_at, h.bits(16));
    return *this;
  }
  template <class... Each>
  call_of_ranks& options(Each const&... each) {
    hash_of_call h;
    (h.value(each), ...);
    set(options_at, h.bits(16));
    return *this;
  }
  template <class A>
  call_of_ranks& options(upsweep::options<A> const& o) {
    std::optional<A> const& initial = o.initial;
    return options(o.reverse, o.mode, o.tree, initial);
  }

  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] call_of_ranks without_arguments() const { return call_of_ranks(field(0, verb_at)); }
  [[nodiscard]] bool has_arguments() const { return field(verb_at, 6) != 0; }
  friend bool operator==(call_of_ranks const&, call_of_ranks const&) = default;

  /// Round number i, the first of which is 0.
  [[nodiscard]] detail::round round(int i) const {
    if (i == 0) return round::forward;
    return i > most_rounds ? round::end : static_cast<detail::round>(field(3 * (i - 1), 3));
  }
  [[nodiscard]] bool joins(int i) const {
    return round(i) == round::forward || round(i) == round::backward;
  }
  [[nodiscard]] bool has_rounds_of(call_of_ranks const& other) const {
    return field(0, verb_at) == other.field(0, verb_at);
  }

  /// A sentence about the call of rank `first`, which this is, and that of rank `second`.
  void describe_difference(call_of_ranks const& other, int first, int second, char* words,
                           std::size_t size) const {
    auto const verb = verb_name(), others_verb = other.verb_name();
    char const* const all = "; all ranks must make the same call";
    if (field(verb_at, 6) != other.field(verb_at, 6))
      std::snprintf(words, size, "ranks: rank %d calls %s, and rank %d %s%s", first, verb, second,
                    others_verb, all);
    else
      std::snprintf(words, size, "%s: %s of rank %d and rank %d differ%s", verb,
                    field(elements_at, 14) != other.field(elements_at, 14) ? "the element types"
                    : field(operation_at, 16) != other.field(operation_at, 16)
                        ? "the operators, or their parameters,"
                        : "the options",
                    first, second, all);
  }

 private:
  static constexpr int most_rounds = 4;
  static constexpr int verb_at = 3 * most_rounds, elements_at = verb_at + 6,
                       operation_at = elements_at + 14, options_at = operation_at + 16;

  void set(int at, std::uint64_t field) { bits_ |= field << at; }
  [[nodiscard]] std::uint64_t field(int at, int count) const {
    return bits_ >> at & ((std::uint64_t{1} << count) - 1);
  }
  [[nodiscard]] char const* verb_name() const {
    auto const i = static_cast<std::size_t>(field(verb_at, 6));
    return i < verbs_over_ranks.size() ? verbs_over_ranks[i] : "another verb";
  }

  std::uint64_t bits_;
};

}  // namespace upsweep::detail
