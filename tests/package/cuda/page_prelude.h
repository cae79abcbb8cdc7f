/// Declarations that the C code in docs/cuda.md uses: device memory and a stream.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern float const* x;
extern int32_t const* counts;
extern int32_t* offsets;
extern uint8_t const* flags;
extern uint64_t const* borders;
extern uint64_t* how_many;
extern float *kept, *totals;
extern size_t n, segments;
extern double* sum;
extern struct CUstream_st* stream;

#define BLOCK(name) void name(void)
