/* Each function of upsweep_cuda.h in a few lines, with what it prints: the examples of the C
 * reference for a GPU. Exit status 5: there is no GPU. */
#include <cuda_runtime_api.h>
#include <upsweep/c_api/ranks.h>
#include <upsweep/upsweep_cuda.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Stops the program with the message of a call that failed. */
static void ok(upsweep_status status) {
  if (status == UPSWEEP_OK) return;
  puts(upsweep_last_error_message());
  exit(1);
}
/* Device memory with a copy of an array, or with zeros for NULL. */
static void* on_device(void const* array, size_t bytes) {
  void* memory;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) exit(1);
  if (array) cudaMemcpy(memory, array, bytes, cudaMemcpyHostToDevice);
  if (!array) cudaMemset(memory, 0, bytes);
  return memory;
}
/* Prints n numbers in device memory on one line, after the work of the default stream. */
static void print(upsweep_type type, void const* memory, size_t n) {
  int64_t numbers[16];
  cudaMemcpy(numbers, memory, n * upsweep_type_size(type), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) printf(" ");
    if (type == UPSWEEP_I32) printf("%" PRId32, ((int32_t*)numbers)[i]);
    if (type == UPSWEEP_I64) printf("%" PRId64, numbers[i]);
    if (type == UPSWEEP_U64) printf("%" PRIu64, ((uint64_t*)numbers)[i]);
    if (type == UPSWEEP_F32) printf("%g", (double)((float*)numbers)[i]);
  }
  printf("\n");
}

static int32_t const numbers[] = {3, 1, 4, 1, 5};
static uint8_t const chosen[] = {1, 0, 1, 0, 1};
static uint64_t const borders[] = {0, 2, 5};

static void available(void) {
  if (upsweep_cuda_available() == UPSWEEP_OK) printf("calls can run on the current device\n");
}
static void reduce(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  int64_t* const sum = on_device(NULL, sizeof(int64_t));
  ok(upsweep_cuda_reduce(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, sum, NULL));
  print(UPSWEEP_I64, sum, 1);
  cudaFree(x), cudaFree(sum);
}
static void scans(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  int32_t* const y = on_device(NULL, sizeof numbers);
  ok(upsweep_cuda_inclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, y, NULL));
  print(UPSWEEP_I32, y, 5);
  ok(upsweep_cuda_exclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, y, NULL));
  print(UPSWEEP_I32, y, 5);
  cudaFree(x), cudaFree(y);
}
static void options(void) {
  int64_t const start = 100; /* in the host's memory */
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  options.initial = &start;
  options.flags = UPSWEEP_REVERSE | UPSWEEP_CUDA_ANY_BLOCK_ORDER; /* an upsweep_cuda_flags */
  int32_t* const x = on_device(numbers, sizeof numbers);
  ok(upsweep_cuda_inclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, &options, x, NULL));
  print(UPSWEEP_I32, x, 5);
  cudaFree(x);
}
static void sorts(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  int32_t* const y = on_device(NULL, sizeof numbers);
  uint64_t* const order = on_device(NULL, 5 * sizeof(uint64_t));
  ok(upsweep_cuda_argsort(UPSWEEP_I32, x, 5, NULL, order, NULL));
  print(UPSWEEP_U64, order, 5);
  ok(upsweep_cuda_sort(UPSWEEP_I32, x, 5, NULL, y, NULL));
  print(UPSWEEP_I32, y, 5);
  ok(upsweep_cuda_sort_by_key(UPSWEEP_I32, x, UPSWEEP_U64, order, 5, NULL, NULL)); /* in place */
  print(UPSWEEP_U64, order, 5);
  cudaFree(x), cudaFree(y), cudaFree(order);
}
static void selections(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  uint8_t* const flags = on_device(chosen, sizeof chosen);
  int32_t* const y = on_device(NULL, sizeof numbers);
  uint64_t* const at = on_device(NULL, 5 * sizeof(uint64_t));
  uint64_t* const count = on_device(NULL, sizeof(uint64_t));
  ok(upsweep_cuda_select(UPSWEEP_I32, x, flags, 5, NULL, y, 5, count, NULL));
  print(UPSWEEP_U64, count, 1);
  print(UPSWEEP_I32, y, 3);
  ok(upsweep_cuda_select_positions(flags, 5, NULL, at, 5, count, NULL));
  print(UPSWEEP_U64, at, 3);
  ok(upsweep_cuda_unique(UPSWEEP_I32, x, 5, NULL, y, 5, count, NULL)); /* all neighbors differ */
  print(UPSWEEP_U64, count, 1);
  cudaFree(x), cudaFree(flags), cudaFree(y), cudaFree(at), cudaFree(count);
}
static void histograms(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  uint64_t* const counts = on_device(NULL, 6 * sizeof(uint64_t));
  upsweep_outside_counts* const outside = on_device(NULL, sizeof(upsweep_outside_counts));
  ok(upsweep_cuda_histogram(UPSWEEP_I32, x, 5, 0, 4, 2, NULL, counts, outside, NULL));
  print(UPSWEEP_U64, counts, 2);
  double const levels[] = {0, 2, 10}; /* in the host's memory */
  ok(upsweep_cuda_histogram_levels(UPSWEEP_I32, x, 5, levels, 2, NULL, counts, outside, NULL));
  print(UPSWEEP_U64, counts, 2);
  uint64_t* const refused = on_device(NULL, sizeof(uint64_t));
  ok(upsweep_cuda_count_indices(UPSWEEP_I32, x, 5, NULL, counts, 6, refused, NULL));
  print(UPSWEEP_U64, counts, 6);
  print(UPSWEEP_U64, refused, 1);
  cudaFree(x), cudaFree(counts), cudaFree(outside), cudaFree(refused);
}
static void segments(void) {
  int32_t* const x = on_device(numbers, sizeof numbers);
  uint64_t* const offsets = on_device(borders, sizeof borders);
  int64_t* const sums = on_device(NULL, 2 * sizeof(int64_t));
  int32_t* const y = on_device(NULL, sizeof numbers);
  ok(upsweep_cuda_reduce_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 2, NULL, sums, NULL));
  print(UPSWEEP_I64, sums, 2);
  ok(upsweep_cuda_inclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 2, NULL, y,
                                          NULL));
  print(UPSWEEP_I32, y, 5);
  ok(upsweep_cuda_exclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 2, NULL, y,
                                          NULL));
  print(UPSWEEP_I32, y, 5);
  cudaFree(x), cudaFree(offsets), cudaFree(sums), cudaFree(y);
}
static void workspace(void) {
  float* const x = on_device(NULL, 1000 * sizeof(float));
  float* const sum = on_device(NULL, sizeof(float));
  size_t bytes; /* with which reductions and scans of 1000 floats allocate nothing */
  ok(upsweep_cuda_workspace_bytes(UPSWEEP_F32, UPSWEEP_SUM, 1000, &bytes));
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
  ok(upsweep_cuda_workspace_create(NULL, bytes, &options.workspace));
  printf("%d\n", upsweep_cuda_workspace_size(options.workspace) >= bytes);
  ok(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 1000, &options, sum, NULL));
  print(UPSWEEP_F32, sum, 1);
  upsweep_cuda_workspace_destroy(options.workspace);

  void* const memory = on_device(NULL, bytes + 16); /* the same in memory of the caller */
  ok(upsweep_cuda_workspace_create_in(NULL, memory, bytes + 16, &options.workspace));
  ok(upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 1000, &options, sum, NULL));
  print(UPSWEEP_F32, sum, 1);
  upsweep_cuda_workspace_destroy(options.workspace);
  cudaFree(x), cudaFree(sum), cudaFree(memory);
}
static void ranks(void) {
  void* x = on_device(numbers, sizeof numbers);
  upsweep_ranks world = upsweep_one_rank(); /* or upsweep_mpi_ranks(MPI_COMM_WORLD) */
  world.device = upsweep_cuda_device();
  upsweep_field const field = {.values = upsweep_array_of(UPSWEEP_I32, x, 5)};
  int64_t sum;
  ok(upsweep_global_sum(&world, &field, NULL, &sum));
  printf("%" PRId64 "\n", sum);
  cudaFree(x);
}
static void plans(void) {
  upsweep_cuda_plan plan = UPSWEEP_CUDA_PLAN_INIT;
  ok(upsweep_cuda_plan_reduce(UPSWEEP_F32, UPSWEEP_SUM, 1 << 20, NULL, &plan));
  fprintf(stderr, "%s\n", plan.sentence);
  printf("%u launch, at least %d MiB read\n", plan.launches, (int)(plan.traffic_bytes >> 20));
  ok(upsweep_cuda_plan_scan(UPSWEEP_F32, UPSWEEP_SUM, 1 << 20, NULL, &plan));
  printf("%u launch\n", plan.launches);
}
static void errors(void) {
  uint16_t x = 0; /* not read: F16 has no kernel */
  upsweep_status const status =
      upsweep_cuda_reduce(UPSWEEP_F16, UPSWEEP_SUM, &x, 1, NULL, &x, NULL);
  if (status == UPSWEEP_UNSUPPORTED) fprintf(stderr, "%s\n", upsweep_last_error_message());
  printf("cudaError_t %d\n", upsweep_cuda_last_error_code());
}
static void release_workspaces(void) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ok(upsweep_cuda_release_workspace(stream)); /* frees what calls in the stream have kept */
  cudaStreamDestroy(stream);
  upsweep_cuda_release_workspaces(); /* before cudaDeviceReset, or at the end of a program */
  cudaDeviceReset();
}

#define EXAMPLE(name) {#name, name}
static struct {
  char const* name;
  void (*run)(void);
} const examples[] = {EXAMPLE(available),
                      EXAMPLE(reduce),
                      EXAMPLE(scans),
                      EXAMPLE(options),
                      EXAMPLE(sorts),
                      EXAMPLE(selections),
                      EXAMPLE(histograms),
                      EXAMPLE(segments),
                      EXAMPLE(workspace),
                      EXAMPLE(ranks),
                      EXAMPLE(plans),
                      EXAMPLE(errors),
                      EXAMPLE(release_workspaces)};

int main(void) {
  if (upsweep_cuda_available() != UPSWEEP_OK) {
    fprintf(stderr, "%s\n", upsweep_last_error_message());
    return 5;
  }
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
    printf("[%s]\n", examples[i].name);
    examples[i].run();
  }
}
