/** Reductions and scans of the golden set: of whole arrays, segments, runs, windows, lines; and
 * histograms. */
#include <golden/call.h>
#include <upsweep/c_api/axis.h>

#include <stdlib.h>
#include <string.h>

typedef upsweep_status (*verb_function)(upsweep_type, upsweep_operator, void const*, size_t,
                                        upsweep_options const*, void*);

/** reduce, inclusive_scan or exclusive_scan: how the name of the verb begins. */
static verb_function function_of(char const* verb) {
  if (strncmp(verb, "reduce", 6) == 0) return upsweep_reduce;
  return strncmp(verb, "inclusive", 9) == 0 ? upsweep_inclusive_scan : upsweep_exclusive_scan;
}
static int reduces(golden_call const* call) {
  return function_of(call->c->verb) == upsweep_reduce;
}
static int is_extremum_position(golden_call const* call) {
  return call->op == UPSWEEP_ARGMIN || call->op == UPSWEEP_ARGMAX;
}
static void* room_for(golden_call* call, size_t results) {
  return golden_room(&call->memory, results * upsweep_type_size(call->result));
}

/** Appends n results. An extremum with its position has the value too, which this looks up:
 * position i counts elements that are `stride` apart from `begin[i]` on, 0 without `begin`. */
static int append_results(golden_call* call, void const* out, size_t n, uint64_t const* begin,
                          size_t stride) {
  if (!is_extremum_position(call)) {
    golden_append_results(call->text, call->result, out, n);
    return 1;
  }
  upsweep_operator const extremum = call->op == UPSWEEP_ARGMIN ? UPSWEEP_MIN : UPSWEEP_MAX;
  upsweep_type type = call->type;
  uint64_t nothing[2] = {0, 0}, none;
  upsweep_status status = upsweep_result_type(call->type, extremum, &type);
  if (status == UPSWEEP_OK) status = upsweep_reduce(call->type, extremum, NULL, 0, NULL, nothing);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  none = golden_bits(nothing, type, 0);
  void* const values = golden_room(&call->memory, n * upsweep_type_size(type));
  for (size_t i = 0; i < n; ++i) {
    uint64_t const at = golden_bits(out, UPSWEEP_U64, i);
    uint64_t const element = at == UINT64_MAX ? 0 : (begin != NULL ? begin[i] : 0) + at * stride;
    golden_store(
        values, type, i,
        at == UINT64_MAX
            ? none
            : golden_converted(call->type, golden_bits(call->x, call->type, element), type));
  }
  golden_part const parts[] = {{type, values}, {UPSWEEP_U64, out}};
  golden_append(call->text, 2, parts, n, 0);
  return 1;
}

upsweep_status golden_run(golden_call* call, upsweep_operator op, uint64_t const* offsets,
                          size_t segments, void* out) {
  verb_function const verb = function_of(call->c->verb);
  if (offsets == NULL) return verb(call->type, op, call->x, call->n, &call->how, out);
  return (verb == upsweep_reduce           ? upsweep_reduce_segments
          : verb == upsweep_inclusive_scan ? upsweep_inclusive_scan_segments
                                           : upsweep_exclusive_scan_segments)(
      call->type, op, call->x, call->n, offsets, segments, &call->how, out);
}

int golden_whole(golden_call* call) {
  size_t const results = reduces(call) ? 1 : call->n;
  void* const out = room_for(call, results);
  upsweep_status const status = golden_run(call, call->op, NULL, 0, out);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return append_results(call, out, results, NULL, 1);
}

/** The first element of the segment of each result. */
static uint64_t* begins(golden_call* call, uint64_t const* offsets, size_t segments) {
  uint64_t* const begin = golden_room(&call->memory, (call->n + segments) * sizeof *begin);
  for (size_t k = 0; k < segments; ++k) {
    if (reduces(call)) begin[k] = offsets[k];
    for (uint64_t i = offsets[k]; !reduces(call) && i < offsets[k + 1]; ++i) begin[i] = offsets[k];
  }
  return begin;
}

int golden_segments(golden_call* call) {
  size_t segments;
  uint64_t const* const offsets =
      golden_offsets(&call->memory, call->n, golden_get(call->c, "cut"), &segments);
  size_t const results = reduces(call) ? segments : call->n;
  void* const out = room_for(call, results);
  upsweep_status const status = golden_run(call, call->op, offsets, segments, out);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return append_results(call, out, results, begins(call, offsets, segments), 1);
}

int golden_runs(golden_call* call) {
  upsweep_type key_type = UPSWEEP_I32;
  void* keys;
  if (golden_is(call->c, "keys", "few")) {
    key_type = UPSWEEP_F64;
    keys = golden_elements(&call->memory, key_type, "few", call->n, 0, 1);
  } else {
    size_t segments;
    uint64_t const* const offsets =
        golden_offsets(&call->memory, call->n, golden_get(call->c, "keys"), &segments);
    keys = golden_room(&call->memory, call->n * sizeof(int32_t));
    for (size_t k = 0; k < segments; ++k)
      for (uint64_t i = offsets[k]; i < offsets[k + 1]; ++i) ((int32_t*)keys)[i] = (int32_t)(k % 3);
  }
  void* const out = room_for(call, call->n);
  void* const keys_out = golden_room(&call->memory, call->n * upsweep_type_size(key_type));
  size_t count = call->n;
  verb_function const verb = function_of(call->c->verb);
  upsweep_status const status =
      verb == upsweep_reduce
          ? upsweep_reduce_runs(key_type, keys, call->type, call->op, call->x, call->n, &call->how,
                                keys_out, out, call->n, &count)
          : (verb == upsweep_inclusive_scan ? upsweep_inclusive_scan_runs
                                            : upsweep_exclusive_scan_runs)(
                key_type, keys, call->type, call->op, call->x, call->n, &call->how, out);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  if (verb == upsweep_reduce) golden_append_results(call->text, key_type, keys_out, count);
  golden_append_results(call->text, call->result, out, count);
  return 1;
}

int golden_windows(golden_call* call) {
  size_t const width = golden_number(call->c, "width");
  size_t const windows = call->n < width ? 0 : call->n - width + 1;
  void* const out = room_for(call, windows);
  uint64_t* const begin = golden_room(&call->memory, windows * sizeof *begin);
  for (size_t i = 0; i < windows; ++i) begin[i] = i;
  upsweep_status const status =
      upsweep_windowed(call->type, call->op, call->x, call->n, width, &call->how, out);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return append_results(call, out, windows, begin, 1);
}

int golden_lines(golden_call* call) {
  if (is_extremum_position(call) && !reduces(call)) return 0;
  size_t extent[4], lines_after = 1;
  int const dimensions = golden_extents(call->c, extent);
  int const axis = (int)golden_number(call->c, "axis");
  for (int d = axis + 1; d < dimensions; ++d) lines_after *= extent[d];
  size_t const lines = call->n / extent[axis], results = reduces(call) ? lines : call->n;
  uint64_t* const begin = golden_room(&call->memory, lines * sizeof *begin);
  for (size_t k = 0; k < lines; ++k)
    begin[k] = k / lines_after * lines_after * extent[axis] + k % lines_after;
  void* const out = room_for(call, results);
  verb_function const verb = function_of(call->c->verb);
  upsweep_status const status =
      (verb == upsweep_reduce           ? upsweep_reduce_along_axis
       : verb == upsweep_inclusive_scan ? upsweep_inclusive_scan_along_axis
                                        : upsweep_exclusive_scan_along_axis)(
          call->type, call->op, call->x, extent, (size_t)dimensions, axis, &call->how, out);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return append_results(call, out, results, begin, lines_after);
}

/** Coefficients separated by colons; how many they are, 0 if more than four. */
static size_t coefficients_of(golden_case const* c, double a[4]) {
  char const* at = golden_get(c, "coefficients");
  size_t order = 0;
  while (*at != 0) {
    char* end;
    double const value = golden_decimal(at, &end);
    if (order == 4) return 0;
    a[order++] = value;
    at = *end == ':' ? end + 1 : end;
  }
  return order;
}

/** The interface has the inclusive scan. The others are parts of it: the last result, and all but
 * the last, after the one before the first. */
int golden_recurrence(golden_call* call) {
  double a[4];
  size_t const order = coefficients_of(call->c, a), n = call->n;
  if (order == 0 || (call->type != UPSWEEP_F32 && call->type != UPSWEEP_F64)) return 0;
  size_t const size = upsweep_type_size(call->type);
  char* const x = call->x;
  // out[0] is the result before the first.
  char* const out = golden_room(&call->memory, (n + 1) * size);
  if (golden_is(call->c, "initial", "next")) {
    call->how.initial = x + n * size;
    memcpy(out, x + n * size, size);
  }
  upsweep_status const status =
      upsweep_recurrence(call->type, a, order, x, n, &call->how, out + size);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  if (reduces(call))
    golden_append_results(call->text, call->type, out + n * size, 1);
  else if (strcmp(call->c->verb, "inclusive_scan") == 0)
    golden_append_results(call->text, call->type, out + size, n);
  else
    golden_append_results(call->text, call->type, out, n);
  return 1;
}

/* Histograms. */

golden_bins golden_bins_of(golden_call* call) {
  golden_bins b = {golden_number(call->c, "bins"), NULL, 0, 0};
  char const* const edges = golden_get(call->c, "edges");
  if (strncmp(edges, "even:", 5) == 0) {
    char* end;
    b.low = golden_decimal(edges + 5, &end);
    b.high = golden_decimal(end + 1, NULL);
  } else {
    b.levels = golden_room(&call->memory, (b.count + 1) * sizeof *b.levels);
    for (size_t k = 0; k <= b.count; ++k) b.levels[k] = -50 + 0.375 * (double)(k * (k + 1) / 2);
  }
  if (golden_is(call->c, "closed", "right")) call->how.flags |= UPSWEEP_CLOSED_RIGHT;
  return b;
}

static int with_outside(golden_call* call, upsweep_type type, void const* results, size_t count,
                        upsweep_outside_counts const* outside) {
  uint64_t const three[] = {outside->below, outside->above, outside->nan};
  golden_append_results(call->text, type, results, count);
  golden_append_results(call->text, UPSWEEP_U64, three, 3);
  return 1;
}

int golden_counts(golden_call* call) {
  golden_bins const b = golden_bins_of(call);
  upsweep_outside_counts outside = {0, 0, 0};
  uint64_t* const counts = golden_room(&call->memory, b.count * sizeof *counts);
  upsweep_status const status =
      b.levels != NULL ? upsweep_histogram_levels(call->type, call->x, call->n, b.levels, b.count,
                                                  &call->how, counts, &outside)
                       : upsweep_histogram(call->type, call->x, call->n, b.low, b.high, b.count,
                                           &call->how, counts, &outside);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return with_outside(call, UPSWEEP_U64, counts, b.count, &outside);
}

int golden_weights(golden_call* call) {
  golden_bins const b = golden_bins_of(call);
  upsweep_outside_counts outside = {0, 0, 0};
  upsweep_histogram_weights weights = {golden_type(golden_get(call->c, "weights")), call->op, NULL};
  weights.first =
      golden_elements(&call->memory, weights.type, golden_get(call->c, "wkind"), call->n, 0, 1);
  upsweep_type result;
  upsweep_status status = upsweep_result_type(weights.type, call->op, &result);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  void* const results = golden_room(&call->memory, b.count * upsweep_type_size(result));
  status = b.levels != NULL
               ? upsweep_weighted_histogram_levels(call->type, call->x, &weights, call->n, b.levels,
                                                   b.count, &call->how, results, &outside)
               : upsweep_weighted_histogram(call->type, call->x, &weights, call->n, b.low, b.high,
                                            b.count, &call->how, results, &outside);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  return with_outside(call, result, results, b.count, &outside);
}

int golden_indices(golden_call* call) {
  size_t const bins = golden_number(call->c, "bins");
  uint64_t* const counts = golden_room(&call->memory, bins * sizeof *counts);
  for (size_t i = 0; i < call->n; ++i)
    golden_store(call->x, call->type, i, golden_bits(call->x, call->type, i) % bins);
  upsweep_status const status =
      upsweep_count_indices(call->type, call->x, call->n, &call->how, counts, bins);
  if (golden_succeeded(call, status)) golden_append_results(call->text, UPSWEEP_U64, counts, bins);
  return golden_covered(status);
}
