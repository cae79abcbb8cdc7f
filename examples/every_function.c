/* Each function of upsweep.h, c_api/axis.h and upsweep_partial.h in a few lines, with what it
 * prints: the examples of the C reference. */
#include <upsweep/c_api/axis.h>
#include <upsweep/upsweep.h>
#include <upsweep/upsweep_partial.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Stops the program with the message of a call that failed. */
static void ok(upsweep_status status) {
  if (status == UPSWEEP_OK) return;
  puts(upsweep_last_error_message());
  exit(1);
}
/* Prints the n numbers of an array on one line. */
static void print(upsweep_type type, void const* array, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) printf(" ");
    if (type == UPSWEEP_I32) printf("%" PRId32, ((int32_t const*)array)[i]);
    if (type == UPSWEEP_I64) printf("%" PRId64, ((int64_t const*)array)[i]);
    if (type == UPSWEEP_U64) printf("%" PRIu64, ((uint64_t const*)array)[i]);
    if (type == UPSWEEP_F64) printf("%g", ((double const*)array)[i]);
  }
  printf("\n");
}

static int32_t const x[] = {3, 1, 4, 1, 5};
static int32_t const shop[] = {7, 7, 8, 7, 7};
static uint8_t const flags[] = {1, 0, 1, 0, 1};
static double const rain[] = {0.5, 2.5, 0, 4, 9};

static void reduce(void) {
  int64_t sum;
  ok(upsweep_reduce(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, &sum));
  print(UPSWEEP_I64, &sum, 1);
}
static void options(void) {
  int64_t const start = 100;
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.threads = 2;
  options.mode = UPSWEEP_REPRODUCIBLE;
  options.flags = UPSWEEP_REVERSE;
  options.initial = &start;
  int64_t y[5];
  ok(upsweep_inclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, &options, y));
  print(UPSWEEP_I64, y, 5);
}
static void inclusive_scan(void) {
  int32_t y[5];
  ok(upsweep_inclusive_scan(UPSWEEP_I32, UPSWEEP_MAX, x, 5, NULL, y));
  print(UPSWEEP_I32, y, 5);
}
static void exclusive_scan(void) {
  int64_t y[5];
  ok(upsweep_exclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, y));
  print(UPSWEEP_I64, y, 5);
}
static void recurrence(void) {
  double const decay = 0.5;
  double const before = 8; /* the result before the first */
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.initial = &before;
  double y[5];
  ok(upsweep_recurrence(UPSWEEP_F64, &decay, 1, rain, 5, &options, y));
  print(UPSWEEP_F64, y, 5);
}
static void along_axis(void) {
  double const table[] = {1, 2, 3, 4, 5, 6};
  size_t const shape[] = {2, 3};
  double columns[3], y[6];
  ok(upsweep_reduce_along_axis(UPSWEEP_F64, UPSWEEP_SUM, table, shape, 2, 0, NULL, columns));
  print(UPSWEEP_F64, columns, 3);
  ok(upsweep_inclusive_scan_along_axis(UPSWEEP_F64, UPSWEEP_SUM, table, shape, 2, 1, NULL, y));
  print(UPSWEEP_F64, y, 6);
  ok(upsweep_exclusive_scan_along_axis(UPSWEEP_F64, UPSWEEP_SUM, table, shape, 2, -1, NULL, y));
  print(UPSWEEP_F64, y, 6);
}
static void select(void) {
  int32_t y[5];
  size_t count;
  ok(upsweep_select(UPSWEEP_I32, x, flags, 5, NULL, y, 5, &count));
  print(UPSWEEP_I32, y, count);
}
static void select_positions(void) {
  uint64_t at[5];
  size_t count;
  ok(upsweep_select_positions(flags, 5, NULL, at, 5, &count));
  print(UPSWEEP_U64, at, count);
}
static void capacity(void) {
  int32_t y[2];
  size_t count;
  if (upsweep_select(UPSWEEP_I32, x, flags, 5, NULL, y, 2, &count) == UPSWEEP_CAPACITY)
    printf("%zu elements, of which two are stored: %d %d\n", count, (int)y[0], (int)y[1]);
}
static void partition(void) {
  int32_t yes[5], no[5];
  size_t count;
  ok(upsweep_partition(UPSWEEP_I32, x, flags, 5, NULL, yes, 5, no, 5, &count));
  print(UPSWEEP_I32, yes, count);
  print(UPSWEEP_I32, no, 5 - count);
}
static void partition_three_way(void) {
  uint8_t const part[] = {0, 1, 2, 1, 0};
  int32_t first[5], second[5], rest[5];
  void* const out[3] = {first, second, rest};
  size_t const room[3] = {5, 5, 5};
  size_t count[3];
  ok(upsweep_partition_three_way(UPSWEEP_I32, x, part, 5, NULL, out, room, count));
  print(UPSWEEP_I32, first, count[0]);
  print(UPSWEEP_I32, second, count[1]);
  print(UPSWEEP_I32, rest, count[2]);
}
static void unique(void) {
  int32_t y[5];
  size_t count;
  ok(upsweep_unique(UPSWEEP_I32, shop, 5, NULL, y, 5, &count));
  print(UPSWEEP_I32, y, count);
}
static void runs(void) {
  int32_t value[5];
  uint64_t length[5];
  size_t count;
  ok(upsweep_runs(UPSWEEP_I32, shop, 5, NULL, value, length, 5, &count));
  print(UPSWEEP_I32, value, count);
  print(UPSWEEP_U64, length, count);
}
/* An upsweep_equal: two numbers are equal if they agree modulo *context. */
static int agree(void const* earlier, void const* later, void* context) {
  int32_t const modulus = *(int32_t const*)context;
  return *(int32_t const*)earlier % modulus == *(int32_t const*)later % modulus;
}
static void unique_by(void) {
  int32_t two = 2, y[5];
  size_t count;
  ok(upsweep_unique_by(x, 5, sizeof x[0], agree, &two, NULL, y, 5, &count));
  print(UPSWEEP_I32, y, count);
}
static void pad(void) {
  int32_t y[] = {1, 2, 3, 4, 0, 0};
  int32_t const fill = 9;
  ok(upsweep_pad(UPSWEEP_I32, y, 2, 2, 3, &fill, NULL)); /* two rows of 2 become rows of 3 */
  print(UPSWEEP_I32, y, 6);
}
static void unpad(void) {
  int32_t y[] = {1, 2, 9, 3, 4, 9};
  ok(upsweep_unpad(UPSWEEP_I32, y, 2, 2, 3, NULL));
  print(UPSWEEP_I32, y, 4);
}
static void segments(void) {
  uint64_t const offsets[] = {0, 2, 2, 5}; /* the second segment is empty */
  int64_t sums[3], y[5];
  ok(upsweep_reduce_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 3, NULL, sums));
  print(UPSWEEP_I64, sums, 3);
  ok(upsweep_inclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 3, NULL, y));
  print(UPSWEEP_I64, y, 5);
  ok(upsweep_exclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, x, 5, offsets, 3, NULL, y));
  print(UPSWEEP_I64, y, 5);
}
static void by_key(void) {
  int32_t key[5];
  int64_t sum[5], y[5];
  size_t count;
  ok(upsweep_reduce_runs(UPSWEEP_I32, shop, UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, key, sum, 5,
                         &count));
  print(UPSWEEP_I32, key, count);
  print(UPSWEEP_I64, sum, count);
  ok(upsweep_inclusive_scan_runs(UPSWEEP_I32, shop, UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, y));
  print(UPSWEEP_I64, y, 5);
  ok(upsweep_exclusive_scan_runs(UPSWEEP_I32, shop, UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, y));
  print(UPSWEEP_I64, y, 5);
}
static void windowed(void) {
  int32_t y[3];
  ok(upsweep_windowed(UPSWEEP_I32, UPSWEEP_MAX, x, 5, 3, NULL, y));
  print(UPSWEEP_I32, y, 3);
}
static void sort(void) {
  int32_t y[5];
  ok(upsweep_sort(UPSWEEP_I32, x, 5, NULL, y));
  print(UPSWEEP_I32, y, 5);
}
/* An upsweep_less: the order by the last decimal digit. */
static int last_digit_less(void const* a, void const* b, void* context) {
  (void)context;
  return *(int32_t const*)a % 10 < *(int32_t const*)b % 10;
}
static void sort_by(void) {
  int32_t y[] = {31, 12, 21, 43};
  ok(upsweep_sort_by(y, 4, sizeof y[0], last_digit_less, NULL, NULL));
  print(UPSWEEP_I32, y, 4);
}
static void argsort(void) {
  uint64_t order[5];
  ok(upsweep_argsort(UPSWEEP_I32, x, 5, NULL, order));
  print(UPSWEEP_U64, order, 5);
}
static void sort_by_key(void) {
  int32_t key[] = {2, 1, 2};
  double value[] = {0.5, 1.5, 2.5};
  ok(upsweep_sort_by_key(UPSWEEP_I32, key, UPSWEEP_F64, value, 3, NULL));
  print(UPSWEEP_I32, key, 3);
  print(UPSWEEP_F64, value, 3);
}
static void top(void) {
  int32_t two[2];
  ok(upsweep_top(UPSWEEP_I32, x, 5, 2, NULL, two));
  print(UPSWEEP_I32, two, 2);
}
static void quantile(void) {
  double const q[] = {0.5, 0.9};
  double y[2];
  ok(upsweep_quantile(UPSWEEP_I32, x, 5, q, 2, NULL, y));
  print(UPSWEEP_F64, y, 2);
}
static void histogram(void) {
  uint64_t counts[2];
  upsweep_outside_counts outside;
  ok(upsweep_histogram(UPSWEEP_F64, rain, 5, 0, 4, 2, NULL, counts, &outside));
  print(UPSWEEP_U64, counts, 2);
  print(UPSWEEP_U64, &outside.above, 1);

  double const levels[] = {0, 1, 10};
  ok(upsweep_histogram_levels(UPSWEEP_F64, rain, 5, levels, 2, NULL, counts, NULL));
  print(UPSWEEP_U64, counts, 2);
}
static void weighted_histogram(void) {
  upsweep_histogram_weights const weights = {UPSWEEP_I32, UPSWEEP_SUM, x};
  int64_t sums[2];
  ok(upsweep_weighted_histogram(UPSWEEP_F64, rain, &weights, 5, 0, 10, 2, NULL, sums, NULL));
  print(UPSWEEP_I64, sums, 2);

  double const levels[] = {0, 1, 10};
  ok(upsweep_weighted_histogram_levels(UPSWEEP_F64, rain, &weights, 5, levels, 2, NULL, sums,
                                       NULL));
  print(UPSWEEP_I64, sums, 2);
}
static void count_indices(void) {
  uint64_t counts[6];
  ok(upsweep_count_indices(UPSWEEP_I32, x, 5, NULL, counts, 6));
  print(UPSWEEP_U64, counts, 6);
}
static void result_type(void) {
  upsweep_type type;
  ok(upsweep_result_type(UPSWEEP_I32, UPSWEEP_SUM, &type));
  if (type == UPSWEEP_I64) printf("I64, %zu bytes\n", upsweep_type_size(type));
}
static void versions(void) {
  if (UPSWEEP_VERSION >= 100) printf("compiled with 0.1.0 or later\n");
  if (upsweep_version()[0] == '0' + UPSWEEP_VERSION_MAJOR) printf("linked with the same major\n");
  printf("combine tree %d\n", upsweep_tree_version());
}
static void errors(void) {
  int32_t const large[] = {2, INT32_MAX, INT32_MAX, INT32_MAX};
  int64_t product;
  upsweep_status const status =
      upsweep_reduce(UPSWEEP_I32, UPSWEEP_CHECKED_PRODUCT, large, 4, NULL, &product);
  if (status == UPSWEEP_OVERFLOW) {
    fprintf(stderr, "%s\n", upsweep_last_error_message());
    printf("overflow at element %" PRIu64 "\n", upsweep_last_error_index());
  }
}
static void partial(void) {
  /* Two processes have a piece each: elements 0 and 1, and elements 2 to 4. */
  upsweep_partial *first, *second;
  ok(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 0, &first));
  ok(upsweep_partial_push(first, rain, 2, NULL));
  ok(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 2, &second));
  ok(upsweep_partial_push(second, rain + 2, 3, NULL));

  /* One sends its partial as bytes, the other appends it. */
  char bytes[512];
  size_t size;
  ok(upsweep_partial_to_bytes(second, bytes, sizeof bytes, &size));
  upsweep_partial* received;
  ok(upsweep_partial_from_bytes(bytes, size, &received));
  ok(upsweep_partial_append(first, received));

  uint64_t begin, end;
  double sum;
  ok(upsweep_partial_range(first, &begin, &end));
  ok(upsweep_partial_result(first, NULL, &sum));
  printf("[%" PRIu64 ", %" PRIu64 "): %g\n", begin, end, sum);
  upsweep_partial_destroy(first);
  upsweep_partial_destroy(second);
  upsweep_partial_destroy(received);
}
static void statistics(void) {
  upsweep_partial* moments;
  ok(upsweep_partial_create_statistics(UPSWEEP_F64, UPSWEEP_MOMENTS, 0, &moments));
  ok(upsweep_partial_push(moments, rain, 5, NULL));
  double result[6]; /* count, mean, variance, standard deviation, ... */
  ok(upsweep_partial_result(moments, NULL, result));
  print(UPSWEEP_F64, result, 3);
  upsweep_partial_destroy(moments);
}

#define EXAMPLE(name) {#name, name}
static struct {
  char const* name;
  void (*run)(void);
} const examples[] = {EXAMPLE(reduce),
                      EXAMPLE(options),
                      EXAMPLE(inclusive_scan),
                      EXAMPLE(recurrence),
                      EXAMPLE(exclusive_scan),
                      EXAMPLE(select),
                      EXAMPLE(capacity),
                      EXAMPLE(select_positions),
                      EXAMPLE(along_axis),
                      EXAMPLE(partition),
                      EXAMPLE(unique),
                      EXAMPLE(runs),
                      EXAMPLE(partition_three_way),
                      EXAMPLE(unique_by),
                      EXAMPLE(pad),
                      EXAMPLE(unpad),
                      EXAMPLE(segments),
                      EXAMPLE(by_key),
                      EXAMPLE(windowed),
                      EXAMPLE(sort),
                      EXAMPLE(sort_by),
                      EXAMPLE(argsort),
                      EXAMPLE(sort_by_key),
                      EXAMPLE(top),
                      EXAMPLE(quantile),
                      EXAMPLE(histogram),
                      EXAMPLE(count_indices),
                      EXAMPLE(weighted_histogram),
                      EXAMPLE(result_type),
                      EXAMPLE(versions),
                      EXAMPLE(errors),
                      EXAMPLE(partial),
                      EXAMPLE(statistics)};

int main(void) {
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
    printf("[%s]\n", examples[i].name);
    examples[i].run();
  }
}
