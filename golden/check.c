/** Computes the golden set, and compares it with what is known about it. */
#include <golden/case.h>
#include <golden/golden.h>
#include <golden/sha256.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { digest_digits = 4, line_size = 2 * golden_text_size + 8 };

typedef struct check {
  golden_options const* how;
  golden_report* report;
  golden_sha256 hash;
  char const* set; /**< the next line of the set */
  char const* const* digests;
  size_t digit; /**< of the line of digests where the next one begins */
} check;

/** The digest of the next case, or null after the last. */
static char const* next_digest(check* all) {
  while (*all->digests != NULL && (*all->digests)[all->digit] == 0) {
    ++all->digests;
    all->digit = 0;
  }
  if (*all->digests == NULL) return NULL;
  char const* const digest = *all->digests + all->digit;
  all->digit += digest_digits;
  return digest;
}

static void digest_of(char const* line, char digits[65]) {
  golden_sha256 hash;
  golden_sha256_begin(&hash);
  golden_sha256_add(&hash, line, strlen(line));
  golden_sha256_end(&hash, digits);
}

/** Copies the next line of the set; "" after the last. */
static void next_line(check* all, char line[line_size]) {
  size_t const length = strcspn(all->set, "\n");
  snprintf(line, line_size, "%.*s", (int)length, all->set);
  all->set += length + (all->set[length] != 0);
}

static void differs(check* all, char const* text, char const* expected, char const* computed) {
  ++all->report->different;
  golden_difference const difference = {all->report->cases, text, expected, computed};
  if (all->how->differs != NULL) all->how->differs(all->how->context, &difference);
}

/** Counts a case that is not covered by what the interface lacks for it. */
static void add_gap(golden_report* report, golden_case const* c) {
  char const* const op = golden_get(c, "op");
  char const* const name = *golden_get(c, "coefficients") != 0 ? "recurrence"
                           : golden_is(c, "out", "element")    ? "out=element"
                           : *op != 0                          ? op
                                                               : c->verb;
  size_t k = 0;
  while (k < report->gaps && strcmp(report->gap[k].name, name) != 0) ++k;
  if (k == golden_most_gaps) return;
  if (k == report->gaps)
    snprintf(report->gap[report->gaps++].name, sizeof report->gap->name, "%s", name);
  ++report->gap[k].cases;
}

static int check_case(void* context, golden_case const* c) {
  check* const all = context;
  char text[golden_text_size], result[golden_text_size], line[line_size], kept[line_size];
  char digits[65];
  golden_case_text(c, text);
  int covered = (all->how->compute != NULL ? all->how->compute : golden_compute)(
      c, all->how->threads, result);
  if (!covered && all->how->other != NULL) covered = all->how->other(c, all->how->threads, result);
  snprintf(line, sizeof line, "%s => %s", text, covered ? result : "not covered");
  ++all->report->cases;
  char const* const digest = all->set != NULL ? NULL : next_digest(all);
  if (all->set != NULL) next_line(all, kept);
  if (all->how->line != NULL) all->how->line(all->how->context, line, covered);
  if (!covered) {
    add_gap(all->report, c);
    return 0;
  }
  ++all->report->covered;
  golden_sha256_add(&all->hash, line, strlen(line));
  golden_sha256_add(&all->hash, "\n", 1);
  if (all->set != NULL) {
    char const* const result_of_set = strstr(kept, " => ");
    if (strcmp(kept, line) != 0)
      differs(all, text, result_of_set != NULL ? result_of_set + 4 : kept, result);
    return 0;
  }
  digest_of(line, digits);
  if (digest == NULL || strncmp(digits, digest, digest_digits) != 0)
    differs(all, text, NULL, result);
  return 0;
}

/** The lines of the recipe that was compiled in, one after another; null without memory. */
static char* own_recipe(void) {
  size_t size = 1;
  for (char const* const* line = golden_recipe; *line != NULL; ++line) size += strlen(*line);
  char* const text = malloc(size);
  if (text == NULL) return NULL;
  *text = 0;
  char* end = text;
  for (char const* const* line = golden_recipe; *line != NULL; ++line) {
    strcpy(end, *line);
    end += strlen(*line);
  }
  return text;
}

int golden_check(golden_options const* options, golden_report* report) {
  char* const own = options->recipe == NULL ? own_recipe() : NULL;
  char const* const recipe = own != NULL ? own : options->recipe;
  if (recipe == NULL) return -2;
  memset(report, 0, sizeof *report);
  check all = {.how = options, .report = report, .set = options->set, .digests = golden_digests};
  golden_sha256_begin(&all.hash);
  int const status = golden_expand(recipe, check_case, &all);
  free(own);
  golden_sha256_end(&all.hash, report->hash);
  report->same = status == 0 && report->different == 0 && report->covered > 0 &&
                 report->cases == golden_cases &&
                 (report->covered < report->cases || strcmp(report->hash, golden_hash) == 0);
  return status;
}

void golden_print(golden_report const* report, char const* interface, double seconds) {
  enum { width = 80 };
  size_t const missing = report->cases - report->covered;
  printf("%zu of %zu cases in %.1f s: ", report->covered, report->cases, seconds);
  if (report->different == 0)
    puts(report->same ? "no result differs"
                      : "no result differs, but these are not the set's cases");
  else
    printf("%zu %s\n", report->different, report->different == 1 ? "differs" : "differ");
  if (missing > 0) {
    int used = printf("not in %s: %zu cases:", interface, missing);
    for (size_t k = 0; k < report->gaps; ++k) {
      if (used > width) used = printf("\n ") - 1;
      used += printf(" %s %zu%s", report->gap[k].name, report->gap[k].cases,
                     k + 1 < report->gaps ? "," : "\n");
    }
  }
  printf("SHA-256 of %s: %s\n", missing > 0 ? "the lines of these cases" : "the set", report->hash);
}
