/* What the calls of docs/guides need around them, in C and in C++: show() writes results as the
 * pages do, and main compares. tools/guides.py writes the calls. */
#ifndef UPSWEEP_TESTS_GUIDES_CALLS_H
#define UPSWEEP_TESTS_GUIDES_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
  char const* where;
  char const* shows;
  void (*make)(void);
};
extern struct call const all_calls[];
extern int const number_of_calls;

/* What the running call has shown. */
static char shown[1000];

static void append(char const* text) {
  if (shown[0] != 0) strncat(shown, " ", sizeof shown - strlen(shown) - 1);
  strncat(shown, text, sizeof shown - strlen(shown) - 1);
}

int main(void) {
  int wrong = 0;
  for (int i = 0; i < number_of_calls; ++i) {
    shown[0] = 0;
    all_calls[i].make();
    if (strcmp(shown, all_calls[i].shows) == 0) continue;
    printf("%s: gives '%s', but the page says '%s'\n", all_calls[i].where, shown,
           all_calls[i].shows);
    wrong = 1;
  }
  if (number_of_calls == 0) printf("no calls\n");
  return wrong || number_of_calls == 0;
}

#ifdef __cplusplus
#include "calls.hpp"
#else
#include <upsweep/c_api/axis.h>

/* The shortest text that reads back equal. */
static void append_number(double x) {
  char text[40];
  for (int digits = 1; digits < 18; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  append(text);
}
static void append_integer(long long x) {
  char text[40];
  snprintf(text, sizeof text, "%lld", x);
  append(text);
}
#define SHOW(x) \
  _Generic((x), double: append_number, float: append_number, default: append_integer)(x)
#define SHOW_ALL(x, n) \
  for (size_t i_ = 0; i_ < (size_t)(n); ++i_) SHOW((x)[i_])
#endif

#endif
