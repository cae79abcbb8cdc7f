/** The arrays of one case, which are freed together.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_MEMORY_H
#define UPSWEEP_GOLDEN_MEMORY_H

#include <setjmp.h>
#include <stddef.h>

/** A list of blocks. */
typedef struct golden_memory {
  jmp_buf none; /**< where golden_room() goes without memory */
  void* first;  /**< each block begins with a pointer to the one before */
} golden_memory;

/** An array of `bytes` bytes, all 0, aligned to 16. */
void* golden_room(golden_memory* memory, size_t bytes);
void golden_free(golden_memory* memory);

#endif
