/// Partials as bytes: what a process sends to another, a task returns, or a file keeps.
///
///   "upsweep partial\n", version of the format (u16), upsweep::tree_version (u16), type of the
///   elements, operator, its parameters (each a u32 length and bytes), begin, end, number of totals
///   (u64 each), the totals, FNV-1a of all that (u64)
///
/// Numbers are little endian, and all NaN are one. A total is written part by part (ops/parts.hpp),
/// strings and ranges after their u64 length, an optional value after a byte that says whether
/// there is one, an exact sum as ops/bytes.hpp says; any other trivially copyable type as it lies
/// in memory, on machines that are little endian. docs/spec/partial_bytes.md describes all of it.
#pragma once

#include <upsweep/core/version.hpp>
#include <upsweep/ops/bytes.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/sessions.hpp>
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

inline constexpr std::string_view magic = "upsweep partial\n";

/// The name of an element type, by its parts.
template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (is_float<T> || is_integer<T>) {
    constexpr bool has_no_sign = !std::is_same_v<T, char> && !has_sign<T>;  // char has one on x86
    constexpr char const* kind = std::is_same_v<T, bfloat16> ? "bf"
                                 : is_float<T>               ? "f"
                                 : has_no_sign               ? "u"
                                                             : "i";
    return kind + std::to_string(8 * size_of<T>);
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

/// Names of operators that are no rows of the catalog because each is one of a family. Of a
/// parameter they name the type, as its bytes do not tell it.
template <class Op>
struct family_name {};
template <class T>
struct family_name<sessions<T>> {
  static std::string get() { return "sessions " + type_name<T>(); }
};
template <class R>
struct family_name<checked_plus<R>> {
  static std::string get() { return "checked-sum " + type_name<R>(); }
};
template <class R>
struct family_name<checked_multiplies<R>> {
  static std::string get() { return "checked-product " + type_name<R>(); }
};
/// The functions whose means have names.
template <class Function>
concept has_mean_name = requires { Function::mean_name; };
template <has_mean_name Function>
struct family_name<mean_of_function<Function>> {
  static std::string get() { return Function::mean_name; }
};

template <class Op>
inline constexpr std::string_view listed_name = [] {
  catalog_finder<Op> finder;
  catalog::for_each_row(finder);
  return finder.name;
}();
template <class Op>
concept has_operator_name =
    requires { Op::name; } || !listed_name<Op>.empty() || requires { family_name<Op>::get(); };

template <class Op>
std::string operator_name() {
  if constexpr (requires { Op::name; })
    return std::string(Op::name);
  else if constexpr (!listed_name<Op>.empty())
    return std::string(listed_name<Op>);
  else if constexpr (requires { family_name<Op>::get(); })
    return family_name<Op>::get();
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

/// Number of totals and totals, after the description of their elements.
template <class T, class Op>
void write_totals(writer& out, partial<T, Op> const& part) {
  out.number(std::uint64_t{part.totals().size()});
  for (auto const& total : part.totals()) out.value(total);
}
template <class T, class Op>
[[nodiscard]] partial<T, Op> read_totals(reader& in, std::size_t begin, std::size_t end, Op op) {
  auto const count = in.template number<std::uint64_t>();
  expects(begin <= end && count == partial<T, Op>::blocks_of(begin, end),
          "partial: the number of block results in the bytes does not match the range of elements");
  std::deque<typename partial<T, Op>::accumulator> totals;
  for (std::uint64_t i = 0; i < count; ++i) {
    typename partial<T, Op>::accumulator total{};
    in.value(total);
    totals.push_back(std::move(total));
  }
  expects(in.at_end(), "partial: there are bytes after the last block result");
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

/// Writes a partial as bytes, the same on every machine. Every later version can read them. The
/// bytes depend on begin(), end() and the elements only, not on threads, chunks and the order of
/// joining.
template <class T, class Op>
[[nodiscard]] std::vector<std::byte> to_bytes(partial<T, Op> const& part) {
  detail::bytes::writer out;
  out.raw(detail::bytes::magic.data(), detail::bytes::magic.size());
  out.number(detail::bytes::format_of<typename partial<T, Op>::accumulator>());
  out.number(static_cast<std::uint16_t>(tree_version));
  out.text(detail::bytes::type_name<T>());
  out.text(detail::bytes::operator_name<Op>());
  out.text(detail::bytes::parameters(part.operation()));
  out.number(std::uint64_t{part.begin()});
  out.number(std::uint64_t{part.end()});
  detail::bytes::write_totals(out, part);
  return out.take_with_checksum();
}

/// What the bytes of a partial contain besides the totals. The views refer to the bytes.
struct partial_header {
  std::string_view type;       ///< of the elements, as "f64"
  std::string_view operation;  ///< the operator's name in the catalog, or its own
  std::string_view parameters;
  std::size_t begin, end;
  std::uint16_t format;  ///< of the totals
};

namespace detail::bytes {

/// The header, and `in` at the number of totals.
inline partial_header read_header(std::span<std::byte const> from, reader& in) {
  constexpr std::size_t sum_size = sizeof(std::uint64_t);
  expects(from.size() >= magic.size() + sum_size &&
              std::memcmp(from.data(), magic.data(), magic.size()) == 0,
          "partial: these bytes are not a partial");
  auto const body = from.first(from.size() - sum_size);
  in = reader(body.subspan(magic.size()));
  partial_header h{};
  h.format = in.number<std::uint16_t>();
  if (h.format < format_of_memory || h.format > newest_format)
    fail("partial: the bytes have format %zu, but this version reads formats up to %zu", h.format,
         newest_format);
  in.expect_format(h.format);
  expects(reader(from.last(sum_size)).number<std::uint64_t>() == writer::checksum(body),
          "partial: the bytes are damaged or cut off: their checksum is not that of their content");
  if (auto const tree = in.number<std::uint16_t>(); tree != tree_version)
    fail("partial: the bytes are of combine tree %zu, but this version has tree %zu", tree,
         static_cast<std::size_t>(tree_version));
  h.type = in.text();
  h.operation = in.text();
  h.parameters = in.text();
  h.begin = in.position();
  h.end = in.position();
  return h;
}

}  // namespace detail::bytes

/// Reads the header of the bytes of a partial. Throws precondition_error as from_bytes() does.
[[nodiscard]] inline partial_header header_of(std::span<std::byte const> bytes) {
  detail::bytes::reader in({});
  return detail::bytes::read_header(bytes, in);
}

/// Reads the partial that to_bytes() wrote. Throws precondition_error, with the reason, for bytes
/// that are damaged or cut off, of another type, operator or parameter, of a newer format, or of
/// another tree. The accumulator must have a default constructor.
template <class T, class Op = plus>
[[nodiscard]] partial<T, Op> from_bytes(std::span<std::byte const> bytes, Op op = {}) {
  using detail::bytes::expect_same;
  detail::bytes::reader in({});
  partial_header const h = detail::bytes::read_header(bytes, in);
  expect_same("elements of type", h.type, detail::bytes::type_name<T>());
  expect_same("the operator", h.operation, detail::bytes::operator_name<Op>());
  detail::expects(h.parameters == detail::bytes::parameters(op),
                  "partial: the bytes are of this operator with other parameters");
  constexpr std::uint16_t format = detail::bytes::format_of<accumulator_t<Op, T>>();
  if (h.format > format)
    detail::fail(
        "partial: the bytes have format %zu, but partials of this operator have format %zu",
        h.format, format);
  return detail::bytes::read_totals<T>(in, h.begin, h.end, std::move(op));
}

}  // namespace upsweep
