// The split of radix sort. README.md says what to write.

constexpr int threads = 256;  // of a block, which are the elements of its tile

// Within each tile, moves the elements whose bit `bit` is 0 to the front and the others after
// them. Both keep their order.
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {}
