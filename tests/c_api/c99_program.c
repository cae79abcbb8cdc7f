/* A user's C99 program: every function of upsweep.h once, with the answers worked out by hand. */
#include <upsweep/c_api/axis.h>
#include <upsweep/c_api/ranks.h>
#include <upsweep/upsweep.h>
#include <upsweep/upsweep_partial.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int condition, char const* what) {
  if (condition) return;
  printf("failed: %s; the last error is: %s\n", what, upsweep_last_error_message());
  ++failures;
}

#if UPSWEEP_VERSION < 100 || UPSWEEP_VERSION != UPSWEEP_VERSION_MAJOR * 10000 +   \
                                                    UPSWEEP_VERSION_MINOR * 100 + \
                                                    UPSWEEP_VERSION_PATCH
#error the preprocessor sees another version than 0.1.0 or newer
#endif

static int versions_agree(void) {
  char text[32];
  sprintf(text, "%d.%d.%d", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR, UPSWEEP_VERSION_PATCH);
  return strcmp(upsweep_version(), text) == 0;
}

static int32_t const digits[] = {3, 1, 4, 1, 5};
static uint8_t const odd[] = {1, 1, 0, 1, 1};

static int comes_first(void const* a, void const* b, void* calls) {
  (void)calls;
  return *(int32_t const*)a < *(int32_t const*)b;
}
static int has_equal_half(void const* a, void const* b, void* calls) {
  (void)calls;
  return *(int32_t const*)a / 2 == *(int32_t const*)b / 2;
}

static void functions_of_the_caller(void) {
  int32_t x[] = {3, 1, 4, 1, 5}, halves[5];
  size_t count = 0;
  check(upsweep_sort_by(x, 5, sizeof x[0], comes_first, NULL, NULL) == UPSWEEP_OK && x[0] == 1 &&
            x[2] == 3 && x[4] == 5,
        "sorted by a function");
  check(upsweep_unique_by(x, 5, sizeof x[0], has_equal_half, NULL, NULL, halves, 5, &count) ==
                UPSWEEP_OK &&
            count == 3 && halves[0] == 1 && halves[1] == 3 && halves[2] == 4,
        "neighbors that are equal by a function");
}

static void paddings(void) {
  int32_t x[] = {1, 2, 3, 4, 0, 0};
  int32_t const fill = 9;
  check(upsweep_pad(UPSWEEP_I32, x, 2, 2, 3, &fill, NULL) == UPSWEEP_OK && x[1] == 2 && x[2] == 9 &&
            x[3] == 3 && x[5] == 9,
        "rows of two become rows of three");
  check(upsweep_unpad(UPSWEEP_I32, x, 2, 2, 3, NULL) == UPSWEEP_OK && x[2] == 3 && x[3] == 4,
        "and rows of two again");
}

static void selections(void) {
  int32_t yes[4], no[1];
  int32_t const repeated[] = {7, 7, 8, 7};
  uint64_t numbers[4];
  size_t count = 0;
  check(upsweep_select(UPSWEEP_I32, digits, odd, 5, NULL, yes, 4, &count) == UPSWEEP_OK &&
            count == 4 && yes[0] == 3 && yes[1] == 1 && yes[2] == 1 && yes[3] == 5,
        "the odd digits");
  check(upsweep_select(UPSWEEP_I32, digits, odd, 5, NULL, yes, 3, &count) == UPSWEEP_CAPACITY &&
            count == 4,
        "need room for four");
  check(upsweep_select_positions(odd, 5, NULL, numbers, 4, &count) == UPSWEEP_OK && count == 4 &&
            numbers[2] == 3,
        "their positions");
  check(upsweep_partition(UPSWEEP_I32, digits, odd, 5, NULL, yes, 4, no, 1, &count) == UPSWEEP_OK &&
            count == 4 && yes[3] == 5 && no[0] == 4,
        "both parts");
  {
    uint8_t const parts[] = {2, 0, 1, 0, 77};
    int32_t three[3][2];
    void* const out[3] = {three[0], three[1], three[2]};
    size_t const room[3] = {2, 2, 2};
    size_t counts[3];
    check(upsweep_partition_three_way(UPSWEEP_I32, digits, parts, 5, NULL, out, room, counts) ==
                  UPSWEEP_OK &&
              counts[0] == 2 && counts[1] == 1 && counts[2] == 2 && three[0][1] == 1 &&
              three[1][0] == 4 && three[2][0] == 3 && three[2][1] == 5,
          "three parts");
  }
  check(upsweep_unique(UPSWEEP_I32, repeated, 4, NULL, yes, 4, &count) == UPSWEEP_OK &&
            count == 3 && yes[0] == 7 && yes[1] == 8 && yes[2] == 7,
        "neighbors that differ");
  check(upsweep_runs(UPSWEEP_I32, repeated, 4, NULL, yes, numbers, 4, &count) == UPSWEEP_OK &&
            count == 3 && numbers[0] == 2 && numbers[1] == 1 && numbers[2] == 1,
        "and how often they follow each other");
}

static void segments(void) {
  uint64_t const offsets[] = {0, 2, 2, 5};
  uint8_t const keys[] = {9, 9, 4, 4, 9};
  uint8_t first[3];
  int64_t sums[5];
  size_t count = 0;
  check(upsweep_reduce_segments(UPSWEEP_I32, UPSWEEP_SUM, digits, 5, offsets, 3, NULL, sums) ==
                UPSWEEP_OK &&
            sums[0] == 4 && sums[1] == 0 && sums[2] == 10,
        "3 + 1, nothing, 4 + 1 + 5");
  check(upsweep_inclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, digits, 5, offsets, 3, NULL,
                                        sums) == UPSWEEP_OK &&
            sums[1] == 4 && sums[2] == 4 && sums[4] == 10,
        "running sums of segments");
  check(upsweep_exclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, digits, 5, offsets, 3, NULL,
                                        sums) == UPSWEEP_OK &&
            sums[1] == 3 && sums[2] == 0 && sums[4] == 5,
        "without the element");
  check(upsweep_reduce_runs(UPSWEEP_U8, keys, UPSWEEP_I32, UPSWEEP_SUM, digits, 5, NULL, first,
                            sums, 3, &count) == UPSWEEP_OK &&
            count == 3 && first[0] == 9 && first[1] == 4 && first[2] == 9 && sums[0] == 4 &&
            sums[1] == 5 && sums[2] == 5,
        "sums by key");
  check(upsweep_inclusive_scan_runs(UPSWEEP_U8, keys, UPSWEEP_I32, UPSWEEP_SUM, digits, 5, NULL,
                                    sums) == UPSWEEP_OK &&
            sums[1] == 4 && sums[3] == 5 && sums[4] == 5,
        "running sums by key");
  check(upsweep_exclusive_scan_runs(UPSWEEP_U8, keys, UPSWEEP_I32, UPSWEEP_SUM, digits, 5, NULL,
                                    sums) == UPSWEEP_OK &&
            sums[1] == 3 && sums[2] == 0 && sums[3] == 4,
        "without the element");
  check(upsweep_windowed(UPSWEEP_I32, UPSWEEP_SUM, digits, 5, 3, NULL, sums) == UPSWEEP_OK &&
            sums[0] == 8 && sums[1] == 6 && sums[2] == 10,
        "windows of three");
}

static void lines_along_an_axis(void) {
  int32_t const table[] = {1, 2, 3, 4, 5, 6};
  size_t const shape[] = {2, 3};
  int64_t sums[6];
  check(upsweep_reduce_along_axis(UPSWEEP_I32, UPSWEEP_SUM, table, shape, 2, 0, NULL, sums) ==
                UPSWEEP_OK &&
            sums[0] == 5 && sums[1] == 7 && sums[2] == 9,
        "sums of columns");
  check(upsweep_inclusive_scan_along_axis(UPSWEEP_I32, UPSWEEP_SUM, table, shape, 2, -1, NULL,
                                          sums) == UPSWEEP_OK &&
            sums[2] == 6 && sums[3] == 4 && sums[5] == 15,
        "running sums of rows");
  check(upsweep_exclusive_scan_along_axis(UPSWEEP_I32, UPSWEEP_SUM, table, shape, 2, 0, NULL,
                                          sums) == UPSWEEP_OK &&
            sums[2] == 0 && sums[3] == 1 && sums[5] == 3,
        "without the element");
}

static void sorts(void) {
  int32_t sorted[5], keys[] = {2, 1};
  char values[] = {'a', 'b'};
  uint64_t order[5];
  double const q[] = {0.5, 0.75};
  double quantiles[2];
  check(upsweep_sort(UPSWEEP_I32, digits, 5, NULL, sorted) == UPSWEEP_OK && sorted[0] == 1 &&
            sorted[2] == 3 && sorted[4] == 5,
        "sorted digits");
  check(upsweep_argsort(UPSWEEP_I32, digits, 5, NULL, order) == UPSWEEP_OK && order[0] == 1 &&
            order[1] == 3 && order[4] == 4,
        "their positions");
  check(upsweep_sort_by_key(UPSWEEP_I32, keys, UPSWEEP_I8, values, 2, NULL) == UPSWEEP_OK &&
            keys[0] == 1 && values[0] == 'b' && values[1] == 'a',
        "values move along");
  check(upsweep_top(UPSWEEP_I32, digits, 5, 2, NULL, sorted) == UPSWEEP_OK && sorted[0] == 5 &&
            sorted[1] == 4,
        "the two largest");
  check(upsweep_quantile(UPSWEEP_I32, digits, 5, q, 2, NULL, quantiles) == UPSWEEP_OK &&
            quantiles[0] == 3 && quantiles[1] == 4,
        "median and upper quartile");
}

static void histograms(void) {
  double const levels[] = {1, 2, 10};
  uint64_t counts[6];
  upsweep_outside_counts outside;
  check(upsweep_histogram(UPSWEEP_I32, digits, 5, 1, 5, 2, NULL, counts, &outside) == UPSWEEP_OK &&
            counts[0] == 2 && counts[1] == 2 && outside.above == 1 && outside.below == 0 &&
            outside.nan == 0,
        "two bins from 1 to 5");
  check(upsweep_histogram_levels(UPSWEEP_I32, digits, 5, levels, 2, NULL, counts, NULL) ==
                UPSWEEP_OK &&
            counts[0] == 2 && counts[1] == 3,
        "given bins");
  {
    float const first[] = {0.5f, 1, 2, 4, 8};
    upsweep_histogram_weights const weights = {UPSWEEP_F32, UPSWEEP_SUM, first};
    float sums[2];
    check(upsweep_weighted_histogram(UPSWEEP_I32, digits, &weights, 5, 1, 5, 2, NULL, sums,
                                     &outside) == UPSWEEP_OK &&
              sums[0] == 5 && sums[1] == 2.5f && outside.above == 1,
          "weights of two bins");
    check(upsweep_weighted_histogram_levels(UPSWEEP_I32, digits, &weights, 5, levels, 2, NULL, sums,
                                            NULL) == UPSWEEP_OK &&
              sums[0] == 5 && sums[1] == 10.5f,
          "of given bins");
  }
  check(upsweep_count_indices(UPSWEEP_I32, digits, 5, NULL, counts, 6) == UPSWEEP_OK &&
            counts[0] == 0 && counts[1] == 2 && counts[5] == 1,
        "how often each digit occurs");
}

static void recurrences(void) {
  double const coefficients[] = {1, 1};
  double x[] = {1, 0, 0, 0, 0};
  check(upsweep_recurrence(UPSWEEP_F64, coefficients, 2, x, 5, NULL, x) == UPSWEEP_OK &&
            x[1] == 1 && x[2] == 2 && x[3] == 3 && x[4] == 5,
        "Fibonacci");
}

static void sums_of_ranks(void) {
  double const x[2][3] = {{1, 1e100, 2}, {3, -1e100, 4}};
  double running[2][3], sum = 0, least = 0, both[2];
  uint8_t const mask[2] = {1, 0};
  size_t const shape[] = {2, 3};
  int64_t position = -1;
  upsweep_element_counts counts;
  upsweep_field field = {0};
  upsweep_array out = upsweep_array_of_shape(UPSWEEP_F64, running, 2, shape);
  field.values = upsweep_array_of_shape(UPSWEEP_F64, x, 2, shape);
  check(upsweep_global_sum(NULL, &field, &counts, &sum) == UPSWEEP_OK && sum == 10 &&
            counts.elements == 6,
        "a sum of ranks");
  check(upsweep_global_min(NULL, &field, NULL, &position, NULL, &least) == UPSWEEP_OK &&
            least == -1e100 && position == 4,
        "the least");
  check(upsweep_global_max(NULL, &field, NULL, &position, NULL, &least) == UPSWEEP_OK &&
            position == 1,
        "the largest");
  check(upsweep_global_running_sum(NULL, &field.values, 0, 0, &out) == UPSWEEP_OK &&
            running[0][1] == 1e100 && running[1][0] == 4 && running[1][1] == 0,
        "running sums of columns");
  field.values = upsweep_array_slice(upsweep_array_slice(field.values, 1, 0, 3, 2), 0, 1, 2, 1);
  check(field.values.shape[0] == 1 && field.values.shape[1] == 2, "a slice");
  check(upsweep_global_mean(NULL, &field, NULL, &sum) == UPSWEEP_OK && sum == 3.5, "its mean");
  check(upsweep_global_variance(NULL, &field, 1, NULL, &sum) == UPSWEEP_OK && sum == 0.5,
        "its variance");
  check(upsweep_global_dot(NULL, &field.values, &field.values, NULL, NULL, &sum) == UPSWEEP_OK &&
            sum == 25,
        "its square");
  field.values = upsweep_array_of(UPSWEEP_F64, x[1], 2);
  field.mask = upsweep_array_of(UPSWEEP_U8, mask, 2);
  check(upsweep_global_sums(NULL, &field, 1, UPSWEEP_F64, &counts, both) == UPSWEEP_OK &&
            both[0] == 3 && counts.elements == 1,
        "a masked sum");
}

static void partials(void) {
  double const x[] = {1, 2, 3};
  double sum = 0;
  unsigned char bytes[200];
  size_t size;
  uint64_t begin, end;
  upsweep_partial *first, *rest, *read;
  check(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 0, &first) == UPSWEEP_OK &&
            upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 2, &rest) == UPSWEEP_OK,
        "two partials");
  check(upsweep_partial_push(first, x, 2, NULL) == UPSWEEP_OK &&
            upsweep_partial_push(rest, x + 2, 1, NULL) == UPSWEEP_OK,
        "of two elements and one");
  check(upsweep_partial_to_bytes(rest, bytes, sizeof bytes, &size) == UPSWEEP_OK &&
            upsweep_partial_from_bytes(bytes, size, &read) == UPSWEEP_OK,
        "sent and received");
  check(upsweep_partial_append(first, read) == UPSWEEP_OK &&
            upsweep_partial_range(first, &begin, &end) == UPSWEEP_OK && begin == 0 && end == 3,
        "joined");
  check(upsweep_partial_result(first, NULL, &sum) == UPSWEEP_OK && sum == 6, "1 + 2 + 3 = 6");
  upsweep_partial_destroy(first);
  upsweep_partial_destroy(rest);
  upsweep_partial_destroy(read);
}

int main(void) {
  int32_t const x[] = {3, 1, 4, 1, 5};
  int64_t sum = 0, running[5];
  uint64_t where = 0;
  upsweep_type type;

  check(upsweep_result_type(UPSWEEP_I32, UPSWEEP_SUM, &type) == UPSWEEP_OK && type == UPSWEEP_I64,
        "the sum of I32 is I64");
  check(upsweep_type_size(type) == sizeof sum, "which has eight bytes");

  check(upsweep_reduce(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, &sum) == UPSWEEP_OK && sum == 14,
        "3 + 1 + 4 + 1 + 5 = 14");
  check(upsweep_reduce(UPSWEEP_I32, UPSWEEP_ARGMAX, x, 5, NULL, &where) == UPSWEEP_OK && where == 4,
        "5 is at 4");

  check(upsweep_inclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, NULL, running) == UPSWEEP_OK,
        "inclusive scan");
  check(
      running[0] == 3 && running[1] == 4 && running[2] == 8 && running[3] == 9 && running[4] == 14,
      "its results");

  {
    int64_t const start = 100;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.threads = 1;
    options.flags = UPSWEEP_REVERSE;
    options.initial = &start;
    check(upsweep_exclusive_scan(UPSWEEP_I32, UPSWEEP_SUM, x, 5, &options, running) == UPSWEEP_OK,
          "exclusive scan from the end");
    check(running[4] == 100 && running[3] == 105 && running[2] == 106 && running[1] == 110 &&
              running[0] == 111,
          "its results");
  }
  {
    int64_t const large[] = {INT64_MAX - 1, 1, 1};
    check(
        upsweep_reduce(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, large, 3, NULL, &sum) == UPSWEEP_OVERFLOW,
        "overflow is an error");
    check(upsweep_last_error_index() == 2, "with the index of the element");
    check(strlen(upsweep_last_error_message()) > 20, "and a sentence");
  }
  selections();
  functions_of_the_caller();
  paddings();
  segments();
  lines_along_an_axis();
  sorts();
  histograms();
  recurrences();
  partials();
  sums_of_ranks();
  check(versions_agree() && upsweep_tree_version() == 1, "versions");
  return failures != 0;
}
