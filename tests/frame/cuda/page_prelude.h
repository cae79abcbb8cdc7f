/// Declarations that the C code in docs/cuda.md uses: device memory and a stream.
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
