/// Names of the laboratory's elements, inputs, and elements as strings.
#include <lab/values.hpp>

#include <io/dtype.hpp>
#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace upsweep::lab {

namespace {

/// SplitMix64: number i of the sequence for `seed`.
std::uint64_t random(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class Rows>
std::vector<std::string> names_of(Rows const& rows) {
  std::vector<std::string> names;
  for (auto const& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace

std::string_view name_of(element_type type) {
  return elements[static_cast<std::size_t>(type)].name;
}

std::vector<operation_row> const& operations() {
  static std::vector<operation_row> const all = [] {
    std::vector<operation_row> rows;
    for (auto const& e : catalog::operators)
      if (std::ranges::any_of(elements,
                              [&](auto const& type) { return combine(e.id, type.value); }))
        rows.push_back({e.id, e.name, e.commutative});
    return rows;
  }();
  return all;
}

element_type parse_element(std::string_view name) {
  if (auto const known = io::find_dtype(name)) name = name_of(*known);
  for (auto const& row : elements)
    if (row.name == name) return row.value;
  auto const names = names_of(elements);
  throw io::usage_error(fmt::format("the kernels take elements of type {}, not '{}'{}",
                                    fmt::join(names, ", "), name, text::did_you_mean(name, names)));
}

operation_name parse_operation(std::string_view name) {
  for (auto const& row : operations())
    if (row.name == name) return row.value;
  auto const names = names_of(operations());
  throw io::usage_error(fmt::format("the kernels run with the operators {}, not '{}'{}",
                                    fmt::join(names, ", "), name, text::did_you_mean(name, names)));
}

bool combine(operation_name op, element_type type) {
  return with_element(type, [&]<class T>() {
    return dynamic::has_operator(dynamic::operators_for<dynamic::target::lab, T>{}, op);
  });
}

template <class T>
std::vector<T> input(operation_name op, std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t const r = random(seed, i) >> 33;
    if constexpr (std::is_same_v<T, map_element>) {
      x[i] = {static_cast<std::uint32_t>(1 + r % 3), static_cast<std::uint32_t>(r / 4 % 10)};
    } else if (op == operation_name::product) {
      // In any range of elements the numbers of 2 and 1/2 differ by at most one.
      bool const twice = i % 8 == 1, half = i % 8 == 5;
      x[i] = std::is_integral_v<T> ? static_cast<T>(1 + r % 3)
                                   : static_cast<T>(twice        ? 2.0
                                                    : half       ? 0.5
                                                    : r % 2 == 0 ? 1.0
                                                                 : -1.0);
    } else if (op == operation_name::sum) {
      // Sums of floats must stay below 2^24, so long inputs have both signs; short ones are single
      // digits, which are readable in a picture.
      x[i] = n <= 1024 ? static_cast<T>(r % 10) : static_cast<T>(static_cast<int>(r % 19) - 9);
    } else {
      x[i] = static_cast<T>(static_cast<int>(r % 199) - 99);
    }
  }
  return x;
}
template std::vector<std::int32_t> input(operation_name, std::uint64_t, std::uint64_t);
template std::vector<std::int64_t> input(operation_name, std::uint64_t, std::uint64_t);
template std::vector<float> input(operation_name, std::uint64_t, std::uint64_t);
template std::vector<double> input(operation_name, std::uint64_t, std::uint64_t);
template std::vector<map_element> input(operation_name, std::uint64_t, std::uint64_t);

namespace {

[[noreturn]] void refuse(std::string_view item, std::string const& why) {
  throw io::usage_error(fmt::format("--values: '{}' {}", item, why));
}

/// Reads the whole of `text`.
template <class N>
std::errc read_number(std::string_view text, N& to) {
  auto const done = std::from_chars(text.data(), text.data() + text.size(), to);
  return done.ptr != text.data() + text.size() ? std::errc::invalid_argument : done.ec;
}

template <class T>
T value_in(std::string_view item) {
  std::string_view const type = dynamic::name_of(dynamic::dtype_of<T>);
  T value{};
  auto const error = read_number(item, value);
  if (error == std::errc{} && std::is_floating_point_v<T>) {
    std::int64_t whole = 0;  // a fraction is rounded, but 16777217 would be another number
    bool const is_whole = read_number(item, whole) == std::errc{};
    if (!std::isfinite(value)) refuse(item, "is not a finite number");
    if (is_whole && static_cast<long double>(value) != static_cast<long double>(whole))
      refuse(item, fmt::format("is not a value of {}, in which the nearest is {}", type, value));
  }
  if (error == std::errc{}) return value;
  if (error == std::errc::result_out_of_range)
    refuse(item, fmt::format("does not fit in {}", type));
  double real = 0;
  if (std::is_integral_v<T> && read_number(item, real) != std::errc::invalid_argument)
    refuse(item, fmt::format("is not a value of {}, which has integers only", type));
  refuse(item, "is not a number");
}

template <>
map_element value_in(std::string_view item) {
  map_element map{};
  std::size_t const x = item.find("x+");
  bool const is_map = x != item.npos && read_number(item.substr(0, x), map.a) == std::errc{} &&
                      read_number(item.substr(x + 2), map.b) == std::errc{};
  if (!is_map) refuse(item, "is not an affine map, such as 3x+1 with numbers below 2^32");
  return map;
}

}  // namespace

template <class T>
std::vector<T> listed(std::string_view text) {
  std::vector<T> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, end - begin);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    all.push_back(value_in<T>(item));
    begin = end + 1;
  }
  return all;
}
template std::vector<std::int32_t> listed(std::string_view);
template std::vector<std::int64_t> listed(std::string_view);
template std::vector<float> listed(std::string_view);
template std::vector<double> listed(std::string_view);
template std::vector<map_element> listed(std::string_view);

template <class T>
std::string text_of(T const& value) {
  if constexpr (std::is_same_v<T, map_element>)
    return fmt::format("{}x+{}", value.a, value.b);
  else
    return fmt::format("{}", value);
}
template std::string text_of(std::int32_t const&);
template std::string text_of(std::int64_t const&);
template std::string text_of(float const&);
template std::string text_of(double const&);
template std::string text_of(map_element const&);

std::string text_of(element_type type, std::byte const* bytes) {
  return with_element(type, [&]<class T>() {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return text_of(value);
  });
}

}  // namespace upsweep::lab
