/// Names, inputs and texts of the laboratory's elements.
#include <lab/values.hpp>

#include <io/dtype.hpp>
#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
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
