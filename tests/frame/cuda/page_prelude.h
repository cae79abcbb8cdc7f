/// What the C of docs/cuda.md finds around itself: device memory and a stream.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern float const* x;
extern int32_t const* counts;
extern int32_t* offsets;
extern size_t n;
extern double* sum;
extern struct CUstream_st* stream;

#define BLOCK(name) void name(void)
