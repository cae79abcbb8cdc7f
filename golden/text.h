/** The text of the results of a case.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_TEXT_H
#define UPSWEEP_GOLDEN_TEXT_H

#include <golden/golden.h>
#include <upsweep/upsweep.h>

#include <stddef.h>
#include <stdint.h>

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
