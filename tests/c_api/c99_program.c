/* A user's C99 program: every function of upsweep.h once, with the answers worked out by hand. */
#include <upsweep/upsweep.h>

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
  check(versions_agree() && upsweep_tree_version() == 1, "versions");
  return failures != 0;
}
