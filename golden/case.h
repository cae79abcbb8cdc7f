/** What a case says, and the text of its results: for the files of this folder.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_CASE_H
#define UPSWEEP_GOLDEN_CASE_H

#include <golden/golden.h>
#include <upsweep/upsweep.h>

#include <stddef.h>
#include <stdint.h>

/** The value of a key, "" without it. */
char const* golden_get(golden_case const* c, char const* key);
int golden_is(golden_case const* c, char const* key, char const* value);
size_t golden_number(golden_case const* c, char const* key);
/** The extents of the shape; how many they are, 0 without one. */
int golden_extents(golden_case const* c, size_t extent[4]);
/** The number of elements. */
size_t golden_size(golden_case const* c);

/** A number of each element of an array. */
typedef struct golden_part {
  upsweep_type type;
  void const* numbers;
} golden_part;

/** Appends the text of an array of n elements, of one or two numbers each: results, all of whose
 * NaN have one pattern, or elements that were only `moved`. Arrays are separated by blanks. */
void golden_append(char text[golden_text_size], int parts, golden_part const* part, size_t n,
                   int moved);

/** The same for one number an element. */
void golden_append_results(char text[golden_text_size], upsweep_type type, void const* x, size_t n);
void golden_append_moved(char text[golden_text_size], upsweep_type type, void const* x, size_t n);

#endif
