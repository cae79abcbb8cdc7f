/* The golden set on a GPU: the cases that upsweep_cuda.h has, compared with the digests of the
 * set. Exits with 5 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <golden/call.h>
#include <upsweep/upsweep_cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Device memory of which each case takes a part of its own for each array: 100,000 numbers of 8
 * bytes are the most. */
enum { pool_size = 1 << 26 };
static char* pool;
static size_t taken;

static void check_cuda(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  printf("golden_on_gpu: %s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

/* `bytes` bytes with those of `from`, or poisoned. */
static void* on_device(void const* from, size_t bytes) {
  char* const memory = pool + taken;
  taken += (bytes + 511) / 256 * 256;
  if (taken > pool_size) {
    puts("golden_on_gpu: the pool is too small");
    exit(1);
  }
  check_cuda(from != NULL ? cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice)
                          : cudaMemset(memory, 0xa5, bytes),
             "copy");
  check_cuda(cudaDeviceSynchronize(), "copy");
  return memory;
}
static void* elements_on_device(golden_call* call) {
  return on_device(call->x, call->n * upsweep_type_size(call->type));
}
/* What a call has stored. */
static void* from_device(golden_call* call, void const* memory, size_t bytes) {
  void* const copy = golden_room(&call->memory, bytes);
  check_cuda(cudaDeviceSynchronize(), "wait for the results");
  check_cuda(cudaMemcpy(copy, memory, bytes, cudaMemcpyDeviceToHost), "copy results");
  return copy;
}
static upsweep_cuda_options options_of(golden_call const* call) {
  upsweep_cuda_options how = UPSWEEP_CUDA_OPTIONS_INIT;
  how.flags = call->how.flags;
  how.initial = call->how.initial;
  return how;
}

/* Scans store the type of the elements. */
static upsweep_type stored_type(golden_call const* call) {
  return strncmp(call->c->verb, "reduce", 6) == 0 ? call->result : call->type;
}
static int is_stored_in_the_right_type(golden_call const* call) {
  return golden_is(call->c, "out", "element") || stored_type(call) == call->result;
}

static int whole(golden_call* call) {
  if (!golden_has_operator(call) || !is_stored_in_the_right_type(call)) return 0;
  int const reduces = strcmp(call->c->verb, "reduce") == 0;
  size_t const results = reduces ? 1 : call->n;
  size_t const bytes = results * upsweep_type_size(stored_type(call));
  upsweep_cuda_options const how = options_of(call);
  void *const x = elements_on_device(call), *const out = on_device(NULL, bytes);
  upsweep_status const status =
      (reduces ? upsweep_cuda_reduce
       : strcmp(call->c->verb, "inclusive_scan") == 0
           ? upsweep_cuda_inclusive_scan
           : upsweep_cuda_exclusive_scan)(call->type, call->op, x, call->n, &how, out, NULL);
  if (golden_succeeded(call, status))
    golden_append_results(call->text, stored_type(call), from_device(call, out, bytes), results);
  return golden_covered(status);
}

static int segments(golden_call* call) {
  if (!golden_has_operator(call) || !is_stored_in_the_right_type(call)) return 0;
  size_t count;
  uint64_t const* const offsets =
      golden_offsets(&call->memory, call->n, golden_get(call->c, "cut"), &count);
  void* const at = on_device(offsets, (count + 1) * sizeof *offsets);
  int const reduces = strcmp(call->c->verb, "reduce_segments") == 0;
  size_t const results = reduces ? count : call->n;
  size_t const bytes = results * upsweep_type_size(stored_type(call));
  upsweep_cuda_options const how = options_of(call);
  void *const x = elements_on_device(call), *const out = on_device(NULL, bytes);
  upsweep_status const status = (reduces ? upsweep_cuda_reduce_segments
                                 : strcmp(call->c->verb, "inclusive_scan_segments") == 0
                                     ? upsweep_cuda_inclusive_scan_segments
                                     : upsweep_cuda_exclusive_scan_segments)(
      call->type, call->op, x, call->n, at, count, &how, out, NULL);
  if (golden_succeeded(call, status))
    golden_append_results(call->text, stored_type(call), from_device(call, out, bytes), results);
  return golden_covered(status);
}

/* select and select_positions; a partition is two selections. */
static int selections(golden_call* call) {
  size_t const n = call->n, size = upsweep_type_size(call->type);
  int const positions = strcmp(call->c->verb, "select_positions") == 0;
  uint8_t* const flags = golden_flags(call);
  void* const x = elements_on_device(call);
  for (int part = 0; part < 1 + (strcmp(call->c->verb, "partition") == 0); ++part) {
    for (size_t i = 0; part == 1 && i < n; ++i) flags[i] = !flags[i];
    void* const on = on_device(flags, n);
    void* const out = on_device(NULL, n * (positions ? sizeof(uint64_t) : size));
    uint64_t* const counted = on_device(NULL, sizeof *counted);
    upsweep_status const status =
        positions ? upsweep_cuda_select_positions(on, n, NULL, out, n, counted, NULL)
                  : upsweep_cuda_select(call->type, x, on, n, NULL, out, n, counted, NULL);
    if (!golden_succeeded(call, status)) return golden_covered(status);
    size_t const count = *(uint64_t*)from_device(call, counted, sizeof *counted);
    if (positions)
      golden_append_results(call->text, UPSWEEP_U64, from_device(call, out, 8 * n), count);
    else
      golden_append_moved(call->text, call->type, from_device(call, out, n * size), count);
  }
  return 1;
}

/* The three sorts must agree. */
static int sorted(golden_call* call) {
  size_t const n = call->n, bytes = n * upsweep_type_size(call->type);
  upsweep_cuda_options how = UPSWEEP_CUDA_OPTIONS_INIT;
  if (golden_is(call->c, "order", "down")) how.flags |= UPSWEEP_REVERSE;
  uint64_t* const positions = golden_room(&call->memory, n * sizeof *positions);
  for (size_t i = 0; i < n; ++i) positions[i] = i;
  void *const x = elements_on_device(call), *const keys = elements_on_device(call);
  void *const out = on_device(NULL, bytes), *const order = on_device(NULL, 8 * n);
  void* const moved = on_device(positions, 8 * n);
  upsweep_status status = upsweep_cuda_sort(call->type, x, n, &how, out, NULL);
  if (status == UPSWEEP_OK) status = upsweep_cuda_argsort(call->type, x, n, &how, order, NULL);
  if (status == UPSWEEP_OK)
    status = upsweep_cuda_sort_by_key(call->type, keys, UPSWEEP_U64, moved, n, &how, NULL);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  void *const one = from_device(call, out, bytes), *const two = from_device(call, keys, bytes);
  void *const at = from_device(call, order, 8 * n), *const too = from_device(call, moved, 8 * n);
  if (memcmp(one, two, bytes) != 0 || memcmp(at, too, 8 * n) != 0) {
    strcpy(call->text, "sort, argsort, sort_by_key differ");
    return 1;
  }
  golden_append_moved(call->text, call->type, one, n);
  golden_append_results(call->text, UPSWEEP_U64, at, n);
  return 1;
}

static int counts(golden_call* call) {
  golden_bins const b = golden_bins_of(call);
  upsweep_cuda_options const how = options_of(call);
  void* const x = elements_on_device(call);
  uint64_t* const out = on_device(NULL, b.count * sizeof *out);
  upsweep_outside_counts* const outside = on_device(NULL, sizeof *outside);
  upsweep_status const status =
      b.levels != NULL ? upsweep_cuda_histogram_levels(call->type, x, call->n, b.levels, b.count,
                                                       &how, out, outside, NULL)
                       : upsweep_cuda_histogram(call->type, x, call->n, b.low, b.high, b.count,
                                                &how, out, outside, NULL);
  if (!golden_succeeded(call, status)) return golden_covered(status);
  upsweep_outside_counts const* const o = from_device(call, outside, sizeof *outside);
  uint64_t const three[] = {o->below, o->above, o->nan};
  golden_append_results(call->text, UPSWEEP_U64, from_device(call, out, 8 * b.count), b.count);
  golden_append_results(call->text, UPSWEEP_U64, three, 3);
  return 1;
}

static int indices(golden_call* call) {
  size_t const bins = golden_number(call->c, "bins");
  for (size_t i = 0; i < call->n; ++i)
    golden_store(call->x, call->type, i, golden_bits(call->x, call->type, i) % bins);
  uint64_t *const out = on_device(NULL, 8 * bins), *const refused = on_device(NULL, 8);
  upsweep_status const status = upsweep_cuda_count_indices(call->type, elements_on_device(call),
                                                           call->n, NULL, out, bins, refused, NULL);
  if (golden_succeeded(call, status))
    golden_append_results(call->text, UPSWEEP_U64, from_device(call, out, 8 * bins), bins);
  return golden_covered(status);
}

static int compute(golden_call* call) {
  static struct {
    char const* verb;
    int (*compute)(golden_call*);
  } const verbs[] = {{"reduce", whole},
                     {"inclusive_scan", whole},
                     {"exclusive_scan", whole},
                     {"reduce_segments", segments},
                     {"inclusive_scan_segments", segments},
                     {"exclusive_scan_segments", segments},
                     {"select", selections},
                     {"select_positions", selections},
                     {"partition", selections},
                     {"sort", sorted},
                     {"histogram", counts},
                     {"count_indices", indices}};
  taken = 0;
  for (size_t k = 0; k < sizeof verbs / sizeof *verbs; ++k)
    if (strcmp(verbs[k].verb, call->c->verb) == 0) return verbs[k].compute(call);
  return 0;
}

static int compute_on_gpu(golden_case const* c, int threads, char text[golden_text_size]) {
  return golden_compute_by(compute, c, threads, text);
}

static void print_difference(void* context, golden_difference const* d) {
  (void)context;
  printf("case %zu differs: %s\n  computed %s\n", d->number, d->text, d->computed);
}

int main(void) {
  if (upsweep_cuda_available() != UPSWEEP_OK) {
    puts(upsweep_last_error_message());
    return 5;
  }
  check_cuda(cudaMalloc((void**)&pool, pool_size), "allocate device memory");
  golden_options how = {0};
  golden_report report;
  how.compute = compute_on_gpu;
  how.differs = print_difference;
  time_t const begin = time(NULL);
  if (golden_check(&how, &report) != 0) return 3;
  golden_print(&report, "upsweep_cuda.h", difftime(time(NULL), begin));
  check_cuda(cudaFree(pool), "free device memory");
  return report.same ? 0 : 1;
}
