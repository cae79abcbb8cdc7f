/// The functions of c_api/ranks.h, but for running sums.
#include <upsweep/c_api/ranks.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/exchange.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::c_api {
namespace {

void store_real(double x, upsweep_type type, void* out) {
  if (type == UPSWEEP_F32)
    *static_cast<float*>(out) = static_cast<float>(x);
  else
    *static_cast<double*>(out) = x;
}

void store_counts(tally const& t, upsweep_element_counts* counts) {
  if (counts) *counts = t.counts();
}

void require_reals(char const* function, upsweep_array const& values) {
  if (!is_real(values.type))
    refuse(function, "values are " + name_of(values.type) + "; give UPSWEEP_F64 or UPSWEEP_F32");
}

/// The sum of integers, if 64 bits can hold it.
std::int64_t integer_sum(ranks_of_call const& ranks, tally t) {
  bool const negative = t.make_magnitude();
  auto const digit = [&](std::size_t i) {
    return static_cast<std::uint64_t>(t.limb_at(tally::first + i));
  };
  std::uint64_t const magnitude = digit(1) << 32 | digit(0);
  bool const fits = magnitude <= static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0) &&
                    t.end <= tally::first + 2;
  if (!fits) ranks.refuse("the sum does not fit into 64 bits", UPSWEEP_OVERFLOW);
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

[[noreturn]] void refuse_too_few(ranks_of_call const& ranks) {
  ranks.refuse("there are too few elements on all ranks together", UPSWEEP_TOO_FEW);
}

void sum(char const* function, upsweep_ranks const* given, upsweep_field const* field,
         upsweep_element_counts* counts, void* out) {
  ranks_of_call ranks(function, given);
  tally total;
  ranks.run_locally([&] {
    require_field(function, field, true);
    require_pointer(function, "out", out);
    total = ranks.local().sum(*field);
  });
  ranks.exchange({&total, 1}, true);
  if (total.is_real())
    store_real(total.rounded(total.digits()), total.type, out);
  else
    *static_cast<std::int64_t*>(out) = integer_sum(ranks, total);
  store_counts(total, counts);
}

/// Refuses results that the fields do not have.
void require_result(char const* function, upsweep_type type, upsweep_field const& field) {
  if (!is_real(type) && type != UPSWEEP_I64)
    refuse(function, "`type` is " + std::to_string(static_cast<int>(type)) +
                         "; sums are UPSWEEP_F64, UPSWEEP_F32 or UPSWEEP_I64");
  if (!is_real(type) && is_real(field.values.type))
    refuse(function, "sums of " + name_of(field.values.type) +
                         " are not integers; give UPSWEEP_F64 or UPSWEEP_F32 as the type");
}

void sums(upsweep_ranks const* given, upsweep_field const* fields, std::size_t n, upsweep_type type,
          upsweep_element_counts* counts, void* out) {
  char const* const function = "upsweep_global_sums";
  ranks_of_call ranks(function, given);
  ranks.must_agree(static_cast<std::int64_t>(n));
  ranks.must_agree(static_cast<std::int64_t>(type));
  reused<tally> memory;
  std::vector<tally>& totals = memory.elements;
  std::vector<std::int64_t> integers;
  ranks.run_locally([&] {
    if (n > 0) require_pointer(function, "fields", fields);
    if (n > 0) require_pointer(function, "sums", out);
    totals.resize(n);
    if (!is_real(type)) integers.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      require_field(function, &fields[k], true);
      require_result(function, type, fields[k]);
    }
    ranks.local().sums({fields, n}, totals);
  });
  ranks.exchange(totals, counts != nullptr);
  // All of them before any is stored, because one may not fit.
  for (std::size_t k = 0; k < integers.size(); ++k) integers[k] = integer_sum(ranks, totals[k]);
  std::copy(integers.begin(), integers.end(), static_cast<std::int64_t*>(out));
  for (std::size_t k = 0; k < n; ++k) {
    if (type == UPSWEEP_F64) static_cast<double*>(out)[k] = totals[k].rounded(53);
    if (type == UPSWEEP_F32)
      static_cast<float*>(out)[k] = static_cast<float>(totals[k].rounded(24));
    if (counts) counts[k] = totals[k].counts();
  }
}

void mean(upsweep_ranks const* given, upsweep_field const* field, upsweep_element_counts* counts,
          void* out) {
  char const* const function = "upsweep_global_mean";
  ranks_of_call ranks(function, given);
  tally total;
  ranks.run_locally([&] {
    require_field(function, field, false);
    require_reals(function, field->values);
    require_pointer(function, "out", out);
    total = ranks.local().sum(*field);
  });
  ranks.exchange({&total, 1}, true);
  if (total.n == 0) refuse_too_few(ranks);
  store_counts(total, counts);
  if (total.is_special()) return store_real(total.special(), total.type, out);
  // What the division drops decides no rounding: the quotient has a bit among the 1,000 below the
  // last one of any number.
  auto x = total.all_limbs();
  bool const negative = limbs::make_magnitude(x);
  limbs::divide(x, static_cast<std::uint64_t>(total.n));
  store_real(limbs::rounded(x, negative, tally::real_unit, total.digits()), total.type, out);
}

/// (n q - s^2) / (n (n - less)), where s is the sum and q that of the squares, exact until the end.
double variance_of(tally const& sum, tally const& squares, std::int64_t divisor) {
  constexpr std::size_t twice = 2 * tally::limb_count;
  std::array<std::int64_t, tally::limb_count> s{}, q = squares.all_limbs();
  // In units of 2^-1081, whose square is the unit of the squares.
  for (std::size_t i = 0; i <= tally::middle; ++i) s[i] = sum.limb_at(tally::first + i) * 128;
  limbs::make_magnitude(s);
  limbs::make_magnitude(q);
  std::array<std::int64_t, twice> x{}, y{};
  limbs::multiply(s, s, x);
  std::array const n = {sum.n & 0xffffffff, sum.n >> 32};
  limbs::multiply(q, n, std::span(y).first(tally::limb_count + n.size()));
  for (std::size_t i = 0; i < twice; ++i) x[i] = y[i] - x[i];
  limbs::make_magnitude(x);
  limbs::divide(x, static_cast<std::uint64_t>(sum.n));
  limbs::divide(x, static_cast<std::uint64_t>(divisor));
  return limbs::rounded(x, false, tally::real_unit, sum.digits());
}

void variance(upsweep_ranks const* given, upsweep_field const* field, int less,
              upsweep_element_counts* counts, void* out) {
  char const* const function = "upsweep_global_variance";
  ranks_of_call ranks(function, given);
  ranks.must_agree(less);
  tally t[2];
  ranks.run_locally([&] {
    require_field(function, field, false);
    require_reals(function, field->values);
    if (less != 0 && less != 1)
      refuse(function, "less is " + std::to_string(less) + "; give 0 or 1");
    require_pointer(function, "out", out);
    t[0] = ranks.local().sum(*field);
    t[1] = ranks.local().sum_of_squares(*field);
  });
  ranks.exchange(t, true);
  if (t[0].n <= less) refuse_too_few(ranks);
  store_counts(t[0], counts);
  double const result =
      t[0].is_special() ? detail::not_a_number<double> : variance_of(t[0], t[1], t[0].n - less);
  store_real(result, t[0].type, out);
}

void extreme(char const* function, bool largest, upsweep_ranks const* given,
             upsweep_field const* field, upsweep_array const* index, std::int64_t* position,
             upsweep_element_counts* counts, void* out) {
  ranks_of_call ranks(function, given);
  ranks.must_agree((position ? 1 : 0) + (index ? 2 : 0));
  extremum mine;
  ranks.run_locally([&] {
    require_field(function, field, false);
    require_pointer(function, "out", out);
    if (index) {
      require_values(function, "index", *index);
      if (is_real(index->type))
        refuse(function, "`index` has floating-point elements; give UPSWEEP_I64 or UPSWEEP_I32");
      require_shape(*index, field->values);
    }
    mine = ranks.local().extreme(*field, index, largest);
  });
  tally all = mine.counts;
  ranks.exchange({&all, 1}, true);
  if (all.n == 0) refuse_too_few(ranks);
  bool const has_any = mine.counts.n > 0;
  std::int64_t const best = ranks.least(mine.key);
  if (position) {
    std::int64_t before = 0;
    std::int64_t const here = array_reader(field->values).size();
    if (!index) ranks.add_before(&here, &before, 1);
    bool const is_here = has_any && mine.key == best;
    *position = ranks.least(is_here ? before + mine.position : extremum::no_position);
  }
  store_counts(all, counts);
  write_key(best, all.type, largest, out);
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_ranks upsweep_one_rank(void) {
  return c_api::one_rank();
}

upsweep_status upsweep_global_sum(upsweep_ranks const* ranks, upsweep_field const* field,
                                  upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] { c_api::sum("upsweep_global_sum", ranks, field, counts, out); });
}

upsweep_status upsweep_global_dot(upsweep_ranks const* ranks, upsweep_array const* a,
                                  upsweep_array const* b, upsweep_array const* mask,
                                  upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] {
    upsweep_field field{};
    if (a) field.values = *a;
    if (b) field.weights = *b;
    if (mask) field.mask = *mask;
    c_api::sum("upsweep_global_dot", ranks, a && b ? &field : nullptr, counts, out);
  });
}

upsweep_status upsweep_global_sums(upsweep_ranks const* ranks, upsweep_field const* fields,
                                   size_t n, upsweep_type type, upsweep_element_counts* counts,
                                   void* sums) {
  return c_api::guarded([&] { c_api::sums(ranks, fields, n, type, counts, sums); });
}

upsweep_status upsweep_global_mean(upsweep_ranks const* ranks, upsweep_field const* field,
                                   upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] { c_api::mean(ranks, field, counts, out); });
}

upsweep_status upsweep_global_variance(upsweep_ranks const* ranks, upsweep_field const* field,
                                       int less, upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] { c_api::variance(ranks, field, less, counts, out); });
}

upsweep_status upsweep_global_min(upsweep_ranks const* ranks, upsweep_field const* field,
                                  upsweep_array const* index, int64_t* position,
                                  upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] {
    c_api::extreme("upsweep_global_min", false, ranks, field, index, position, counts, out);
  });
}
upsweep_status upsweep_global_max(upsweep_ranks const* ranks, upsweep_field const* field,
                                  upsweep_array const* index, int64_t* position,
                                  upsweep_element_counts* counts, void* out) {
  return c_api::guarded([&] {
    c_api::extreme("upsweep_global_max", true, ranks, field, index, position, counts, out);
  });
}
