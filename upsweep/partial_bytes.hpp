/// Partials as bytes: what a process sends to another, a task returns, or a file keeps.
///
///   "upsweep partial\n", version of the format (u16), upsweep::tree_version (u16), type of the
///   elements, operator, its parameters (each a u32 length and bytes), begin, end, number of totals
///   (u64 each), the totals, FNV-1a of all that (u64)
///
/// Numbers are little endian. A total is written part by part (ops/parts.hpp), strings and ranges
/// behind their u64 length, an optional value behind a byte that says whether there is one; any
/// other trivially copyable type as it lies in memory.
#pragma once

#include <upsweep/core/version.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/partial.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep {

namespace detail::bytes {

static_assert(std::endian::native == std::endian::little,
              "upsweep: bytes of partials are little endian, and nothing is swapped here");

inline constexpr std::string_view magic = "upsweep partial\n";
inline constexpr std::uint16_t format_version = 1;

template <class T>
concept plain = parts::number_like<T> || std::is_same_v<T, bool>;

class writer {
 public:
  template <class T>
  void number(T x) {
    auto const raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(x);
    out_.insert(out_.end(), raw.begin(), raw.end());
  }
  void raw(void const* first, std::size_t n) {
    auto const* const b = static_cast<std::byte const*>(first);
    out_.insert(out_.end(), b, b + n);
  }
  void text(std::string_view s) {
    number(static_cast<std::uint32_t>(s.size()));
    raw(s.data(), s.size());
  }
  template <class T>
  void value(T const& x) {
    if constexpr (plain<T>) {
      number(x);
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
      static_assert(std::is_trivially_copyable_v<T>,
                    "upsweep: a partial of this accumulator cannot be written; give it a member "
                    "parts() that returns a tuple of references");
      raw(&x, sizeof x);
    }
  }
  [[nodiscard]] std::vector<std::byte> take_with_checksum() {
    number(checksum(out_));
    return take();
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(out_); }

  [[nodiscard]] static std::uint64_t checksum(std::span<std::byte const> b) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (std::byte const each : b) h = (h ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;
    return h;
  }

 private:
  std::vector<std::byte> out_;
};

class reader {
 public:
  explicit reader(std::span<std::byte const> from) : from_(from) {}

  [[nodiscard]] std::span<std::byte const> raw(std::uint64_t n) {
    expects(n <= from_.size(), "partial: the bytes are cut off");
    auto const part = from_.first(static_cast<std::size_t>(n));
    from_ = from_.subspan(part.size());
    return part;
  }
  template <class T>
  [[nodiscard]] T number() {
    std::array<std::byte, sizeof(T)> raw_bytes;
    std::memcpy(raw_bytes.data(), raw(sizeof(T)).data(), sizeof(T));
    return std::bit_cast<T>(raw_bytes);
  }
  [[nodiscard]] std::string_view text() { return as_text(raw(number<std::uint32_t>())); }
  template <class T>
  void value(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = number<std::uint8_t>() != 0;
    } else if constexpr (plain<T>) {
      x = number<T>();
    } else if constexpr (parts::string_like<T>) {
      x = T(as_text(raw(number<std::uint64_t>())));
    } else if constexpr (parts::optional_like<T>) {
      x = T();
      if (number<std::uint8_t>() == 0) return;
      std::remove_cvref_t<decltype(*x)> inside{};
      value(inside);
      x = T(std::move(inside));
    } else if constexpr (parts::range_like<T>) {
      auto const n = number<std::uint64_t>();
      expects(n <= from_.size(), "partial: the bytes are cut off");
      if constexpr (requires { x.resize(n); }) x.resize(static_cast<std::size_t>(n));
      expects(n == static_cast<std::uint64_t>(std::ranges::distance(x)),
              "partial: a range in the bytes has another length");
      for (auto& each : x) value(each);
    } else if constexpr (parts::complex_like<T>) {
      using R = typename T::value_type;
      R const real = number<R>();
      x = T(real, number<R>());
    } else if constexpr (parts::divisible<T>) {
      parts::with(x,
                  [&](auto all) { std::apply([&](auto&... each) { (value(each), ...); }, all); });
    } else {
      std::memcpy(static_cast<void*>(&x), raw(sizeof x).data(), sizeof x);
    }
  }
  [[nodiscard]] bool at_end() const { return from_.empty(); }

 private:
  static std::string_view as_text(std::span<std::byte const> b) {
    return {reinterpret_cast<char const*>(b.data()), b.size()};
  }
  std::span<std::byte const> from_;
};

/// The name of an element type, by its parts.
template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (is_float<T> || is_integer<T>) {
    constexpr char const* kind = std::is_same_v<T, bfloat16> ? "bf"
                                 : is_float<T>               ? "f"
                                 : T(-1) < T(0)              ? "i"
                                                             : "u";
    return kind + std::to_string(8 * sizeof(T));
  } else if constexpr (parts::string_like<T>) {
    return "text";
  } else if constexpr (requires { T::name; }) {
    return std::string(T::name);
  } else if constexpr (parts::complex_like<T>) {
    return "complex " + type_name<typename T::value_type>();
  } else if constexpr (parts::divisible<T>) {
    std::string names;
    T const x{};
    parts::with(x, [&](auto const& all) {
      std::apply(
          [&](auto const&... each) {
            ((names +=
              (names.empty() ? "" : ", ") + type_name<std::remove_cvref_t<decltype(each)>>()),
             ...);
          },
          all);
    });
    return "(" + names + ")";
  } else {
    static_assert(std::is_void_v<T>,
                  "upsweep: the bytes of a partial name the type of its elements; give it a "
                  "`static constexpr char const* name`");
  }
}

template <class Op>
struct catalog_finder {
  std::string_view name{};
  constexpr void operator()(catalog::row<Op> const& r) { name = r.name; }
  template <class Other>
  constexpr void operator()(catalog::row<Other> const&) {}
};

template <class Op>
std::string operator_name() {
  constexpr std::string_view listed = [] {
    catalog_finder<Op> finder;
    catalog::for_each_row(finder);
    return finder.name;
  }();
  if constexpr (requires { Op::name; })
    return std::string(Op::name);
  else if constexpr (!listed.empty())
    return std::string(listed);
  else
    static_assert(std::is_void_v<Op>,
                  "upsweep: the bytes of a partial name its operator; give it a `static constexpr "
                  "char const* name`");
}

/// The members of an operator with parameters.
template <class Op>
std::string parameters(Op const& op) {
  if constexpr (std::is_empty_v<Op>) {
    return {};
  } else {
    writer out;
    out.value(op);
    auto const all = out.take();
    return {reinterpret_cast<char const*>(all.data()), all.size()};
  }
}

/// Number of totals and totals, behind what says of which elements they are.
template <class T, class Op>
void write_totals(writer& out, partial<T, Op> const& part) {
  out.number(std::uint64_t{part.totals().size()});
  for (auto const& total : part.totals()) out.value(total);
}
template <class T, class Op>
[[nodiscard]] partial<T, Op> read_totals(reader& in, std::size_t begin, std::size_t end, Op op) {
  auto const count = in.template number<std::uint64_t>();
  expects(begin <= end && count == partial<T, Op>::blocks_of(begin, end),
          "partial: the bytes have another number of totals than elements need");
  std::deque<typename partial<T, Op>::accumulator> totals;
  for (std::uint64_t i = 0; i < count; ++i) {
    typename partial<T, Op>::accumulator total{};
    in.value(total);
    if constexpr (requires { total.is_valid(); })
      expects(total.is_valid(), "partial: the bytes have a total that is none");
    totals.push_back(std::move(total));
  }
  expects(in.at_end(), "partial: there are bytes behind the last total");
  return partial<T, Op>::of_totals(begin, end, std::move(totals), std::move(op));
}

/// Throws unless the bytes say what they must.
inline void expect_same(std::string_view what, std::string_view in_bytes, std::string_view wanted) {
  if (in_bytes == wanted) return;
  std::string const sentence = "partial: the bytes are of " + std::string(what) + " '" +
                               std::string(in_bytes.substr(0, 100)) + "', not '" +
                               std::string(wanted) + "'";
  fail(sentence.c_str());
}

}  // namespace detail::bytes

/// The partial as bytes, the same on every machine, which every later version reads.
template <class T, class Op>
[[nodiscard]] std::vector<std::byte> to_bytes(partial<T, Op> const& part) {
  detail::bytes::writer out;
  out.raw(detail::bytes::magic.data(), detail::bytes::magic.size());
  out.number(detail::bytes::format_version);
  out.number(static_cast<std::uint16_t>(tree_version));
  out.text(detail::bytes::type_name<T>());
  out.text(detail::bytes::operator_name<Op>());
  out.text(detail::bytes::parameters(part.operation()));
  out.number(std::uint64_t{part.begin()});
  out.number(std::uint64_t{part.end()});
  detail::bytes::write_totals(out, part);
  return out.take_with_checksum();
}

/// What the bytes of a partial say about it; the views refer to the bytes.
struct partial_header {
  std::string_view type;       ///< of the elements, as "f64"
  std::string_view operation;  ///< the operator's name in the catalog, or its own
  std::string_view parameters;
  std::size_t begin, end;
};

namespace detail::bytes {

/// The header, and `in` at the number of totals.
inline partial_header read_header(std::span<std::byte const> from, reader& in) {
  constexpr std::size_t sum_size = sizeof(std::uint64_t);
  expects(from.size() >= magic.size() + sum_size &&
              std::memcmp(from.data(), magic.data(), magic.size()) == 0,
          "partial: these bytes are no partial");
  auto const body = from.first(from.size() - sum_size);
  in = reader(body.subspan(magic.size()));
  if (auto const format = in.number<std::uint16_t>(); format != format_version)
    fail("partial: the bytes have format %zu, and this version reads format %zu", format,
         format_version);
  expects(reader(from.last(sum_size)).number<std::uint64_t>() == writer::checksum(body),
          "partial: the bytes are damaged or cut off: their checksum is not that of their content");
  if (auto const tree = in.number<std::uint16_t>(); tree != tree_version)
    fail("partial: the bytes are of combine tree %zu, and this version has tree %zu", tree,
         static_cast<std::size_t>(tree_version));
  partial_header h{};
  h.type = in.text();
  h.operation = in.text();
  h.parameters = in.text();
  h.begin = static_cast<std::size_t>(in.number<std::uint64_t>());
  h.end = static_cast<std::size_t>(in.number<std::uint64_t>());
  return h;
}

}  // namespace detail::bytes

/// The header of what to_bytes() wrote. Throws precondition_error as from_bytes() does.
[[nodiscard]] inline partial_header header_of(std::span<std::byte const> bytes) {
  detail::bytes::reader in({});
  return detail::bytes::read_header(bytes, in);
}

/// The partial that to_bytes() wrote. Throws precondition_error, which says why, if the bytes are
/// damaged or cut off, or of another type, operator or parameter, of a newer format or another
/// tree. The accumulator must have a default constructor.
template <class T, class Op = plus>
[[nodiscard]] partial<T, Op> from_bytes(std::span<std::byte const> bytes, Op op = {}) {
  using detail::bytes::expect_same;
  detail::bytes::reader in({});
  partial_header const h = detail::bytes::read_header(bytes, in);
  expect_same("elements of type", h.type, detail::bytes::type_name<T>());
  expect_same("the operator", h.operation, detail::bytes::operator_name<Op>());
  detail::expects(h.parameters == detail::bytes::parameters(op),
                  "partial: the bytes are of this operator with other parameters");
  return detail::bytes::read_totals<T>(in, h.begin, h.end, std::move(op));
}

}  // namespace upsweep
