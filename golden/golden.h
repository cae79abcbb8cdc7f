/** The golden set (docs/spec/golden.md) by the C interface: computes the result of each case of the
 * recipe that the interface has, and compares.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_GOLDEN_H
#define UPSWEEP_GOLDEN_GOLDEN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for the text of a result, with its zero. */
enum { golden_text_size = 512, golden_most_keys = 12 };

/** A call of the set: a verb, and what it is called with. */
typedef struct golden_case {
  char const* verb;
  int keys;
  char const* key[golden_most_keys];
  char const* value[golden_most_keys];
} golden_case;

/** Calls each() for the cases of a recipe, in its order, until it returns a value other than 0,
 * which is returned; -1 if a line of the recipe cannot be read, -2 without memory. */
int golden_expand(char const* recipe, int (*each)(void* context, golden_case const* c),
                  void* context);

/** Writes the case without its result: "reduce op=sum type=f32 kind=scattered n=7". */
void golden_case_text(golden_case const* c, char text[golden_text_size]);

/** Computes a case by the C interface on at most `threads` threads (0: all), and writes the text of
 * its result. Returns 0 if the interface does not have the call. */
int golden_compute(golden_case const* c, int threads, char text[golden_text_size]);

/** The recipe that was compiled in, its lines, each with a line feed, up to a null pointer; and
 * what docs/spec/golden.md says about the set: its SHA-256, the number of its lines, and of each
 * line the first four digits of its SHA-256. */
extern char const* const golden_recipe[];
extern char const golden_hash[];
extern size_t const golden_cases;
extern char const* const golden_digests[];

/** A result that differs, or is not the one that the digest was made from. */
typedef struct golden_difference {
  size_t number;        /**< of the case, from 1 */
  char const* text;     /**< the case without its result */
  char const* expected; /**< null if only its digest is known */
  char const* computed;
} golden_difference;

/** How the set is checked. */
typedef struct golden_options {
  int threads;        /**< 0: all */
  char const* recipe; /**< its text; null: the one that was compiled in */
  char const* set;    /**< the text of the set; null: digests are compared */
  /** What computes a case; null: golden_compute(). */
  int (*compute)(golden_case const* c, int threads, char text[golden_text_size]);
  /** Computes what that does not have; null, or a result of 0: not covered. */
  int (*other)(golden_case const* c, int threads, char text[golden_text_size]);
  void (*line)(void* context, char const* line, int covered); /**< called for each case */
  void (*differs)(void* context, golden_difference const* difference);
  void* context; /**< of `line` and `differs`, which may be null */
} golden_options;

/** What the interface does not have: an operator, or a verb, or a form of its results. */
typedef struct golden_gap {
  char name[32];
  size_t cases;
} golden_gap;

enum { golden_most_gaps = 64 };

/** What was found. */
typedef struct golden_report {
  size_t cases;     /**< of the recipe */
  size_t covered;   /**< computed, the others are not in the interface */
  size_t different; /**< of those that were covered */
  char hash[65];    /**< of the lines of the cases that were covered */
  size_t gaps;      /**< how many names the cases have that are not covered; and these: */
  golden_gap gap[golden_most_gaps];
  int same; /**< whether nothing differs, the hash included where all cases are covered */
} golden_report;

/** Computes and compares all cases. Returns 0, or what golden_expand() returns. */
int golden_check(golden_options const* options, golden_report* report);

/** Prints how many cases were computed in `seconds` by `interface` ("the C interface"), what it
 * does not have, and the hash. */
void golden_print(golden_report const* report, char const* interface, double seconds);

/** Defined by tests/golden/set_cases.cpp, where a program is linked with it: the cases that the C
 * interface does not have, by the C++ interface. For golden_options::other. */
int golden_compute_in_cpp(golden_case const* c, int threads, char text[golden_text_size]);

#ifdef __cplusplus
}
#endif

#endif
