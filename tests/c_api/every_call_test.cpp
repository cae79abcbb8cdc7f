/// Properties of every verb, type and operator of the C interface: a call that succeeds allocates
/// nothing of its own, and an array that is not aligned to its type is refused.
#include <upsweep/upsweep.h>
#include <support/faulty_new.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t n = 8;

struct verb {
  char const* name;
  decltype(&upsweep_reduce) call;
};
constexpr verb verbs[] = {{"upsweep_reduce", upsweep_reduce},
                          {"upsweep_inclusive_scan", upsweep_inclusive_scan},
                          {"upsweep_exclusive_scan", upsweep_exclusive_scan}};

/// Calls f(verb, type, operator, type of the results) for all that exist.
void for_every_call(
    std::function<void(verb const&, upsweep_type, upsweep_operator, upsweep_type)> const& f) {
  std::size_t calls = 0;
  for (int t = UPSWEEP_I8; t <= UPSWEEP_F64; ++t)
    for (int o = UPSWEEP_SUM; o <= upsweep::c_api::last_operator; ++o) {
      auto const type = static_cast<upsweep_type>(t);
      auto const op = static_cast<upsweep_operator>(o);
      upsweep_type result;
      if (upsweep_result_type(type, op, &result) != UPSWEEP_OK) continue;
      for (verb const& v : verbs) {
        SCOPED_TRACE(std::string(v.name) + ", type " + std::to_string(t) + ", operator " +
                     std::to_string(o));
        f(v, type, op, result);
        ++calls;
      }
    }
  EXPECT_GT(calls, 450u);
}

/// What `f` allocates.
template <class F>
std::size_t allocations_of(F const& f) {
  std::size_t const before = upsweep::test::allocations;
  f();
  return upsweep::test::allocations - before;
}

TEST(c_api_calls, allocate_nothing_of_their_own_when_they_succeed) {
  // A scan keeps the nodes of its tree, unless the operator is exact or has a vector kernel; so
  // does that of the C++ interface, but of a few elements.
  double const numbers[100] = {};
  double results[100];
  std::size_t const tree = allocations_of(
      [&] { upsweep::inclusive_scan(numbers, results, [](double a, double b) { return a + b; }); });
  alignas(8) std::byte const in[n * 8] = {};
  alignas(8) std::byte out[n * 8];
  alignas(8) std::byte const zero[8] = {};
  for_every_call([&](verb const& v, upsweep_type type, upsweep_operator op, upsweep_type result) {
    bool const exact = result <= UPSWEEP_U64 || (op != UPSWEEP_SUM && op != UPSWEEP_PRODUCT);
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.threads = 1;
    options.flags = UPSWEEP_REVERSE;
    if (op != UPSWEEP_ARGMIN && op != UPSWEEP_ARGMAX) options.initial = zero;
    for (upsweep_options const* given :
         {static_cast<upsweep_options const*>(nullptr), &std::as_const(options)}) {
      upsweep_status status = UPSWEEP_INTERNAL;
      std::size_t const made =
          allocations_of([&] { status = v.call(type, op, in, n, given, out); });
      EXPECT_EQ(status, UPSWEEP_OK) << upsweep_last_error_message();
      EXPECT_LE(made, exact || v.call == upsweep_reduce ? 0u : tree)
          << (given ? "with options" : "without options");
    }
  });
}

void expect_misaligned(upsweep_status status, char const* verb, std::string const& what) {
  EXPECT_EQ(status, UPSWEEP_INVALID_ARGUMENT);
  std::string const sentence = upsweep_last_error_message();
  EXPECT_EQ(
      sentence.find(std::string(verb) + ": " + what + " is not aligned to its type, UPSWEEP_"), 0u)
      << sentence;
}

TEST(c_api_calls, refuse_misaligned_arrays_and_leave_the_output_alone) {
  alignas(8) std::byte const in[n * 8 + 8] = {};
  std::vector<std::byte> const untouched(n * 8 + 8, std::byte{0x5a});
  for_every_call([&](verb const& v, upsweep_type type, upsweep_operator op, upsweep_type result) {
    alignas(8) std::byte out[n * 8 + 8];
    std::copy(untouched.begin(), untouched.end(), out);
    for (std::size_t offset = 1; offset < upsweep_type_size(result); offset *= 2) {
      expect_misaligned(v.call(type, op, in, n, nullptr, out + offset), v.name, "`out`");
      expect_misaligned(v.call(type, op, nullptr, 0, nullptr, out + offset), v.name, "`out`");
      if (op == UPSWEEP_ARGMIN || op == UPSWEEP_ARGMAX) continue;
      upsweep_options options = UPSWEEP_OPTIONS_INIT;
      options.initial = in + offset;
      expect_misaligned(v.call(type, op, in, n, &options, out), v.name, "options->initial");
    }
    for (std::size_t offset = 1; offset < upsweep_type_size(type); offset *= 2)
      expect_misaligned(v.call(type, op, in + offset, n, nullptr, out), v.name, "`in`");
    EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), out));
  });
}

}  // namespace
