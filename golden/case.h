/** What a case says: for the files of this folder.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_CASE_H
#define UPSWEEP_GOLDEN_CASE_H

#include <golden/golden.h>

#include <stddef.h>

/** The value of a key, "" without it. */
char const* golden_get(golden_case const* c, char const* key);
int golden_is(golden_case const* c, char const* key, char const* value);
size_t golden_number(golden_case const* c, char const* key);
/** The extents of the shape; how many they are, 0 without one. */
int golden_extents(golden_case const* c, size_t extent[4]);
/** The number of elements. */
size_t golden_size(golden_case const* c);

#endif
