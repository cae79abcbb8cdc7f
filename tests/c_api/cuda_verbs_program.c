/* The verbs of upsweep_cuda.h from C11. `refusals` needs no GPU and must not see one; `results`
 * compares every type with the CPU's results, byte for byte, and exits with 5 where there is
 * no GPU. */
#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>
#include "cuda_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition, char const* what, int type, size_t n) {
  if (condition) return;
  printf("failed: %s (type %d, n = %zu); the last error is: %s\n", what, type, n,
         upsweep_last_error_message());
  ++failures;
}

static int is_float16(int type) {
  return type == UPSWEEP_F16 || type == UPSWEEP_BF16;
}
static int has_histogram(int type) {
  return type == UPSWEEP_U8 || type == UPSWEEP_I32 || type == UPSWEEP_F32 || type == UPSWEEP_F64;
}
static int has_indices(int type) {
  return type == UPSWEEP_I32 || type == UPSWEEP_U32 || type == UPSWEEP_I64;
}
static int has_segments(int type) {
  return type == UPSWEEP_I32 || type == UPSWEEP_I64 || type == UPSWEEP_F32 || type == UPSWEEP_F64;
}

/* ---- without a GPU ---- */

static double memory[8], more_memory[8]; /* never read: there is no GPU */
static uint64_t counts[8], offsets[3];
static uint8_t flags[4];
static upsweep_outside_counts outside;

static void expect_call(upsweep_status status, int supported) {
  if (supported)
    expect(status, UPSWEEP_UNAVAILABLE, "no NVIDIA GPU");
  else
    expect(status, UPSWEEP_UNSUPPORTED, "has no CUDA kernel for");
}

static void refuse_every_type(void) {
  double const levels[] = {0, 1, 2};
  expect_call(upsweep_cuda_select_positions(flags, 4, NULL, counts, 4, counts + 4, NULL), 1);
  for (int t = UPSWEEP_I8; t <= UPSWEEP_F64; ++t) {
    upsweep_type const type = (upsweep_type)t;
    void* const x = memory;
    void* const y = more_memory;
    if (t != UPSWEEP_F16) /* which some compilers of the library lack */
      expect_call(upsweep_cuda_select(type, x, flags, 4, NULL, y, 4, counts, NULL), 1);
    expect_call(upsweep_cuda_unique(type, x, 4, NULL, y, 4, counts, NULL), !is_float16(t));
    expect_call(upsweep_cuda_histogram(type, x, 4, 0, 1, 8, NULL, counts, &outside, NULL),
                has_histogram(t));
    expect_call(upsweep_cuda_histogram_levels(type, x, 4, levels, 2, NULL, counts, &outside, NULL),
                has_histogram(t));
    expect_call(upsweep_cuda_count_indices(type, x, 4, NULL, counts, 4, counts + 4, NULL),
                has_indices(t));
    for (int op = UPSWEEP_SUM; op <= UPSWEEP_PRODUCT; ++op) {
      upsweep_operator const o = (upsweep_operator)op;
      int const supported = has_segments(t) && op == UPSWEEP_SUM;
      expect_call(upsweep_cuda_reduce_segments(type, o, x, 4, offsets, 2, NULL, y, NULL),
                  supported);
      expect_call(upsweep_cuda_inclusive_scan_segments(type, o, x, 4, offsets, 2, NULL, y, NULL),
                  supported);
      expect_call(upsweep_cuda_exclusive_scan_segments(type, o, x, 4, offsets, 2, NULL, y, NULL),
                  supported);
    }
  }
}

static void refuse_wrong_arguments(void) {
  float x[8] = {0}, y[8] = {0};
  double const initial = 1, descending[] = {0, 2, 1};
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  expect(upsweep_cuda_select((upsweep_type)99, x, flags, 4, NULL, y, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "99 is not an upsweep_type");
  expect(upsweep_cuda_select(UPSWEEP_F32, x, flags, 4, NULL, y, 4, NULL, NULL),
         UPSWEEP_INVALID_ARGUMENT, "upsweep_cuda_select: `count` is NULL");
  expect(upsweep_cuda_select(UPSWEEP_F32, x, NULL, 4, NULL, y, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`flags` is NULL, but n is 4");
  expect(upsweep_cuda_select(UPSWEEP_F32, x, flags, 4, NULL, x + 1, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "overlap");
  expect(upsweep_cuda_select_positions(flags, 4, NULL, NULL, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`out` is NULL, but capacity is 4");
  expect(upsweep_cuda_unique(UPSWEEP_F32, (char*)x + 1, 4, NULL, y, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`in` is not aligned");
  expect(upsweep_cuda_histogram(UPSWEEP_F32, x, 4, 0, 1, 4, NULL, counts, NULL, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`outside` is NULL");
  expect(upsweep_cuda_histogram(UPSWEEP_F32, x, 4, 1, 0, 4, NULL, counts, &outside, NULL),
         UPSWEEP_INVALID_ARGUMENT, "the upper end of the bins");
  expect(upsweep_cuda_histogram_levels(UPSWEEP_F32, x, 4, NULL, 2, NULL, counts, &outside, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`levels` is NULL");
  expect(
      upsweep_cuda_histogram_levels(UPSWEEP_F32, x, 4, descending, 2, NULL, counts, &outside, NULL),
      UPSWEEP_INVALID_ARGUMENT, "level 2 of 3 is not above");
  expect(upsweep_cuda_count_indices(UPSWEEP_I32, x, 4, NULL, NULL, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`counts` is NULL, but size is 4");
  expect(upsweep_cuda_reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, NULL, 2, NULL, y, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`offsets` is NULL");
  expect(upsweep_cuda_reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, offsets, 2, NULL, NULL, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`out` is NULL, but segments is 2");
  expect(upsweep_cuda_inclusive_scan_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, offsets, 2, NULL,
                                              x + 1, NULL),
         UPSWEEP_INVALID_ARGUMENT, "overlap");
  options.flags = UPSWEEP_REVERSE;
  expect(upsweep_cuda_exclusive_scan_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, offsets, 2, &options,
                                              y, NULL),
         UPSWEEP_INVALID_ARGUMENT, "flags is 1");
  options.flags = 0;
  options.initial = &initial;
  expect(upsweep_cuda_unique(UPSWEEP_F32, x, 4, &options, y, 4, counts, NULL),
         UPSWEEP_INVALID_ARGUMENT, "takes no initial value");
}

/* ---- on a GPU ---- */

enum { most = 300007, sentinel = 0x5a };
static unsigned char *host_in, *host_flags, *expected, *got;
static unsigned char *device_in, *device_flags, *device_out, *device_counts;
static uint64_t *host_offsets, *device_offsets;

/* Small numbers, of which many are equal to their neighbors. */
static void set_elements(int type, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    uint32_t const random = (uint32_t)(i / 3 * 2654435761u) >> 13;
    int64_t const integer = random % 50;
    double const number = (int)(random % 50) / 3.0;
    float const narrow = (float)number;
    uint16_t const half = (uint16_t)(0x3c00 + random % 50);
    size_t const size = upsweep_type_size((upsweep_type)type);
    void const* const from = type == UPSWEEP_F32   ? (void const*)&narrow
                             : type == UPSWEEP_F64 ? (void const*)&number
                             : is_float16(type)    ? (void const*)&half
                                                   : (void const*)&integer;
    memcpy(host_in + i * size, from, size);
    host_flags[i] = random % 3 != 0;
  }
  (void)cudaMemcpy(device_in, host_in, n * upsweep_type_size((upsweep_type)type),
                   cudaMemcpyHostToDevice);
  (void)cudaMemcpy(device_flags, host_flags, n, cudaMemcpyHostToDevice);
}
static void* poisoned(void) {
  (void)cudaMemset(device_out, sentinel, (most + 1) * sizeof(double));
  (void)cudaMemset(device_counts, sentinel, 3 * sizeof(uint64_t));
  return device_out;
}
/* Whether the call has left the expected bytes and nothing after them, and these counts. */
static void compare(upsweep_status status, char const* what, int type, size_t n, size_t bytes,
                    void const* wanted_counts, size_t count_bytes) {
  unsigned char found[3 * sizeof(uint64_t)];
  check(status == UPSWEEP_OK, what, type, n);
  check(cudaDeviceSynchronize() == cudaSuccess, what, type, n);
  (void)cudaMemcpy(got, device_out, bytes + 1, cudaMemcpyDeviceToHost);
  (void)cudaMemcpy(found, device_counts, sizeof found, cudaMemcpyDeviceToHost);
  check(memcmp(got, expected, bytes) == 0 && got[bytes] == sentinel, what, type, n);
  check(count_bytes == 0 || memcmp(found, wanted_counts, count_bytes) == 0, what, type, n);
}

static void compare_selections(upsweep_type type, size_t n) {
  size_t const size = upsweep_type_size(type);
  size_t count = 0;
  uint64_t taken;
  void* const number = device_counts;
  (void)upsweep_select(type, host_in, host_flags, n, NULL, expected, n, &count);
  taken = count;
  compare(upsweep_cuda_select(type, device_in, device_flags, n, NULL, poisoned(), n, number, NULL),
          "select", type, n, count * size, &taken, sizeof taken);
  (void)poisoned();
  compare(upsweep_cuda_select(type, device_in, device_flags, n, NULL, device_out, count / 2, number,
                              NULL),
          "select with room for half", type, n, count / 2 * size, &taken, sizeof taken);
  if (is_float16(type)) return;
  (void)upsweep_unique(type, host_in, n, NULL, expected, n, &count);
  taken = count;
  compare(upsweep_cuda_unique(type, device_in, n, NULL, poisoned(), n, number, NULL), "unique",
          type, n, count * size, &taken, sizeof taken);
}
static void compare_histograms(upsweep_type type, size_t n) {
  enum { bins = 7 };
  double const levels[bins + 1] = {0, 1, 2, 4, 8, 9, 12, 30};
  upsweep_outside_counts out;
  upsweep_options cpu = UPSWEEP_OPTIONS_INIT;
  upsweep_cuda_options gpu = UPSWEEP_CUDA_OPTIONS_INIT;
  void* const device_outside = device_counts;
  uint64_t* const wanted = (void*)expected;
  gpu.flags = cpu.flags = UPSWEEP_CLOSED_RIGHT;
  (void)upsweep_histogram(type, host_in, n, 1, 15, bins, &cpu, wanted, &out);
  compare(upsweep_cuda_histogram(type, device_in, n, 1, 15, bins, &gpu, poisoned(), device_outside,
                                 NULL),
          "histogram", type, n, bins * sizeof *wanted, &out, sizeof out);
  (void)upsweep_histogram_levels(type, host_in, n, levels, bins, NULL, wanted, &out);
  compare(upsweep_cuda_histogram_levels(type, device_in, n, levels, bins, NULL, poisoned(),
                                        device_outside, NULL),
          "histogram of levels", type, n, bins * sizeof *wanted, &out, sizeof out);
}
static void compare_indices(upsweep_type type, size_t n) {
  uint64_t const none = 0;
  uint64_t* const wanted = (void*)expected;
  void* const refused = device_counts;
  (void)upsweep_count_indices(type, host_in, n, NULL, wanted, 50);
  compare(upsweep_cuda_count_indices(type, device_in, n, NULL, poisoned(), 50, refused, NULL),
          "count_indices", type, n, 50 * sizeof *wanted, &none, sizeof none);
}
static void compare_segments(upsweep_type type, size_t n) {
  size_t const size = upsweep_type_size(type);
  size_t segments = 0;
  upsweep_type result = type;
  upsweep_operator const sum = UPSWEEP_SUM;
  (void)upsweep_result_type(type, sum, &result);
  host_offsets[0] = 0;
  while (host_offsets[segments] < n) {
    uint64_t const end = host_offsets[segments] + segments % 40;
    host_offsets[++segments] = end < n ? end : n;
  }
  (void)cudaMemcpy(device_offsets, host_offsets, (segments + 1) * sizeof *host_offsets,
                   cudaMemcpyHostToDevice);
  (void)upsweep_reduce_segments(type, sum, host_in, n, host_offsets, segments, NULL, expected);
  compare(upsweep_cuda_reduce_segments(type, sum, device_in, n, device_offsets, segments, NULL,
                                       poisoned(), NULL),
          "reduce_segments", type, n, segments * upsweep_type_size(result), NULL, 0);
  (void)upsweep_inclusive_scan_segments(type, sum, host_in, n, host_offsets, segments, NULL,
                                        expected);
  for (size_t i = 0; type == UPSWEEP_I32 && i < n; ++i)
    memmove(expected + 4 * i, expected + 8 * i, 4); /* the CPU stores I64 */
  compare(upsweep_cuda_inclusive_scan_segments(type, sum, device_in, n, device_offsets, segments,
                                               NULL, poisoned(), NULL),
          "inclusive_scan_segments", type, n, n * size, NULL, 0);
  (void)upsweep_exclusive_scan_segments(type, sum, host_in, n, host_offsets, segments, NULL,
                                        expected);
  for (size_t i = 0; type == UPSWEEP_I32 && i < n; ++i)
    memmove(expected + 4 * i, expected + 8 * i, 4);
  compare(upsweep_cuda_exclusive_scan_segments(type, sum, device_in, n, device_offsets, segments,
                                               NULL, poisoned(), NULL),
          "exclusive_scan_segments", type, n, n * size, NULL, 0);
}

static int results(void) {
  static size_t const sizes[] = {0, 1, 33, 4097, most};
  size_t const bytes = (most + 1) * sizeof(double);
  upsweep_status const status = upsweep_cuda_available();
  if (status != UPSWEEP_OK) puts(upsweep_last_error_message());
  if (status == UPSWEEP_UNAVAILABLE) return 5;
  if (!(host_in = malloc(bytes)) || !(host_flags = malloc(bytes)) || !(expected = malloc(bytes)) ||
      !(got = malloc(bytes)) || !(host_offsets = malloc(bytes)) ||
      cudaMalloc((void**)&device_in, bytes) != cudaSuccess ||
      cudaMalloc((void**)&device_flags, bytes) != cudaSuccess ||
      cudaMalloc((void**)&device_out, bytes) != cudaSuccess ||
      cudaMalloc((void**)&device_offsets, bytes) != cudaSuccess ||
      cudaMalloc((void**)&device_counts, 3 * sizeof(uint64_t)) != cudaSuccess) {
    puts("no memory for the test");
    return 1;
  }
  for (int t = UPSWEEP_I8; t <= UPSWEEP_F64; ++t)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      upsweep_type const type = (upsweep_type)t;
      set_elements(t, sizes[s]);
      if (t != UPSWEEP_F16) compare_selections(type, sizes[s]);
      if (has_histogram(t)) compare_histograms(type, sizes[s]);
      if (has_indices(t)) compare_indices(type, sizes[s]);
      if (has_segments(t)) compare_segments(type, sizes[s]);
    }
  upsweep_cuda_release_workspaces();
  return failures != 0;
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "results") == 0) return results();
  if (count == 2 && strcmp(arguments[1], "refusals") == 0) {
    refuse_wrong_arguments();
    refuse_every_type();
    return failures != 0;
  }
  fprintf(stderr, "usage: cuda_verbs_program refusals|results\n");
  return 2;
}
