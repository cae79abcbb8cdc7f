/* c_api/ranks.h with arrays in device memory, by a C11 program of one process. `results` compares
 * every function with the host's, bit for bit, and exits with 5 where there is no GPU; `refusals`
 * needs no GPU: there all memory is the host's. */
#include <cuda_runtime_api.h>
#include <upsweep/c_api/ranks.h>
#include <upsweep/upsweep_cuda.h>
#include "cuda_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static upsweep_ranks host, device;

static void check(int right, char const* what, upsweep_type type, size_t n, int form) {
  ++checks;
  if (right) return;
  if (++failures < 30)
    printf("failed: %s (type %d, n = %zu, form %d); the last error is: %s\n", what, (int)type, n,
           form, upsweep_last_error_message());
}

static uint64_t seed = 65;
static uint64_t next(void) {
  seed = seed * 6364136223846793005U + 1442695040888963407U;
  uint64_t const x = (seed >> 32 ^ seed) * 0x9e3779b97f4a7c15U;
  return x ^ x >> 29;
}
/* Of the exponents -most to most, and what is special. */
static double random_real(int most, int special) {
  double const values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, 1e300, -1e300};
  uint64_t const bits = next();
  if (special && bits % 64 == 0) return values[bits / 64 % 8];
  return ldexp((double)(int64_t)next(), (int)(bits % (2U * (unsigned)most + 1)) - most - 63);
}
static void fill(upsweep_type type, void* to, size_t n, int most, int special) {
  for (size_t i = 0; i < n; ++i) switch (type) {
      case UPSWEEP_F64:
        ((double*)to)[i] = random_real(most, special);
        break;
      case UPSWEEP_F32:
        ((float*)to)[i] = (float)random_real(most > 140 ? 140 : most, special);
        break;
      case UPSWEEP_I64:
        ((int64_t*)to)[i] = (int64_t)(next() % 5 ? next() >> 30 : next());
        break;
      default:
        ((int32_t*)to)[i] = (int32_t)next();
    }
}

/* An array on the host with its copy on the device. */
typedef struct both {
  char *here, *there;
} both;
static both new_array(size_t bytes) {
  both x = {calloc(bytes + 1, 1), NULL};
  if (!x.here || cudaMalloc((void**)&x.there, bytes + 1) != cudaSuccess) {
    puts("there is no memory");
    exit(1);
  }
  return x;
}
static void copy(both x, size_t bytes) {
  if (cudaMemcpy(x.there, x.here, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
    puts("cudaMemcpy failed");
    exit(1);
  }
}
static void free_array(both x) {
  free(x.here);
  cudaFree(x.there);
}
static upsweep_array moved(upsweep_array a, both x) {
  if (a.data) a.data = x.there + ((char const*)a.data - x.here);
  return a;
}

/* The results of one call on the host and on the device. */
typedef struct outcome {
  upsweep_status status;
  unsigned char out[8];
  upsweep_element_counts counts;
  int64_t position;
} outcome;
static outcome call(int function, upsweep_ranks const* ranks, upsweep_field const* f,
                    upsweep_array const* index) {
  outcome r;
  memset(&r, 0, sizeof r);
  if (function == 0) r.status = upsweep_global_sum(ranks, f, &r.counts, r.out);
  if (function == 1) r.status = upsweep_global_mean(ranks, f, &r.counts, r.out);
  if (function == 2) r.status = upsweep_global_variance(ranks, f, 1, &r.counts, r.out);
  if (function == 3) r.status = upsweep_global_min(ranks, f, index, &r.position, &r.counts, r.out);
  if (function == 4) r.status = upsweep_global_max(ranks, f, index, &r.position, &r.counts, r.out);
  if (function == 5) r.status = upsweep_global_sums(ranks, f, 1, UPSWEEP_F32, &r.counts, r.out);
  return r;
}

/* n elements from number `first` on, with every `step`-th in the array, in all forms. */
static void compare(upsweep_type type, size_t n, size_t first, size_t step, int most, int special) {
  static char const* const names[] = {"sum", "mean", "variance", "min", "max", "sums"};
  size_t const all = first + n * step, size = upsweep_type_size(type);
  int const is_real = type == UPSWEEP_F64 || type == UPSWEEP_F32;
  both const x = new_array(all * size), y = new_array(all * size), m = new_array(all),
             i = new_array(all * 8);
  fill(type, x.here, all, most, special);
  fill(type, y.here, all, most, special);
  for (size_t k = 0; k < all; ++k) {
    m.here[k] = next() % 3 != 0;
    ((int64_t*)(void*)i.here)[k] = (int64_t)(next() % 100);
  }
  copy(x, all * size);
  copy(y, all * size);
  copy(m, all);
  copy(i, all * 8);
  for (int form = 0; form < 8; ++form) {
    upsweep_field here, there;
    memset(&here, 0, sizeof here);
    here.values = upsweep_array_slice(upsweep_array_of(type, x.here, all), 0, first, all, step);
    if (form & 1)
      here.mask =
          upsweep_array_slice(upsweep_array_of(UPSWEEP_I8, m.here, all), 0, first, all, step);
    if (form & 2)
      here.weights = upsweep_array_slice(upsweep_array_of(type, y.here, all), 0, first, all, step);
    upsweep_array const index =
        upsweep_array_slice(upsweep_array_of(UPSWEEP_I64, i.here, all), 0, first, all, step);
    upsweep_array const index_there = moved(index, i);
    there.values = moved(here.values, x);
    there.mask = moved(here.mask, m);
    there.weights = moved(here.weights, y);
    for (int function = 0; function < 6; ++function) {
      if ((form & 2) && function > 0 && function < 5) continue;
      if ((form & 4) && function != 3 && function != 4) continue;
      if (!is_real && (function == 1 || function == 2)) continue;
      outcome const a = call(function, &host, &here, form & 4 ? &index : NULL);
      outcome const b = call(function, &device, &there, form & 4 ? &index_there : NULL);
      check(memcmp(&a, &b, sizeof a) == 0, names[function], type, n, form);
    }
  }
  free_array(x);
  free_array(y);
  free_array(m);
  free_array(i);
}

/* Three dimensions without their halo, and reversed. */
static void compare_sections(void) {
  size_t const shape[] = {9, 33, 70};
  both const x = new_array(9 * 33 * 70 * 8);
  fill(UPSWEEP_F64, x.here, 9 * 33 * 70, 900, 0);
  copy(x, 9 * 33 * 70 * 8);
  upsweep_field f;
  memset(&f, 0, sizeof f);
  f.values = upsweep_array_of_shape(UPSWEEP_F64, x.here, 3, shape);
  for (int dim = 0; dim < 3; ++dim)
    f.values = upsweep_array_slice(f.values, dim, 1, shape[dim] - 1, 1);
  f.values.data = (char const*)f.values.data + 67 * f.values.strides[2];
  f.values.strides[2] = -f.values.strides[2];
  for (int function = 0; function < 5; ++function) {
    upsweep_field there = f;
    there.values = moved(f.values, x);
    outcome const a = call(function, &host, &f, NULL), b = call(function, &device, &there, NULL);
    check(memcmp(&a, &b, sizeof a) == 0, "a section of three dimensions", UPSWEEP_F64, 0, function);
  }
  free_array(x);
}

/* Many fields in one call, of which some are empty, on the host, or in managed memory. */
static void compare_many_fields(void) {
  enum { many = 100, n = 4000 };
  both const x = new_array(n * 8);
  fill(UPSWEEP_F64, x.here, n, 300, 0);
  copy(x, n * 8);
  void* managed = NULL;
  if (cudaMallocManaged(&managed, n * 8, cudaMemAttachGlobal) != cudaSuccess) exit(1);
  memcpy(managed, x.here, n * 8);
  upsweep_field here[many], there[many];
  double sums[2][many];
  upsweep_element_counts counts[2][many];
  memset(here, 0, sizeof here);
  for (int k = 0; k < many; ++k) {
    here[k].values = upsweep_array_of(UPSWEEP_F64, x.here + 8 * k, (size_t)(k % 7 * 500));
    there[k] = here[k];
    if (k % 3 == 0) there[k].values = moved(here[k].values, x);
    if (k % 3 == 1) there[k].values.data = (char*)managed + 8 * k;
  }
  check(upsweep_global_sums(&host, here, many, UPSWEEP_F64, counts[0], sums[0]) == UPSWEEP_OK &&
            upsweep_global_sums(&device, there, many, UPSWEEP_F64, counts[1], sums[1]) ==
                UPSWEEP_OK &&
            memcmp(sums[0], sums[1], sizeof sums[0]) == 0 &&
            memcmp(counts[0], counts[1], sizeof counts[0]) == 0,
        "many fields", UPSWEEP_F64, n, 0);
  cudaFree(managed);
  free_array(x);
}

static void refuse_on_a_gpu(void) {
  both const x = new_array(800), m = new_array(100);
  upsweep_field f;
  double out = -1;
  memset(&f, 0, sizeof f);
  f.values = upsweep_array_of(UPSWEEP_F64, x.there, 100);
  expect(upsweep_global_sum(&host, &f, NULL, &out), UPSWEEP_INVALID_ARGUMENT,
         "set ranks->device to upsweep_cuda_device()");
  expect(upsweep_global_sum(NULL, &f, NULL, &out), UPSWEEP_INVALID_ARGUMENT, "UPSWEEP_CUDA=ON");
  f.mask = upsweep_array_of(UPSWEEP_I8, m.here, 100);
  expect(upsweep_global_sum(&device, &f, NULL, &out), UPSWEEP_INVALID_ARGUMENT,
         "in the memory of the GPU and `mask` in that of the host");
  f.values = upsweep_array_of(UPSWEEP_F64, x.here, 100);
  f.mask = upsweep_array_of(UPSWEEP_I8, m.there, 100);
  expect(upsweep_global_sum(&device, &f, NULL, &out), UPSWEEP_INVALID_ARGUMENT,
         "in the memory of the host and `mask` in that of the GPU");
  f.values = upsweep_array_of(UPSWEEP_F64, x.there, 100);
  expect(upsweep_global_running_sum(&device, &f.values, 0, 0, &f.values), UPSWEEP_INVALID_ARGUMENT,
         "where this function does not run");
  check(out == -1, "outputs keep their values", UPSWEEP_F64, 100, 0);
  free_array(x);
  free_array(m);
}

static void compare_all(void) {
  upsweep_type const types[] = {UPSWEEP_F64, UPSWEEP_F32, UPSWEEP_I64, UPSWEEP_I32};
  size_t const sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 4095, 4097, 100003};
  for (int t = 0; t < 4; ++t) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
      for (size_t first = 0; first < 3; ++first) {
        compare(types[t], sizes[k], first, 1, 40, 0);
        compare(types[t], sizes[k], first, 3, 1000, first == 1);
      }
    compare(types[t], 1000003, 0, 1, 1020, 0);
    compare(types[t], 1000003, 1, 1, 1020, 1);
    compare(types[t], 1000003, 1, 2, 300, 0);
  }
  compare_sections();
  compare_many_fields();
  refuse_on_a_gpu();
}

/* Milliseconds of the best of 20 calls of 2^26 doubles: not a test, but good to know. */
static void show_speed(void) {
  size_t const n = (size_t)1 << 26;
  both const x = new_array(n * 8);
  upsweep_field f;
  double out;
  char const* const names[] = {"sum", "sum of every second element", "dot product"};
  for (size_t i = 0; i < n; ++i) ((double*)(void*)x.here)[i] = (double)(i % 1000) * 0.37 - 100;
  copy(x, n * 8);
  for (int k = 0; k < 3; ++k) {
    float best = 1e30F;
    memset(&f, 0, sizeof f);
    f.values = upsweep_array_of(UPSWEEP_F64, x.there, n);
    if (k == 1) f.values = upsweep_array_slice(f.values, 0, 0, n, 2);
    if (k == 2) f.weights = f.values;
    for (int run = 0; run < 20; ++run) {
      float ms = 0;
      cudaEvent_t begin, end;
      cudaEventCreate(&begin);
      cudaEventCreate(&end);
      cudaEventRecord(begin, NULL);
      check(upsweep_global_sum(&device, &f, NULL, &out) == UPSWEEP_OK, "speed", UPSWEEP_F64, n, k);
      cudaEventRecord(end, NULL);
      cudaEventSynchronize(end);
      cudaEventElapsedTime(&ms, begin, end);
      cudaEventDestroy(begin);
      cudaEventDestroy(end);
      if (ms < best) best = ms;
    }
    printf("%s of 2^26 doubles: %.3f ms\n", names[k], (double)best);
  }
  free_array(x);
}

int main(int count, char** arguments) {
  upsweep_field f;
  double const x[] = {1, 1e100, -1e100};
  double out = 0;
  int gpus = 0;
  host = device = upsweep_one_rank();
  device.device = upsweep_cuda_device();
  /* The host's memory needs no GPU, with or without one. */
  memset(&f, 0, sizeof f);
  f.values = upsweep_array_of(UPSWEEP_F64, x, 3);
  check(upsweep_global_sum(&device, &f, NULL, &out) == UPSWEEP_OK && out == 1, "host memory",
        UPSWEEP_F64, 3, 0);
  if (count > 1 && strcmp(arguments[1], "results") == 0) {
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
      puts("there is no GPU");
      return 5;
    }
    compare_all();
    show_speed();
  }
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
