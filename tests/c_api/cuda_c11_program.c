/* A user's C11 program on a GPU. `refusals` needs no GPU and must not see one; `results` compares
 * every pair with the CPU's results, bit for bit, and exits with 5 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>
#include "cuda_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition, char const* what, int type, int op, size_t n) {
  if (condition) return;
  printf("failed: %s (type %d, operator %d, n = %zu); the last error is: %s\n", what, type, op, n,
         upsweep_last_error_message());
  ++failures;
}

/* The pairs that upsweep_cuda.h lists. */
static int has_kernel(int type, int op) {
  int const wide =
      type == UPSWEEP_I32 || type == UPSWEEP_I64 || type == UPSWEEP_F32 || type == UPSWEEP_F64;
  if (op == UPSWEEP_SUM) return type != UPSWEEP_F16;
  return wide && (op == UPSWEEP_PRODUCT || op == UPSWEEP_MIN || op == UPSWEEP_MAX);
}

/* Those of the sorts. */
static int has_sort(int type) {
  return type == UPSWEEP_I32 || type == UPSWEEP_U32 || type == UPSWEEP_I64 || type == UPSWEEP_U64 ||
         type == UPSWEEP_F32 || type == UPSWEEP_F64;
}

/* ---- without a GPU ---- */

static void refuse_every_pair(void) {
  static double in[4], out[4]; /* never read: there is no GPU */
  for (int type = UPSWEEP_I8; type <= UPSWEEP_F64; ++type)
    for (int op = UPSWEEP_SUM; op <= UPSWEEP_EXACT_SUM; ++op) {
      upsweep_type const t = (upsweep_type)type;
      upsweep_operator const o = (upsweep_operator)op;
      size_t bytes = 0;
      upsweep_status const wanted =
          has_kernel(type, op) ? UPSWEEP_UNAVAILABLE : UPSWEEP_UNSUPPORTED;
      char const* const part =
          has_kernel(type, op) ? "no NVIDIA GPU" : "has no CUDA kernel for UPSWEEP_";
      expect(upsweep_cuda_reduce(t, o, in, 4, NULL, out, NULL), wanted, part);
      expect(upsweep_cuda_reduce(t, o, NULL, 0, NULL, out, NULL), wanted, part);
      expect(upsweep_cuda_inclusive_scan(t, o, in, 4, NULL, out, NULL), wanted, part);
      expect(upsweep_cuda_exclusive_scan(t, o, in, 4, NULL, out, NULL), wanted, part);
      check(upsweep_cuda_last_error_code() != 0 || wanted == UPSWEEP_UNSUPPORTED,
            "CUDA's code is kept", type, op, 4);
      check((upsweep_cuda_workspace_bytes(t, o, 1 << 20, &bytes) == UPSWEEP_OK) ==
                has_kernel(type, op),
            "bytes", type, op, 0);
      check((bytes > 0) == has_kernel(type, op), "a million elements need some workspace", type, op,
            1 << 20);
    }
}

static void refuse_wrong_arguments(void) {
  static float x[8];
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  size_t few = 0, many = 0;
  expect(upsweep_cuda_reduce((upsweep_type)99, UPSWEEP_SUM, x, 4, NULL, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "99 is not an upsweep_type");
  expect(upsweep_cuda_reduce(UPSWEEP_F32, (upsweep_operator)-3, x, 4, NULL, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "-3 is not");
  expect(upsweep_cuda_reduce(UPSWEEP_F16, UPSWEEP_SUM, x, 4, NULL, x, NULL), UPSWEEP_UNSUPPORTED,
         "upsweep_cuda_reduce: the library has no CUDA kernel for UPSWEEP_SUM over UPSWEEP_F16");
  check(upsweep_cuda_last_error_code() == 0, "no CUDA call has failed there", UPSWEEP_F16,
        UPSWEEP_SUM, 4);
  expect(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, NULL, 4, NULL, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`in` is NULL, but n is 4");
  expect(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, NULL, NULL, NULL),
         UPSWEEP_INVALID_ARGUMENT, "`out` is NULL");
  expect(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, (char*)x + 1, 4, NULL, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "not aligned");
  expect(upsweep_cuda_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, x, 4, NULL, x + 1, NULL),
         UPSWEEP_INVALID_ARGUMENT, "overlaps");
  options.flags = 6;
  expect(upsweep_cuda_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, x, 4, &options, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "flags is 6");
  options.flags = 0;
  options.initial = (char*)x + 1;
  expect(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, &options, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "options->initial is not");
  options.size = 4096;
  expect(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, &options, x, NULL),
         UPSWEEP_INVALID_ARGUMENT, "options->size is 4096");
  expect(upsweep_cuda_workspace_bytes(UPSWEEP_F32, UPSWEEP_SUM, 4, NULL), UPSWEEP_INVALID_ARGUMENT,
         "`bytes` is NULL");
  expect(upsweep_cuda_workspace_create(NULL, 0, NULL), UPSWEEP_INVALID_ARGUMENT,
         "`workspace` is NULL");

  check(upsweep_cuda_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, NULL, 0, NULL, NULL, NULL) ==
            UPSWEEP_OK,
        "nothing to scan", 11, 1, 0);
  check(upsweep_cuda_workspace_bytes(UPSWEEP_F64, UPSWEEP_SUM, 1 << 16, &few) == UPSWEEP_OK,
        "bytes", 12, 1, 1 << 16);
  check(upsweep_cuda_workspace_bytes(UPSWEEP_F64, UPSWEEP_SUM, 1 << 26, &many) == UPSWEEP_OK,
        "bytes", 12, 1, 1 << 26);
  check(few < many && many < ((size_t)1 << 26) / 16, "bytes grow with n and are few beside it", 12,
        1, 1 << 26);
}

static void refuse_sorts(void) {
  static double in[4], out[4];
  static uint64_t order[4];
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  for (int type = UPSWEEP_I8; type <= UPSWEEP_F64; ++type) {
    upsweep_type const t = (upsweep_type)type;
    upsweep_status const wanted = has_sort(type) ? UPSWEEP_UNAVAILABLE : UPSWEEP_UNSUPPORTED;
    char const* const part =
        has_sort(type) ? "no NVIDIA GPU" : "has no CUDA kernel for elements of UPSWEEP_";
    expect(upsweep_cuda_sort(t, out, 4, NULL, out, NULL), wanted, part);
    expect(upsweep_cuda_argsort(t, in, 4, NULL, order, NULL), wanted, part);
    expect(upsweep_cuda_sort_by_key(t, in, UPSWEEP_F32, out, 4, NULL, NULL), wanted, part);
  }
  expect(upsweep_cuda_sort(UPSWEEP_F64, in, 3, NULL, in + 1, NULL), UPSWEEP_INVALID_ARGUMENT,
         "overlap");
  expect(upsweep_cuda_sort(UPSWEEP_F64, NULL, 3, NULL, in, NULL), UPSWEEP_INVALID_ARGUMENT,
         "`in` is NULL");
  expect(upsweep_cuda_sort_by_key(UPSWEEP_F64, in, UPSWEEP_I16, out, 3, NULL, NULL),
         UPSWEEP_UNSUPPORTED, "unlike UPSWEEP_I16");
  options.flags = UPSWEEP_CUDA_ANY_BLOCK_ORDER;
  expect(upsweep_cuda_sort(UPSWEEP_F64, in, 3, &options, in, NULL), UPSWEEP_INVALID_ARGUMENT,
         "flag is UPSWEEP_REVERSE");
  check(upsweep_cuda_sort(UPSWEEP_F64, NULL, 0, NULL, NULL, NULL) == UPSWEEP_OK, "nothing to sort",
        UPSWEEP_F64, 0, 0);
}

static int refusals(void) {
  upsweep_cuda_workspace* workspace = NULL;
  upsweep_cuda_plan plan = UPSWEEP_CUDA_PLAN_INIT;
  static _Alignas(16) char memory[64];
  refuse_wrong_arguments();
  expect(upsweep_cuda_available(), UPSWEEP_UNAVAILABLE, "no NVIDIA GPU");
  check(upsweep_cuda_last_error_code() != 0, "CUDA's code is kept", 0, 0, 0);
  refuse_every_pair();
  refuse_sorts();
  expect(upsweep_cuda_plan_reduce(UPSWEEP_F32, UPSWEEP_SUM, 9, NULL, &plan), UPSWEEP_UNAVAILABLE,
         "no NVIDIA GPU");
  expect(upsweep_cuda_plan_scan(UPSWEEP_F32, UPSWEEP_SUM, 9, NULL, &plan), UPSWEEP_UNAVAILABLE,
         "no NVIDIA GPU");
  check(plan.launches == 0 && plan.sentence[0] == 0, "the plan is left alone", 0, 0, 9);
  expect(upsweep_cuda_workspace_create(NULL, 4096, &workspace), UPSWEEP_UNAVAILABLE,
         "no NVIDIA GPU");
  expect(upsweep_cuda_workspace_create_in(NULL, memory, sizeof memory, &workspace),
         UPSWEEP_UNAVAILABLE, "no NVIDIA GPU");
  check(workspace == NULL && upsweep_cuda_workspace_size(workspace) == 0, "there is no workspace",
        0, 0, 0);
  check(upsweep_cuda_workspace_create(NULL, 0, &workspace) == UPSWEEP_OK,
        "an empty one needs no GPU", 0, 0, 0);
  check(upsweep_cuda_workspace_size(workspace) == 0, "it is empty", 0, 0, 0);
  upsweep_cuda_workspace_destroy(workspace);
  upsweep_cuda_workspace_destroy(NULL);
  expect(upsweep_cuda_release_workspace(NULL), UPSWEEP_UNAVAILABLE, "no NVIDIA GPU");
  upsweep_cuda_release_workspaces();
  return failures != 0;
}

/* ---- on a GPU ---- */

enum { most = 3000001, sentinel = 0x5a };
static void *x, *expected; /* on the host: elements, and the CPU's results */
static unsigned char* got; /* on the host: what the GPU left, and a sentinel after it */
static void *device_in, *device_out;

/* Thirds to add, and pairs of f and 1/f to multiply: neither overflow, and both have other bits in
 * another order. */
static double float_element(size_t i, int op) {
  uint32_t const random = (uint32_t)((op == UPSWEEP_PRODUCT ? i / 2 : i) * 2654435761u) >> 8;
  double const factor = (random & 64 ? -1 : 1) * (1 + random % 64 / 64.0);
  if (op == UPSWEEP_PRODUCT) return i % 2 ? 1 / factor : factor;
  return ((int)(random % 101) - 50) / 3.0;
}

static void set_element(upsweep_type type, size_t i, int op) {
  int64_t const integer = (int64_t)((uint32_t)(i * 2654435761u) >> 8 | 1) - (1 << 23);
  double const number = float_element(i, op);
  float const narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  uint16_t const upper = (uint16_t)(bits >> 16);
  size_t const size = upsweep_type_size(type);
  char* const place = (char*)x + i * size;
  if (type == UPSWEEP_F32)
    memcpy(place, &narrow, size);
  else if (type == UPSWEEP_F64)
    memcpy(place, &number, size);
  else if (type == UPSWEEP_BF16)
    memcpy(place, &upper, size);
  else
    memcpy(place, &integer, size); /* the low bytes */
}

/* The CPU's results of the result type, made elements of `type`: their low bytes, or a float
 * rounded to nearest even. */
static void narrow_results(upsweep_type type, upsweep_type result, size_t n) {
  size_t const size = upsweep_type_size(type), result_size = upsweep_type_size(result);
  if (size == result_size) return;
  for (size_t i = 0; i < n; ++i) {
    char const* const from = (char*)expected + i * result_size;
    if (type == UPSWEEP_BF16) {
      uint32_t bits;
      memcpy(&bits, from, sizeof bits);
      uint16_t const rounded = (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
      memcpy((char*)expected + i * size, &rounded, size);
    } else {
      memmove((char*)expected + i * size, from, size);
    }
  }
}

/* Whether the stream has left `bytes` bytes as expected at device_out and nothing after them. */
static int matches(size_t bytes) {
  if (cudaMemcpy(got, device_out, bytes + 1, cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
  return memcmp(got, expected, bytes) == 0 && got[bytes] == sentinel;
}
static void* poisoned(size_t bytes) {
  (void)cudaMemset(device_out, sentinel, bytes + 1);
  return device_out;
}

typedef upsweep_status on_cpu(upsweep_type, upsweep_operator, void const*, size_t,
                              upsweep_options const*, void*);
typedef upsweep_status on_gpu(upsweep_type, upsweep_operator, void const*, size_t,
                              upsweep_cuda_options const*, void*, struct CUstream_st*);

/* One pair at one size, with the initial value x[0] as the result type has it, from either end. */
static void compare(upsweep_type type, upsweep_operator op, size_t n, int reverse,
                    upsweep_cuda_workspace* workspace, cudaStream_t stream) {
  upsweep_type result = type;
  (void)upsweep_result_type(type, op, &result);
  size_t const size = upsweep_type_size(type), result_size = upsweep_type_size(result);
  char initial[8];
  (void)upsweep_reduce(type, op, x, 1, NULL, initial);
  upsweep_options cpu = UPSWEEP_OPTIONS_INIT;
  upsweep_cuda_options gpu = UPSWEEP_CUDA_OPTIONS_INIT;
  gpu.flags = cpu.flags = reverse ? UPSWEEP_REVERSE : 0;
  gpu.initial = cpu.initial = reverse ? initial : NULL;
  gpu.workspace = workspace;
  (void)cudaMemcpy(device_in, x, n * size, cudaMemcpyHostToDevice);

  check(upsweep_reduce(type, op, x, n, &cpu, expected) == UPSWEEP_OK, "the processor reduces", type,
        op, n);
  check(upsweep_cuda_reduce(type, op, device_in, n, &gpu, poisoned(result_size), stream) ==
            UPSWEEP_OK,
        "reduce", type, op, n);
  check(cudaStreamSynchronize(stream) == cudaSuccess && matches(result_size),
        "the bits of the reduction", type, op, n);

  on_cpu* const cpu_scans[] = {upsweep_inclusive_scan, upsweep_exclusive_scan};
  on_gpu* const gpu_scans[] = {upsweep_cuda_inclusive_scan, upsweep_cuda_exclusive_scan};
  for (int exclusive = 0; exclusive < 2; ++exclusive) {
    check(cpu_scans[exclusive](type, op, x, n, &cpu, expected) == UPSWEEP_OK, "the processor scans",
          type, op, n);
    narrow_results(type, result, n);
    check(gpu_scans[exclusive](type, op, device_in, n, &gpu, poisoned(n * size), stream) ==
              UPSWEEP_OK,
          "scan", type, op, n);
    check(cudaStreamSynchronize(stream) == cudaSuccess && matches(n * size), "the bits of the scan",
          type, op, n);
  }
  (void)poisoned(n * size);
  (void)cudaMemcpy(device_out, x, n * size, cudaMemcpyHostToDevice);
  check(gpu_scans[1](type, op, device_out, n, &gpu, device_out, stream) == UPSWEEP_OK,
        "scan in place", type, op, n);
  check(cudaStreamSynchronize(stream) == cudaSuccess && matches(n * size),
        "the bits of the scan in place", type, op, n);
}

/* The three sorts of n elements of x. */
static void compare_sorts(upsweep_type type, size_t n, int reverse, cudaStream_t stream) {
  upsweep_options cpu = UPSWEEP_OPTIONS_INIT;
  upsweep_cuda_options gpu = UPSWEEP_CUDA_OPTIONS_INIT;
  gpu.flags = cpu.flags = reverse ? UPSWEEP_REVERSE : 0;
  size_t const size = upsweep_type_size(type);
  (void)cudaMemcpy(device_in, x, n * size, cudaMemcpyHostToDevice);
  check(upsweep_argsort(type, x, n, &cpu, expected) == UPSWEEP_OK, "the processor's positions",
        type, 0, n);
  check(upsweep_cuda_argsort(type, device_in, n, &gpu, poisoned(n * 8), stream) == UPSWEEP_OK,
        "argsort", type, 0, n);
  check(cudaStreamSynchronize(stream) == cudaSuccess && matches(n * 8), "the positions", type, 0,
        n);
  check(upsweep_sort(type, x, n, &cpu, expected) == UPSWEEP_OK, "the processor sorts", type, 0, n);
  check(upsweep_cuda_sort(type, device_in, n, &gpu, poisoned(n * size), stream) == UPSWEEP_OK,
        "sort", type, 0, n);
  check(cudaStreamSynchronize(stream) == cudaSuccess && matches(n * size), "the sorted elements",
        type, 0, n);
  (void)poisoned(n * size);
  (void)cudaMemcpy(device_out, x, n * size, cudaMemcpyHostToDevice);
  check(upsweep_cuda_sort_by_key(type, device_in, type, device_out, n, &gpu, stream) == UPSWEEP_OK,
        "sort_by_key", type, 0, n);
  check(cudaStreamSynchronize(stream) == cudaSuccess && matches(n * size), "values that are keys",
        type, 0, n);
}

static void plans_and_workspaces(cudaStream_t stream) {
  upsweep_cuda_plan plan = UPSWEEP_CUDA_PLAN_INIT;
  upsweep_cuda_workspace* workspace = NULL;
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  size_t bytes = 0;
  check(upsweep_cuda_plan_scan(UPSWEEP_F32, UPSWEEP_SUM, most, NULL, &plan) == UPSWEEP_OK, "a plan",
        11, 1, most);
  check(plan.launches == 1 && plan.traffic_bytes == 8 * (size_t)most,
        "one launch that reads and writes once", 11, 1, most);
  check(strncmp(plan.sentence, "scan_", 5) == 0, plan.sentence, 11, 1, most);
  check(upsweep_cuda_workspace_bytes(UPSWEEP_F32, UPSWEEP_SUM, most, &bytes) == UPSWEEP_OK,
        "its bytes", 11, 1, most);
  check(plan.workspace_bytes <= bytes, "which are enough for any call", 11, 1, most);

  (void)cudaMemset(device_in, 0, most * sizeof(float));
  check(upsweep_cuda_workspace_create_in(stream, device_out, 16, &workspace) == UPSWEEP_OK,
        "a small workspace", 0, 0, 16);
  options.workspace = workspace;
  expect(upsweep_cuda_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, device_in, most, &options, device_in,
                                     stream),
         UPSWEEP_INVALID_ARGUMENT, "but the workspace has 16");
  upsweep_cuda_workspace_destroy(workspace);
  check(upsweep_cuda_workspace_create_in(stream, device_out, bytes, &workspace) == UPSWEEP_OK,
        "a workspace of the caller", 0, 0, bytes);
  options.workspace = workspace;
  check(upsweep_cuda_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, device_in, most, &options, device_in,
                                    stream) == UPSWEEP_OK,
        "a scan in it", 11, 1, most);
  check(cudaStreamSynchronize(stream) == cudaSuccess, "which works", 11, 1, most);
  upsweep_cuda_workspace_destroy(workspace);
}

static int results(void) {
  static size_t const sizes[] = {1, 33, 4097, 100003, most};
  cudaStream_t stream = NULL;
  upsweep_cuda_workspace* workspace = NULL;
  size_t const bytes = (most + 1) * sizeof(double);
  upsweep_status const status = upsweep_cuda_available();
  if (status != UPSWEEP_OK) puts(upsweep_last_error_message());
  if (status == UPSWEEP_UNAVAILABLE) return 5;
  x = malloc(bytes);
  expected = malloc(bytes);
  got = malloc(bytes);
  if (!x || !expected || !got || cudaMalloc(&device_in, bytes) != cudaSuccess ||
      cudaMalloc(&device_out, bytes) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess ||
      upsweep_cuda_workspace_create(stream, 0, &workspace) != UPSWEEP_OK) {
    puts("no memory or no stream for the test");
    return 1;
  }
  for (int type = UPSWEEP_I8; type <= UPSWEEP_F64; ++type)
    for (int op = UPSWEEP_SUM; op <= UPSWEEP_EXACT_SUM; ++op) {
      if (!has_kernel(type, op)) continue;
      for (size_t i = 0; i < most; ++i) set_element((upsweep_type)type, i, op);
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int reverse = 0; reverse < 2; ++reverse)
          compare((upsweep_type)type, (upsweep_operator)op, sizes[s], reverse,
                  s % 2 ? workspace : NULL, stream);
    }
  for (int type = UPSWEEP_I8; type <= UPSWEEP_F64; ++type) {
    if (!has_sort(type)) continue;
    for (size_t i = 0; i < most; ++i) set_element((upsweep_type)type, i, UPSWEEP_SUM);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (int reverse = 0; reverse < 2; ++reverse)
        compare_sorts((upsweep_type)type, sizes[s], reverse, stream);
  }
  plans_and_workspaces(stream);
  double const initial = 42;
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  options.initial = &initial;
  memcpy(expected, &initial, sizeof initial);
  check(upsweep_cuda_reduce(UPSWEEP_F64, UPSWEEP_MAX, NULL, 0, &options, poisoned(8), stream) ==
                UPSWEEP_OK &&
            matches(8),
        "nothing", UPSWEEP_F64, UPSWEEP_MAX, 0);
  upsweep_cuda_workspace_destroy(workspace);
  upsweep_cuda_release_workspaces();
  return failures != 0;
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "refusals") == 0) return refusals();
  if (count == 2 && strcmp(arguments[1], "results") == 0) return results();
  fprintf(stderr, "usage: cuda_c11_program refusals|results\n");
  return 2;
}
