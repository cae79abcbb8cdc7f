/// Declarations that the C++ code in docs/cuda.md uses: device memory and a stream.
#include <upsweep/histogram.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

extern cudaStream_t stream;
extern float const* x;
extern std::span<float const> a, b;
extern float *y, *result;
extern std::size_t n, rows;
extern std::span<int const> keys;
extern std::span<int> offsets, run_keys;
extern std::span<uchar4 const> pixels;
extern void* my_memory;
extern std::span<float const> in;
extern std::span<float> out, heads, totals;
extern std::span<long const> borders;
extern std::uint64_t* counts;
extern std::span<unsigned> bins;
extern std::vector<std::pair<std::span<float const>, std::span<float>>> chunks;

#define BLOCK(name) void name()
