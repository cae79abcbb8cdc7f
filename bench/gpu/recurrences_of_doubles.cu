/// The rows of doubles of recurrences.cu.
#include <bench/gpu/recurrences.cuh>

#include <cstddef>

namespace upsweep::bench {

void print_recurrences_of_doubles(std::size_t bytes) {
  print_type<double>("f64", bytes);
}

}  // namespace upsweep::bench
