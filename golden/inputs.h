/** The inputs of the golden set, whose bits are made from integers alone, and the arrays of one
 * case, which are freed together.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_INPUTS_H
#define UPSWEEP_GOLDEN_INPUTS_H

#include <upsweep/upsweep.h>

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/** A list of blocks. */
typedef struct golden_memory {
  jmp_buf none; /**< where golden_room() goes without memory */
  void* first;  /**< each block begins with a pointer to the one before */
} golden_memory;

/** An array of `bytes` bytes, all 0, aligned to 16. */
void* golden_room(golden_memory* memory, size_t bytes);
void golden_free(golden_memory* memory);

/** The type "i8" ... "f64", 0 for another name. */
upsweep_type golden_type(char const* name);

int golden_is_float(upsweep_type type);
int golden_is_signed(upsweep_type type);

/** The bits of element i of an array, and the opposite. */
uint64_t golden_bits(void const* array, upsweep_type type, size_t i);
void golden_store(void* array, upsweep_type type, size_t i, uint64_t bits);

/** The value of an integer of at most 53 bits or of a floating-point number. */
double golden_value(upsweep_type type, uint64_t bits);
/** The same number in another type, which must have it: an element as an accumulator. */
uint64_t golden_converted(upsweep_type from, uint64_t bits, upsweep_type to);
/** The bits, or of a NaN those of the set's NaN. */
uint64_t golden_canonical(upsweep_type type, uint64_t bits);

/** A decimal number, rounded to nearest in any floating-point environment; `end` may be null. */
double golden_decimal(char const* text, char** end);

/** Elements 0 to n + more - 1 of the stream n + stream * 2^32. */
void* golden_elements(golden_memory* memory, upsweep_type type, char const* kind, size_t n,
                      size_t more, uint64_t stream);

/** The borders of the segments of n elements: *count + 1 offsets. */
uint64_t* golden_offsets(golden_memory* memory, size_t n, char const* cut, size_t* count);

#endif
