/** Verbs of the golden set that only move elements: selections, runs, rows, orders. */
#include <golden/call.h>

#include <stdlib.h>
#include <string.h>

uint8_t* golden_flags(golden_call* call) {
  int const positive = golden_is(call->c, "test", "positive");
  uint8_t* const flags = golden_room(&call->memory, call->n);
  for (size_t i = 0; i < call->n; ++i) {
    uint64_t const bits = golden_bits(call->x, call->type, i);
    flags[i] = positive ? (uint8_t)(golden_value(call->type, bits) > 0) : (uint8_t)(bits & 1);
  }
  return flags;
}

int golden_select(golden_call* call) {
  size_t const n = call->n, bytes = n * upsweep_type_size(call->type);
  uint8_t const* const flags = golden_flags(call);
  size_t count = 0;
  void *const yes = golden_room(&call->memory, bytes), *const no =
                                                           golden_room(&call->memory, bytes);
  upsweep_status status;
  if (strcmp(call->c->verb, "select_positions") == 0) {
    uint64_t* const at = golden_room(&call->memory, n * sizeof *at);
    status = upsweep_select_positions(flags, n, &call->how, at, n, &count);
    if (golden_succeeded(call, status)) golden_append_results(call->text, UPSWEEP_U64, at, count);
    return golden_covered(status);
  }
  int const both = strcmp(call->c->verb, "partition") == 0;
  status = both
               ? upsweep_partition(call->type, call->x, flags, n, &call->how, yes, n, no, n, &count)
               : upsweep_select(call->type, call->x, flags, n, &call->how, yes, n, &count);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  golden_append_moved(call->text, call->type, yes, count);
  if (both) golden_append_moved(call->text, call->type, no, n - count);
  return 1;
}

/** An element with its position: `unique_by` moves them together. */
typedef struct indexed_bits {
  uint64_t bits, position;
} indexed_bits;

static int same_bits(void const* earlier, void const* later, void* context) {
  (void)context;
  return ((indexed_bits const*)earlier)->bits == ((indexed_bits const*)later)->bits;
}

/** The runs of equal bits: the interface has their first elements only, but of any type. */
static upsweep_status runs_by_bits(golden_call* call, void* values, uint64_t* lengths,
                                   size_t* count) {
  size_t const n = call->n;
  indexed_bits* const all = golden_room(&call->memory, n * sizeof *all);
  indexed_bits* const firsts = golden_room(&call->memory, n * sizeof *firsts);
  for (size_t i = 0; i < n; ++i) all[i] = (indexed_bits){golden_bits(call->x, call->type, i), i};
  upsweep_status const status =
      upsweep_unique_by(all, n, sizeof *all, same_bits, NULL, &call->how, firsts, n, count);
  if (status != UPSWEEP_OK) return status;
  for (size_t k = 0; k < *count; ++k) {
    golden_store(values, call->type, k, firsts[k].bits);
    lengths[k] = (k + 1 < *count ? firsts[k + 1].position : n) - firsts[k].position;
  }
  return status;
}

int golden_runs_of_neighbors(golden_call* call) {
  size_t const n = call->n, bytes = n * upsweep_type_size(call->type);
  void *const values = golden_room(&call->memory, bytes), *const again =
                                                              golden_room(&call->memory, bytes);
  uint64_t *const starts = golden_room(&call->memory, (n + 1) * sizeof *starts),
                  *const lengths = golden_room(&call->memory, n * sizeof *lengths);
  size_t count = 0, others = 0;
  upsweep_status status;
  if (golden_is(call->c, "equal", "bits")) {
    status = runs_by_bits(call, values, lengths, &count);
  } else {
    status = upsweep_runs(call->type, call->x, n, &call->how, values, lengths, n, &count);
    if (status == UPSWEEP_OK)
      status = upsweep_unique(call->type, call->x, n, &call->how, again, n, &others);
    if (status == UPSWEEP_OK &&
        (others != count || memcmp(values, again, count * upsweep_type_size(call->type)) != 0)) {
      strcpy(call->text, "unique and runs differ");
      return 1;
    }
  }
  if (!golden_succeeded(call, status)) return golden_covered(status);
  for (size_t k = 0; k < count; ++k) starts[k + 1] = starts[k] + lengths[k];
  golden_append_moved(call->text, call->type, values, count);
  golden_append_results(call->text, UPSWEEP_U64, starts, count);
  golden_append_results(call->text, UPSWEEP_U64, lengths, count);
  return 1;
}

int golden_rows(golden_call* call) {
  size_t extent[4];
  golden_extents(call->c, extent);
  size_t const size = upsweep_type_size(call->type), rows = extent[0], columns = extent[1];
  int const longer = strcmp(call->c->verb, "pad") == 0;
  size_t const width = golden_number(call->c, longer ? "padded" : "columns");
  size_t const most = width > columns ? width : columns;
  char* const x = golden_room(&call->memory, rows * most * size);
  memcpy(x, call->x, call->n * size);
  upsweep_status const status =
      longer ? upsweep_pad(call->type, x, rows, columns, width, (char*)call->x + call->n * size,
                           &call->how)
             : upsweep_unpad(call->type, x, rows, width, columns, &call->how);
  if (golden_succeeded(call, status)) golden_append_moved(call->text, call->type, x, rows * width);
  return golden_covered(status);
}

/** The three sorts must agree. */
static int sorted(golden_call* call) {
  size_t const n = call->n, bytes = n * upsweep_type_size(call->type);
  void *const out = golden_room(&call->memory, bytes), *const keys =
                                                           golden_room(&call->memory, bytes);
  uint64_t *const order = golden_room(&call->memory, n * sizeof *order),
                  *const positions = golden_room(&call->memory, n * sizeof *positions);
  memcpy(keys, call->x, bytes);
  for (size_t i = 0; i < n; ++i) positions[i] = i;
  upsweep_status status = upsweep_sort(call->type, call->x, n, &call->how, out);
  if (status == UPSWEEP_OK) status = upsweep_argsort(call->type, call->x, n, &call->how, order);
  if (status == UPSWEEP_OK)
    status = upsweep_sort_by_key(call->type, keys, UPSWEEP_U64, positions, n, &call->how);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  if (memcmp(keys, out, bytes) != 0 || memcmp(order, positions, n * sizeof *order) != 0) {
    strcpy(call->text, "sort, argsort, sort_by_key differ");
    return 1;
  }
  golden_append_moved(call->text, call->type, out, n);
  golden_append_results(call->text, UPSWEEP_U64, order, n);
  return 1;
}

int golden_order(golden_call* call) {
  int const top = strcmp(call->c->verb, "top") == 0;
  upsweep_status status;
  if (strcmp(call->c->verb, "quantile") == 0) {
    double const q = golden_decimal(golden_get(call->c, "q"), NULL);
    double result = 0;
    status = upsweep_quantile(call->type, call->x, call->n, &q, 1, &call->how, &result);
    if (golden_succeeded(call, status)) golden_append_results(call->text, UPSWEEP_F64, &result, 1);
    return golden_covered(status);
  }
  // `top` stores the largest first by default.
  if (golden_is(call->c, "order", top ? "up" : "down")) call->how.flags |= UPSWEEP_REVERSE;
  if (!top) return sorted(call);
  size_t const most = golden_number(call->c, "count"), count = most < call->n ? most : call->n;
  void* const out = golden_room(&call->memory, count * upsweep_type_size(call->type));
  status = upsweep_top(call->type, call->x, call->n, most, &call->how, out);
  if (golden_succeeded(call, status)) golden_append_moved(call->text, call->type, out, count);
  return golden_covered(status);
}
