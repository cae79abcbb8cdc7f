/// Kernels for complex numbers, and for structs from 1 to 64 bytes.
#include "copies.cuh"

#include <complex>

namespace upsweep::test {
template struct copies<plus, std::complex<float>>;
template struct copies<plus, std::complex<double>>;
template struct copies<mix_blobs, blob<1>>;
template struct copies<mix_blobs, blob<3>>;
template struct copies<mix_words, words<5>>;
template struct copies<mix_words, words<8>>;
}  // namespace upsweep::test
