/// The table of contents of ops/: every operator by the name it has on the command line, and a
/// visitor that walks over all of them.
#pragma once

#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/minmax.hpp>
#include <upsweep/ops/moments.hpp>

#include <array>
#include <string_view>

namespace upsweep::catalog {

/// Over which elements every grouping has the same bits.
enum class exactness { always, integers, never };

struct entry {
  std::string_view name;
  std::string_view meaning;
  std::string_view identity;
  std::string_view accumulator;
  bool commutative;
  exactness exact;
};

inline constexpr std::array operators{
    entry{"sum", "the sum", "0",
          "64 bits for integers, float for 16-bit floats, else the type itself", true,
          exactness::integers},
    entry{"product", "the product", "1",
          "64 bits for integers, float for 16-bit floats, else the type itself", true,
          exactness::integers},
    entry{"min", "the smallest, NaN if any element is", "+inf or the largest integer",
          "the type itself", true, exactness::always},
    entry{"max", "the largest, NaN if any element is", "-inf or the smallest integer",
          "the type itself", true, exactness::always},
    entry{"min-number", "the smallest, ignoring NaN", "NaN or the largest integer",
          "the type itself", true, exactness::always},
    entry{"max-number", "the largest, ignoring NaN", "NaN or the smallest integer",
          "the type itself", true, exactness::always},
    entry{"and", "the bits set in every integer", "all bits set", "the type itself", true,
          exactness::always},
    entry{"or", "the bits set in any integer", "0", "the type itself", true, exactness::always},
    entry{"xor", "the bits set in an odd number of integers", "0", "the type itself", true,
          exactness::always},
    entry{"all", "true if no element is 0", "true", "bool", true, exactness::always},
    entry{"any", "true if an element is not 0", "false", "bool", true, exactness::always},
    entry{"parity", "true if an odd number of elements is not 0", "false", "bool", true,
          exactness::always},
    entry{"argmin", "the first smallest element and its index", "no index", "value and index", true,
          exactness::always},
    entry{"argmax", "the first largest element and its index", "no index", "value and index", true,
          exactness::always},
    entry{"argmin-last", "the last smallest element and its index", "no index", "value and index",
          true, exactness::always},
    entry{"argmax-last", "the last largest element and its index", "no index", "value and index",
          true, exactness::always},
    entry{"minmax", "the smallest and the largest, NaN if any element is", "those of min and max",
          "two values of the type itself", true, exactness::always},
    entry{"affine", "the recurrence x[i] = a[i] * x[i-1] + b[i]", "a = 1, b = 0", "the pair a, b",
          false, exactness::integers},
    entry{"matrix2x2", "the product of 2x2 matrices in input order", "the unit matrix",
          "four entries", false, exactness::integers},
    entry{"moments", "count, mean and sum of squared deviations", "count 0",
          "a count and two doubles", false, exactness::never},
    entry{"gcd", "the greatest common divisor", "0", "unsigned 64 or 128 bits", true,
          exactness::always},
    entry{"first", "the first element", "nothing", "a value or nothing", false, exactness::always},
    entry{"last", "the last element", "nothing", "a value or nothing", false, exactness::always},
    entry{"concat", "the strings joined in order", "the empty string", "a string", false,
          exactness::always},
    entry{"exact-sum", "the correctly rounded sum", "0", "a superaccumulator", true,
          exactness::always},
    entry{"log-sum-exp", "log of the sum of exponentials, without overflow", "-inf",
          "largest exponent and scaled sum", true, exactness::never},
    entry{"checked-sum", "the sum of integers; overflow is an error", "0",
          "the range of all prefixes, 128 bits", false, exactness::always},
    entry{"checked-product", "the product of integers; overflow is an error", "1",
          "the range of all prefixes, 128 bits", false, exactness::always},
};

/// A result that is read off another operator's: `mean` off `moments`.
struct derived_entry {
  std::string_view name;
  std::string_view from;
  std::string_view meaning;
};

inline constexpr std::array derived{
    derived_entry{"count", "moments", "the number of elements"},
    derived_entry{"mean", "moments", "the mean"},
    derived_entry{"var", "moments", "the population variance"},
    derived_entry{"std", "moments", "the square root of the population variance"},
};

/// Calls f(name, op) for each operator, in the order of `operators`.
template <class F>
constexpr void for_each_operator(F const& f) {
  auto next = operators.begin();
  auto visit = [&](auto const&... op) { (f((next++)->name, op), ...); };
  visit(plus{}, multiplies{}, min{}, max{}, min_number{}, max_number{}, bit_and{}, bit_or{},
        bit_xor{}, logical_and{}, logical_or{}, logical_xor{}, argmin{}, argmax{}, argmin_last{},
        argmax_last{}, minmax{}, affine{}, matrix2x2_product{}, moments{}, gcd{}, first{}, last{},
        concat{}, exact_sum{}, log_sum_exp{}, checked_plus<>{}, checked_multiplies<>{});
}

}  // namespace upsweep::catalog
