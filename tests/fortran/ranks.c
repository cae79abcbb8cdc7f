/* The functions of c_api/ranks.h over MPI: `ranks CASES [STEP]` compares each with the results of
 * cases.py, which are exact, of each STEP-th case, for several ways to distribute the elements and
 * to lay them out in memory. Then faults on one rank, which all ranks have to learn. `ranks killed`
 * loses a rank, which ends the job. */
#include <upsweep/upsweep_mpi.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, checks, wrong;
static upsweep_ranks world;
/* The case: elements and second factors as doubles, its results as bits. */
enum { most = 6000, ways = 5 };
static int n, is_double, way;
static char title[200], text[7][17];
static double a[most], b[most];
static int mask[most];
static long long counts_of_case[6];
static int mine[most], own;

static void check(char const* what, int right) {
  ++checks;
  if (right) return;
  if (++wrong < 20) printf("%d: %s: %s is wrong, way %d\n", rank, title, what, way);
}

static double number(uint64_t bits) {
  double x;
  float y;
  uint32_t const low = (uint32_t)bits;
  memcpy(&x, &bits, sizeof x);
  memcpy(&y, &low, sizeof y);
  return is_double ? x : (double)y;
}

/* Whether `x`, a double or a float, has the bits of the text; "-" means too few elements. */
static int is(void const* x, upsweep_status status, char const* wanted) {
  char got[17];
  uint64_t bits = 0;
  if (strchr(wanted, '-')) return status == UPSWEEP_TOO_FEW;
  if (status != UPSWEEP_OK) return 0;
  memcpy(&bits, x, is_double ? 8 : 4);
  if (strchr(wanted, 'N')) return isnan(number(bits));
  snprintf(got, sizeof got, "%016" PRIx64, bits);
  return strcmp(got, wanted) == 0;
}

/* The elements of this rank: blocks, dealt like cards, reversed, all on the last or first rank. */
static void deal(void) {
  own = 0;
  for (int i = 0; i < n; ++i) {
    int const at = way == 2 ? n - 1 - i : i;
    int const owner = way == 1   ? at % ranks
                      : way == 3 ? ranks - 1
                      : way == 4 ? 0
                                 : (int)((long long)at * ranks / n);
    if (owner == rank) mine[own++] = at;
  }
}

static void store(void* to, size_t i, double x) {
  if (is_double)
    ((double*)to)[i] = x;
  else
    ((float*)to)[i] = (float)x;
}

/* The results of the field, whose elements have the numbers `index`. */
static void check_results(upsweep_field field, upsweep_array factors, upsweep_array index) {
  unsigned char out[8] = {0};
  upsweep_element_counts counts;
  upsweep_field weighted = field;
  upsweep_status status = upsweep_global_sum(&world, &field, &counts, out);
  check("sum", is(out, status, text[0]));
  check("counts", counts.elements == counts_of_case[0] && counts.nan == counts_of_case[1] &&
                      counts.plus_infinity == counts_of_case[2] &&
                      counts.minus_infinity == counts_of_case[3]);
  weighted.weights = factors;
  status = upsweep_global_sum(&world, &weighted, NULL, out);
  check("weighted sum", is(out, status, text[1]));
  status = upsweep_global_dot(&world, &factors, &field.values, &field.mask, &counts, out);
  check("dot", is(out, status, text[1]) && counts.elements == counts_of_case[0]);
  status = upsweep_global_mean(&world, &field, &counts, out);
  check("mean", is(out, status, text[2]));
  status = upsweep_global_variance(&world, &field, 0, NULL, out);
  check("variance", is(out, status, text[3]));
  status = upsweep_global_variance(&world, &field, 1, &counts, out);
  check("sample variance", is(out, status, text[4]));
  for (int largest = 0; largest < 2; ++largest) {
    int64_t position = -1;
    status = (largest ? upsweep_global_max : upsweep_global_min)(&world, &field, &index, &position,
                                                                 &counts, out);
    check("extremum", is(out, status, text[5 + largest]));
    check("position", position == counts_of_case[4 + largest] - 1);
    if (way != 0) continue;
    status = (largest ? upsweep_global_max : upsweep_global_min)(&world, &field, NULL, &position,
                                                                 NULL, out);
    check("extremum in order", is(out, status, text[5 + largest]));
    check("its position", position == counts_of_case[4 + largest] - 1);
  }
  upsweep_field const both[] = {field, weighted};
  double sums[2];
  upsweep_element_counts two[2];
  status = upsweep_global_sums(&world, both, 2, UPSWEEP_F64, two, sums);
  check("counts of sums", status == UPSWEEP_OK && two[1].elements == counts_of_case[0]);
  if (is_double) check("sums", is(&sums[0], status, text[0]) && is(&sums[1], status, text[1]));
  float singles[2];
  status = upsweep_global_sums(&world, both, 2, UPSWEEP_F32, NULL, singles);
  if (!is_double)
    check("singles", is(&singles[0], status, text[0]) && is(&singles[1], status, text[1]));
}

/* Elements with gaps, in rows inside of a halo of 99, with masks of several types. */
static void check_case(void) {
  deal();
  upsweep_type const type = is_double ? UPSWEEP_F64 : UPSWEEP_F32;
  size_t const columns = way == 0 ? 1 : 5, gap = way == 1 ? 3 : 1;
  size_t const rows = ((size_t)own + columns - 1) / columns;
  size_t const shape[] = {rows + 2, columns * gap + 2}, size = shape[0] * shape[1];
  size_t const plain[] = {rows, columns};
  void* x = malloc(size * 8);
  double* y = malloc(size * 8);
  int64_t* index = malloc(size * 8);
  int32_t* wide = malloc(size * 4);
  uint8_t* narrow = malloc(size);
  for (size_t i = 0; i < size; ++i) {
    store(x, i, 99);
    store(y, i, 99);
    narrow[i] = 0;
    wide[i] = 0;
    index[i] = -5;
  }
  for (int i = 0; i < own; ++i) {
    size_t const row = (size_t)i / columns, column = (size_t)i % columns;
    store(x, (row + 1) * shape[1] + 1 + gap * column, a[mine[i]]);
    store(y, (size_t)i, b[mine[i]]);
    narrow[i] = (uint8_t)mask[mine[i]];
    wide[i] = -mask[mine[i]]; /* true, and not 1 */
    index[i] = mine[i];
  }
  upsweep_array inside = upsweep_array_of_shape(type, x, 2, shape);
  inside = upsweep_array_slice(inside, 0, 1, rows + 1, 1);
  inside = upsweep_array_slice(inside, 1, 1, columns * gap + 1, gap);
  upsweep_field const field = {.values = inside,
                               .mask = way % 2
                                           ? upsweep_array_of_shape(UPSWEEP_I32, wide, 2, plain)
                                           : upsweep_array_of_shape(UPSWEEP_U8, narrow, 2, plain)};
  check_results(field, upsweep_array_of_shape(type, y, 2, plain),
                upsweep_array_of_shape(UPSWEEP_I64, index, 2, plain));
  free(x);
  free(y);
  free(index);
  free(wide);
  free(narrow);
}

static void read_cases(char const* name, int step) {
  FILE* file = fopen(name, "r");
  char kind[8];
  if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int count = 1; fscanf(file, "%2s %d %190[^\n]", kind, &n, title) == 3; ++count) {
    if (strcmp(kind, "en") == 0) break;
    is_double = kind[1] == '8';
    for (int i = 0; i < 7; ++i)
      if (fscanf(file, "%16s", text[i]) != 1) break;
    for (int i = 0; i < 6; ++i)
      if (fscanf(file, "%lld", &counts_of_case[i]) != 1) break;
    for (int i = 0; i < n; ++i) {
      uint64_t x, y;
      char letter;
      if (fscanf(file, "%" SCNx64 " %" SCNx64 " %c", &x, &y, &letter) != 3) break;
      a[i] = number(x);
      b[i] = number(y);
      mask[i] = letter == 'T';
    }
    if (count % step == 0)
      for (way = 0; way < ways; ++way) check_case();
  }
  fclose(file);
}

static void expect(char const* what, upsweep_status status, upsweep_status wanted,
                   char const* sentence) {
  ++checks;
  if (status == wanted && strstr(upsweep_last_error_message(), sentence)) return;
  ++wrong;
  printf("%d: %s has status %d: %s\n", rank, what, (int)status, upsweep_last_error_message());
}

/* Only the last rank is wrong, and all learn it. */
static void check_faults(void) {
  double const x[6] = {1, 2, 3, 4, 5, 6};
  float const single[6] = {0};
  double out = 77, sums[2] = {77, 77};
  int64_t position;
  uint8_t const keep[6] = {1, 0, 1, 0, 1, 0};
  int const last = rank == ranks - 1;
  char one[40];
  snprintf(one, sizeof one, "on 1 of %d ranks", ranks);
  upsweep_field const good = {.values = upsweep_array_of(UPSWEEP_F64, x, 6)};
  upsweep_field field = good;
  field.mask = upsweep_array_of(UPSWEEP_U8, keep, last ? 5 : 6);
  expect("a mask of another shape", upsweep_global_sum(&world, &field, NULL, &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  expect("mask of mean", upsweep_global_mean(&world, &field, NULL, &out), UPSWEEP_INVALID_ARGUMENT,
         "upsweep_global_mean: the mask");
  expect("mask of min", upsweep_global_min(&world, &field, NULL, &position, NULL, &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  expect("mask of variance", upsweep_global_variance(&world, &field, 0, NULL, &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  upsweep_field const two[] = {good, field};
  expect("mask of sums", upsweep_global_sums(&world, two, 2, UPSWEEP_F64, NULL, sums),
         UPSWEEP_INVALID_ARGUMENT, one);
  field = good;
  if (last) field.values.data = NULL;
  expect("no data", upsweep_global_sum(&world, &field, NULL, &out), UPSWEEP_INVALID_ARGUMENT, one);
  if (last)
    expect("no data here", UPSWEEP_OK, UPSWEEP_OK, "`values.data` is NULL, but there are 6");
  expect("no output", upsweep_global_sum(&world, &good, NULL, last ? NULL : &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  expect("no field", upsweep_global_sum(&world, last ? NULL : &good, NULL, &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  check("an output of a failed call", out == 77 && sums[0] == 77);
  field.values = upsweep_array_of(UPSWEEP_F64, x, 0);
  expect("no elements", upsweep_global_mean(&world, &field, NULL, &out), UPSWEEP_TOO_FEW,
         "too few elements");
  expect("empty sum", upsweep_global_sum(&world, &field, NULL, &out), UPSWEEP_OK, "");
  check("an empty sum", out == 0 && !signbit(out));
  if (ranks == 1) return;
  if (last) field.values = upsweep_array_of(UPSWEEP_F32, single, 6);
  expect("another type", upsweep_global_sum(&world, &field, NULL, &out), UPSWEEP_RANKS_DIFFER,
         "different kinds");
  upsweep_status const status = last ? upsweep_global_mean(&world, &good, NULL, &out)
                                     : upsweep_global_sum(&world, &good, NULL, &out);
  expect("another function", status, UPSWEEP_RANKS_DIFFER, "different functions");
  expect("another number", upsweep_global_sums(&world, two, last ? 1 : 0, UPSWEEP_F64, NULL, sums),
         UPSWEEP_RANKS_DIFFER, "numbers of arrays");
  expect("position on some ranks",
         upsweep_global_max(&world, &good, NULL, last ? NULL : &position, NULL, &out),
         UPSWEEP_RANKS_DIFFER, "");
  upsweep_ranks tagged = world;
  tagged.tag = last;
  expect("another tag", upsweep_global_sum(&tagged, &good, NULL, &out), UPSWEEP_RANKS_DIFFER,
         "tags");
}

/* More elements on one rank than integers can count: one number with the stride 0. */
static void check_many_elements(void) {
  double const x = 3;
  double out = 0;
  int const last = rank == ranks - 1;
  char one[40];
  snprintf(one, sizeof one, "on 1 of %d ranks", ranks);
  upsweep_element_counts counts;
  upsweep_field field = {.values = upsweep_array_of(UPSWEEP_F64, &x, 1)};
  field.values.strides[0] = 0;
  if (last) field.values.shape[0] = INT64_MAX;
  expect("2^63 elements", upsweep_global_sum(&world, &field, NULL, &out), UPSWEEP_INVALID_ARGUMENT,
         one);
  if (last)
    field.values = upsweep_array_of_shape(UPSWEEP_F64, &x, 3, (size_t[]){1u << 31, 1u << 31, 2});
  expect("2^63 elements in three dimensions", upsweep_global_sum(&world, &field, NULL, &out),
         UPSWEEP_INVALID_ARGUMENT, one);
  if (ranks != 3) return; /* takes seconds */
  field.values = upsweep_array_of(UPSWEEP_F64, &x, last ? ((size_t)1 << 31) + 5 : 1);
  field.values.strides[0] = 0;
  upsweep_status const status = upsweep_global_sum(&world, &field, &counts, &out);
  check("2^31 elements", status == UPSWEEP_OK && out == 3 * (2147483648.0 + 7) &&
                             counts.elements == ((int64_t)1 << 31) + 7);
}

int main(int argc, char** argv) {
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  world = upsweep_mpi_ranks(MPI_COMM_WORLD);
  if (strcmp(argv[1], "killed") == 0) {
    double const x = 1;
    double out;
    upsweep_field const field = {.values = upsweep_array_of(UPSWEEP_F64, &x, 1)};
    if (rank == 1) abort();
    (void)upsweep_global_sum(&world, &field, NULL, &out);
  }
  read_cases(argv[1], argc > 2 ? atoi(argv[2]) : 1);
  check_faults();
  check_many_elements();
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d results of C on %d ranks, %d wrong\n", checks, ranks, all);
  MPI_Finalize();
  return all > 0;
}
