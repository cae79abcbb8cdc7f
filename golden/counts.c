/** Histograms of the golden set. */
#include <golden/call.h>

#include <stdlib.h>
#include <string.h>

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
