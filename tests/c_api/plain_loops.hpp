/// The C interface's types and operators without the library: what results should be, by the
/// benchmark's plain loops over doubles.
#pragma once

#include <upsweep/upsweep.h>
#include <bench/plain/operators.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/catalog.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

constexpr auto wrong = UPSWEEP_INVALID_ARGUMENT;

template <class T>
constexpr upsweep_type type_of() {
  if (std::is_same_v<T, std::int8_t>) return UPSWEEP_I8;
  if (std::is_same_v<T, std::int16_t>) return UPSWEEP_I16;
  if (std::is_same_v<T, std::int32_t>) return UPSWEEP_I32;
  if (std::is_same_v<T, std::int64_t>) return UPSWEEP_I64;
  if (std::is_same_v<T, std::uint8_t>) return UPSWEEP_U8;
  if (std::is_same_v<T, std::uint16_t>) return UPSWEEP_U16;
  if (std::is_same_v<T, std::uint32_t>) return UPSWEEP_U32;
  if (std::is_same_v<T, std::uint64_t>) return UPSWEEP_U64;
  if (std::is_same_v<T, upsweep::bfloat16>) return UPSWEEP_BF16;
#ifdef UPSWEEP_HAS_FLOAT16
  if (std::is_same_v<T, upsweep::float16>) return UPSWEEP_F16;
#endif
  if (std::is_same_v<T, float>) return UPSWEEP_F32;
  if (std::is_same_v<T, double>) return UPSWEEP_F64;
}

/// One result of any type, as a double; the values of these tests fit exactly.
inline double value_at(upsweep_type type, std::vector<std::byte> const& out, std::size_t i) {
  auto get = [&]<class T>(T) {
    T x;
    std::memcpy(&x, out.data() + i * sizeof x, sizeof x);
    return static_cast<double>(x);
  };
  switch (type) {
    case UPSWEEP_I8:
      return get(std::int8_t{});
    case UPSWEEP_I16:
      return get(std::int16_t{});
    case UPSWEEP_I32:
      return get(std::int32_t{});
    case UPSWEEP_I64:
      return get(std::int64_t{});
    case UPSWEEP_U8:
      return get(std::uint8_t{});
    case UPSWEEP_U16:
      return get(std::uint16_t{});
    case UPSWEEP_U32:
      return get(std::uint32_t{});
    case UPSWEEP_U64:
      return get(std::uint64_t{});
    case UPSWEEP_F32:
      return get(float{});
    case UPSWEEP_F64:
      return get(double{});
    default:
      ADD_FAILURE() << "a result of type " << type;
      return 0;
  }
}

/// The result of the loop for Op over elements of type T.
template <class Op, class T = double>
double by_loop(std::vector<double> const& x, std::size_t n) {
  std::vector<T> const elements(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
  double total = 0;
  bench::plain::reduce<bench::plain::running<Op, T>>(elements.data(), &total, n);
  return total;
}

/// The reduction of x[0 .. n) by the operator's plain loop, without the library's verbs.
inline double expected(upsweep_operator op, std::vector<double> const& x, std::size_t n) {
  double total = 0;
  catalog::for_each_row_in_c([&]<class Op>(catalog::row<Op> const& row) {
    if (c_api::operator_of(row.id) != op) return;
    if constexpr (std::is_same_v<Op, exact_sum>)
      total = by_loop<plus>(x, n);
    else if constexpr (Op::about.takes == catalog::operand_kind::integers)
      total = by_loop<Op, std::int64_t>(x, n);
    else
      total = by_loop<Op>(x, n);
  });
  return total;
}

/// Values whose products stay small: mostly 1, some 0 to 3, and at most `twos` factors that are not
/// 1.
template <class T>
std::vector<T> small_values(std::size_t n) {
  std::vector<T> x(n, static_cast<T>(1.0f));
  for (std::size_t i = 0; i < n; i += 7)
    x[i] = static_cast<T>(static_cast<float>(i % 5 == 0 ? 2 : i % 11 == 0 ? 3 : 1));
  if (n > 20) x[20] = static_cast<T>(0.0f);
  return x;
}

/// Calls f.operator()<T>() for the type of each enumerator.
template <class F>
void for_each_type_in_c(F const& f) {
  f.template operator()<std::int8_t>();
  f.template operator()<std::int16_t>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::uint8_t>();
  f.template operator()<std::uint16_t>();
  f.template operator()<std::uint32_t>();
  f.template operator()<std::uint64_t>();
#ifdef UPSWEEP_HAS_FLOAT16
  f.template operator()<upsweep::float16>();
#endif
  f.template operator()<upsweep::bfloat16>();
  f.template operator()<float>();
  f.template operator()<double>();
}

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The status and a part of the sentence of a call that has just failed.
inline void expect_refused(upsweep_status status, upsweep_status wanted, std::string const& part) {
  EXPECT_EQ(status, wanted);
  EXPECT_NE(std::string(upsweep_last_error_message()).find(part), std::string::npos)
      << upsweep_last_error_message();
}

}  // namespace upsweep::test
