/** Results of the golden set that a C program computes by several calls. */
#include <golden/call.h>
#include <upsweep/upsweep_partial.h>

#include <stdlib.h>
#include <string.h>

static int is_reduction(golden_call const* call) {
  return strcmp(call->c->verb, "reduce") == 0;
}

/** A minimum and a maximum, of everything or of segments. */
static int both_extrema(golden_call* call) {
  char const* const cut = golden_get(call->c, "cut");
  size_t segments = 1;
  uint64_t const* const offsets =
      *cut != 0 ? golden_offsets(&call->memory, call->n, cut, &segments) : NULL;
  size_t const n = strncmp(call->c->verb, "reduce", 6) == 0 ? segments : call->n;
  static upsweep_operator const ops[] = {UPSWEEP_MIN, UPSWEEP_MAX};
  golden_part parts[2];
  for (int k = 0; k < 2; ++k) {
    upsweep_status status = upsweep_result_type(call->type, ops[k], &parts[k].type);
    if (!golden_succeeded(call, status)) return golden_covered(status);
    void* const out = golden_room(&call->memory, n * upsweep_type_size(parts[k].type));
    status = golden_run(call, ops[k], offsets, segments, out);
    if (!golden_succeeded(call, status)) return golden_covered(status);
    parts[k].numbers = out;
  }
  golden_append(call->text, 2, parts, n, 0);
  return 1;
}

/** The last of equal extrema is the first of the reversed array. */
static int last_extremum(golden_call* call, upsweep_operator op, upsweep_operator value_of) {
  void* const reversed = golden_room(&call->memory, call->n * upsweep_type_size(call->type));
  for (size_t i = 0; i < call->n; ++i)
    golden_store(reversed, call->type, i, golden_bits(call->x, call->type, call->n - 1 - i));
  upsweep_type type = call->type;
  uint64_t at = 0, value = 0;
  upsweep_status status = upsweep_result_type(call->type, value_of, &type);
  if (status == UPSWEEP_OK)
    status = upsweep_reduce(call->type, op, reversed, call->n, &call->how, &at);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  at = call->n - 1 - at;
  golden_store(&value, type, 0,
               golden_converted(call->type, golden_bits(call->x, call->type, at), type));
  golden_part const parts[] = {{type, &value}, {UPSWEEP_U64, &at}};
  golden_append(call->text, 2, parts, 1, 0);
  return 1;
}

/** An integer of 64 bits is the sum of two doubles. */
static int exact_sum_of_integers(golden_call* call) {
  double* const x = golden_room(&call->memory, 2 * call->n * sizeof *x);
  int const is_long = upsweep_type_size(call->type) == 8;
  for (size_t i = 0; i < call->n; ++i) {
    uint64_t const bits = golden_bits(call->x, call->type, i), low = bits & UINT32_MAX;
    upsweep_type const half = golden_is_signed(call->type) ? UPSWEEP_I32 : UPSWEEP_U32;
    x[2 * i] = is_long ? (double)low : golden_value(call->type, bits);
    x[2 * i + 1] = is_long ? 0x1p32 * golden_value(half, bits >> 32) : 0;
  }
  double sum;
  upsweep_status const status =
      upsweep_reduce(UPSWEEP_F64, UPSWEEP_EXACT_SUM, x, 2 * call->n, &call->how, &sum);
  if (golden_succeeded(call, status)) golden_append_results(call->text, UPSWEEP_F64, &sum, 1);
  return golden_covered(status);
}

/** The running maximum of the prefix sums. */
static int distribution(golden_call* call) {
  upsweep_type type = call->type;
  upsweep_status status = upsweep_result_type(call->type, UPSWEEP_SUM, &type);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  void* const sums = golden_room(&call->memory, call->n * upsweep_type_size(type));
  upsweep_options how = call->how;
  if (golden_is(call->c, "initial", "next")) {
    golden_store(call->initial, type, 0,
                 golden_converted(call->type, golden_bits(call->x, call->type, call->n), type));
    how.initial = call->initial;
  }
  status = upsweep_inclusive_scan(call->type, UPSWEEP_SUM, call->x, call->n, &how, sums);
  if (status == UPSWEEP_OK)
    status = upsweep_inclusive_scan(type, UPSWEEP_MAX, sums, call->n, &call->how, sums);
  if (golden_succeeded(call, status)) golden_append_results(call->text, type, sums, call->n);
  return golden_covered(status);
}

/** One of the results of a partial's statistics. */
typedef struct statistic {
  char const* op;
  upsweep_statistics of;
  int number; /**< its index among the results */
} statistic;

static int one_statistic(golden_call* call, statistic const* wanted) {
  // C has the mean of no elements too, but as NaN.
  if (call->n == 0 && strcmp(wanted->op, "mean") == 0) return 0;
  size_t const numbers = call->n * call->numbers;
  double *const x = golden_room(&call->memory, numbers * sizeof *x), results[8];
  for (size_t i = 0; i < numbers; ++i)
    x[i] = golden_value(call->type, golden_bits(call->x, call->type, i));
  upsweep_partial* partial = NULL;
  upsweep_status status = upsweep_partial_create_statistics(UPSWEEP_F64, wanted->of, 0, &partial);
  if (status == UPSWEEP_OK) status = upsweep_partial_push(partial, x, call->n, &call->how);
  if (status == UPSWEEP_OK) status = upsweep_partial_result(partial, NULL, results);
  upsweep_partial_destroy(partial);
  if (golden_succeeded(call, status))
    golden_append_results(call->text, UPSWEEP_F64, &results[wanted->number], 1);
  return golden_covered(status);
}

int golden_composed(golden_call* call) {
  static statistic const statistics[] = {
      {"mean", UPSWEEP_MOMENTS, 1},
      {"var", UPSWEEP_MOMENTS, 2},
      {"std", UPSWEEP_MOMENTS, 3},
      {"sample-var", UPSWEEP_MOMENTS, 4},
      {"sample-std", UPSWEEP_MOMENTS, 5},
      {"skewness", UPSWEEP_CENTRAL_MOMENTS, 3},
      {"kurtosis", UPSWEEP_CENTRAL_MOMENTS, 4},
      {"sample-skewness", UPSWEEP_CENTRAL_MOMENTS, 5},
      {"sample-kurtosis", UPSWEEP_CENTRAL_MOMENTS, 6},
      {"covariance", UPSWEEP_COMOMENTS, 3},
      {"sample-covariance", UPSWEEP_COMOMENTS, 4},
      {"correlation", UPSWEEP_COMOMENTS, 5},
      {"slope", UPSWEEP_COMOMENTS, 6},
      {"intercept", UPSWEEP_COMOMENTS, 7},
  };
  golden_case const* const c = call->c;
  if (golden_is(c, "op", "minmax")) return both_extrema(call);
  if (strcmp(c->verb, "cumulative_distribution") == 0) return distribution(call);
  if (!is_reduction(call)) return 0;
  if (golden_is(c, "op", "argmin-last")) return last_extremum(call, UPSWEEP_ARGMIN, UPSWEEP_MIN);
  if (golden_is(c, "op", "argmax-last")) return last_extremum(call, UPSWEEP_ARGMAX, UPSWEEP_MAX);
  if (golden_is(c, "op", "exact-sum") && !golden_is_float(call->type))
    return exact_sum_of_integers(call);
  for (size_t k = 0; k < sizeof statistics / sizeof *statistics; ++k)
    if (golden_is(c, "op", statistics[k].op)) return one_statistic(call, &statistics[k]);
  return 0;
}
