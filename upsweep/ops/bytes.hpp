/// Values as bytes, the same on every machine: what partials are made of when they are written.
///
/// docs/spec/partial_bytes.md lists all states.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/number_bytes.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum_state.hpp>
#include <upsweep/ops/parts.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail::bytes {

/// Format 1 had exact sums as they lie in memory. A partial has the lowest format that describes
/// it, so that earlier versions read what they know.
inline constexpr std::uint16_t format_of_memory = 1, newest_format = 2;

template <class T>
concept plain = parts::number_like<T> || std::is_same_v<T, bool>;

/// What remains: its bytes are those of memory, so it has them on some machines only.
template <class T>
constexpr void expect_bytes_of_memory() {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: a partial of this accumulator cannot be written; give it a member "
                "parts() that returns a tuple of references");
  static_assert(std::endian::native == std::endian::little || sizeof(T) == 0,
                "upsweep: the bytes of a partial are little-endian, but this machine is not; give "
                "the accumulator a member parts() that returns a tuple of references");
}

class writer {
 public:
  template <class T>
  void number(T x) {
    auto const b = little_endian(x);
    out_.insert(out_.end(), b.begin(), b.end());
  }
  void raw(void const* first, std::size_t n) {
    auto const* const b = static_cast<std::byte const*>(first);
    out_.insert(out_.end(), b, b + n);
  }
  void text(std::string_view s) {
    number(static_cast<std::uint32_t>(s.size()));
    raw(s.data(), s.size());
  }
  /// A position in the input, or no_index: 64 bits on any machine.
  void position(std::size_t at) { number(at == no_index ? ~std::uint64_t{0} : std::uint64_t{at}); }
  template <class T>
  void value(T const& x) {
    if constexpr (requires { write_state(*this, x); }) {
      write_state(*this, x);
    } else if constexpr (plain<T>) {
      number(x);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::underlying_type_t<T>>(x));
    } else if constexpr (parts::string_like<T>) {
      std::string_view const s(x);
      number(std::uint64_t{s.size()});
      raw(s.data(), s.size());
    } else if constexpr (parts::optional_like<T>) {
      number(static_cast<std::uint8_t>(x.has_value()));
      if (x.has_value()) value(*x);
    } else if constexpr (parts::range_like<T const>) {
      number(static_cast<std::uint64_t>(std::ranges::distance(x)));
      for (auto const& each : x) value(each);
    } else if constexpr (parts::complex_like<T>) {
      number(x.real());
      number(x.imag());
    } else if constexpr (parts::divisible<T const>) {
      parts::with(x, [&](auto const& all) {
        std::apply([&](auto const&... each) { (value(each), ...); }, all);
      });
    } else {
      expect_bytes_of_memory<T>();
      raw(&x, sizeof x);
    }
  }
  [[nodiscard]] std::vector<std::byte> take_with_checksum() {
    number(checksum(out_));
    return take();
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(out_); }

  /// FNV-1a of the bytes after those whose checksum is h.
  [[nodiscard]] static std::uint64_t checksum(std::span<std::byte const> b,
                                              std::uint64_t h = 0xcbf29ce484222325) {
    for (std::byte const each : b) h = (h ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;
    return h;
  }

 private:
  std::vector<std::byte> out_;
};

/// Refuses what a writer does not write, so that a partial has one sequence of bytes.
class reader {
 public:
  explicit reader(std::span<std::byte const> from, std::uint16_t format = newest_format)
      : from_(from), format_(format) {}

  [[nodiscard]] std::uint16_t format() const { return format_; }
  void expect_format(std::uint16_t format) { format_ = format; }

  [[nodiscard]] std::span<std::byte const> raw(std::uint64_t n) {
    expects(n <= from_.size(), "partial: the bytes are truncated");
    auto const part = from_.first(static_cast<std::size_t>(n));
    from_ = from_.subspan(part.size());
    return part;
  }
  template <class T>
  [[nodiscard]] T number() {
    std::array<std::byte, size_of<T>> b;
    std::ranges::copy(raw(b.size()), b.begin());
    return from_little_endian<T>(b);
  }
  [[nodiscard]] bool flag() {
    auto const byte = number<std::uint8_t>();
    expects(byte <= 1, "partial: a flag in the bytes is neither 0 nor 1");
    return byte == 1;
  }
  [[nodiscard]] std::size_t position() {
    auto const at = number<std::uint64_t>();
    if (at == ~std::uint64_t{0}) return no_index;
    expects(at < no_index, "partial: a position in the bytes exceeds this machine's address space");
    return static_cast<std::size_t>(at);
  }
  [[nodiscard]] std::string_view text() { return as_text(raw(number<std::uint32_t>())); }
  template <class T>
  void value(T& x) {
    if constexpr (requires { read_state(*this, x); }) {
      read_state(*this, x);
    } else if constexpr (std::is_same_v<T, bool>) {
      x = flag();
    } else if constexpr (plain<T>) {
      x = number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      x = static_cast<T>(number<std::underlying_type_t<T>>());
    } else if constexpr (parts::string_like<T>) {
      x = T(as_text(raw(number<std::uint64_t>())));
    } else if constexpr (parts::optional_like<T>) {
      x = T();
      if (!flag()) return;
      std::remove_cvref_t<decltype(*x)> inside{};
      value(inside);
      x = T(std::move(inside));
    } else if constexpr (parts::range_like<T>) {
      range(x);
    } else if constexpr (parts::complex_like<T>) {
      using R = typename T::value_type;
      R const real = number<R>();
      x = T(real, number<R>());
    } else if constexpr (parts::divisible<T>) {
      parts::with(x,
                  [&](auto all) { std::apply([&](auto&... each) { (value(each), ...); }, all); });
    } else {
      expect_bytes_of_memory<T>();
      std::ranges::copy(raw(sizeof x), reinterpret_cast<std::byte*>(&x));
    }
    if constexpr (requires { x.is_valid(); })
      expects(x.is_valid(), "partial: the bytes contain an invalid value of the accumulator");
  }
  [[nodiscard]] bool at_end() const { return from_.empty(); }

 private:
  template <class T>
  void range(T& x) {
    auto const n = number<std::uint64_t>();
    expects(n <= from_.size(), "partial: the bytes are truncated");
    if constexpr (requires { x.resize(n); }) x.resize(static_cast<std::size_t>(n));
    expects(n == static_cast<std::uint64_t>(std::ranges::distance(x)),
            "partial: a range in the bytes has a wrong length");
    for (auto& each : x) value(each);
  }
  static std::string_view as_text(std::span<std::byte const> b) {
    return {reinterpret_cast<char const*>(b.data()), b.size()};
  }
  std::span<std::byte const> from_;
  std::uint16_t format_;
};

// States whose bytes are not those of their parts: write_state() and read_state(), found by the
// writer and the reader.

template <class T>
void write_state(writer& out, indexed<T> const& best) {
  out.value(best.value);
  out.position(best.index);
}
template <class T>
void read_state(reader& in, indexed<T>& best) {
  in.value(best.value);
  best.index = in.position();
}

template <class R, int Neutral>
void write_state(writer& out, prefix_range<R, Neutral> const& range) {
  out.number(range.total);
  out.number(range.lowest);
  out.number(range.highest);
  out.position(range.last);
}
template <class R, int Neutral>
void read_state(reader& in, prefix_range<R, Neutral>& range) {
  constexpr int128 most = int128{1} << (Neutral == 0 ? 126 : 64);
  range.total = in.number<int128>();
  range.lowest = in.number<int128>();
  range.highest = in.number<int128>();
  range.last = in.position();
  expects(-most <= range.lowest && range.lowest <= Neutral && range.lowest <= range.total &&
              range.total <= range.highest && Neutral <= range.highest && range.highest <= most,
          "partial: the bytes contain a sum outside the range of its prefix sums");
}

/// The words [low, low + count) of a sum that no shorter sequence of words has the value of: the
/// lowest is not zero, and the highest is not what the sign of the one below it says.
struct significant_words {
  int low = 0, count = 0;
};
[[nodiscard]] constexpr std::uint64_t continued(std::uint64_t word) {
  return word >> 63 != 0 ? ~std::uint64_t{0} : 0;
}
template <class T>
[[nodiscard]] constexpr significant_words words_of(superaccumulator<T> const& sum) {
  int low = sum.first_word(), high = sum.end_word();
  while (low < high && sum.word(low) == 0) ++low;
  if (low >= high) return {};
  while (high - low > 1 && sum.word(high - 1) == continued(sum.word(high - 2))) --high;
  return {low, high - low};
}

/// A superaccumulator: its kind(), and of a number the words that count.
template <class T>
void write_state(writer& out, superaccumulator<T> const& sum) {
  out.number(static_cast<std::uint8_t>(sum.kind()));
  if (!sum.is_number()) return;
  auto const [low, count] = words_of(sum);
  out.number(static_cast<std::uint8_t>(low));
  out.number(static_cast<std::uint8_t>(count));
  for (int i = low; i < low + count; ++i) out.number(sum.word(i));
}

/// The state as it lay in memory, whose range of words depended on how the sum was made.
template <class T>
void read_memory_of(reader& in, superaccumulator<T>& sum) {
  using state = superaccumulator<T>;
  std::array<std::uint64_t, state::words> word{};
  for (auto& each : word) each = in.number<std::uint64_t>();
  int const low = in.number<std::uint16_t>(), high = in.number<std::uint16_t>();
  auto const notes = in.number<std::uint32_t>();
  bool const has_words = low < high;
  expects(low <= state::words && high <= state::words && (has_words || high == 0 || low == high) &&
              notes < 2 * state::other,
          "partial: the bytes contain an invalid value of the accumulator");
  sum.clear();
  if (has_words) sum.assign_words(word.data(), low, high, notes);
  sum.note(notes);
  expects((sum.kind() & ~state::negative_zero) != 0 || words_of(sum).count == 0,
          "partial: the bytes contain an invalid value of the accumulator");
}

template <class T>
void read_state(reader& in, superaccumulator<T>& sum) {
  using state = superaccumulator<T>;
  if (in.format() == format_of_memory) return read_memory_of(in, sum);
  sum.clear();
  auto const kind = in.number<std::uint8_t>();
  expects(kind <= state::other && (kind & (kind - 1)) == 0,
          "partial: the bytes contain an exact sum of an unknown kind");
  sum.note(kind);
  if (kind != state::other) return;
  int const low = in.number<std::uint8_t>(), count = in.number<std::uint8_t>();
  expects(low + count <= state::words,
          "partial: the bytes contain an exact sum with too many words");
  std::array<std::uint64_t, state::words> word{};
  for (int i = 0; i < count; ++i)
    word[static_cast<std::size_t>(low + i)] = in.number<std::uint64_t>();
  if (count > 0) sum.assign_words(word.data(), low, low + count, kind);
  auto const shortest = words_of(sum);
  expects(shortest.low == low && shortest.count == count,
          "partial: the bytes contain an exact sum with superfluous words");
}

/// The lowest format that describes values of type T.
template <class T>
[[nodiscard]] consteval std::uint16_t format_of();

template <class... T>
[[nodiscard]] consteval std::uint16_t format_of_all(std::type_identity<std::tuple<T...>>) {
  std::uint16_t format = format_of_memory;
  ((format = format < format_of<std::remove_cvref_t<T>>() ? format_of<std::remove_cvref_t<T>>()
                                                          : format),
   ...);
  return format;
}
template <class T>
inline constexpr bool is_superaccumulator = false;
template <class T>
inline constexpr bool is_superaccumulator<superaccumulator<T>> = true;

template <class T>
consteval std::uint16_t format_of() {
  if constexpr (is_superaccumulator<T>) {
    return newest_format;
  } else if constexpr (plain<T> || std::is_enum_v<T> || parts::string_like<T> ||
                       parts::complex_like<T>) {
    return format_of_memory;
  } else if constexpr (parts::optional_like<T>) {
    return format_of<std::remove_cvref_t<decltype(*std::declval<T const&>())>>();
  } else if constexpr (parts::range_like<T const>) {
    return format_of<std::remove_cvref_t<std::ranges::range_reference_t<T const>>>();
  } else if constexpr (parts::divisible<T const>) {
    using all = decltype(parts::with(std::declval<T const&>(), [](auto each) { return each; }));
    return format_of_all(std::type_identity<all>{});
  } else {
    return format_of_memory;
  }
}

}  // namespace upsweep::detail::bytes
