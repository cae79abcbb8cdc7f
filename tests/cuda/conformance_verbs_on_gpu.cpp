/// The contract's suites of the verbs on scan, on a GPU.
#include "sorts_copied_to_gpu.cuh"
#include "verbs_copied_to_gpu.cuh"

#include <conformance/backends.hpp>
#include <conformance/by_key_contract.hpp>
#include <conformance/histogram_contract.hpp>
#include <conformance/padding_contract.hpp>
#include <conformance/segments_contract.hpp>
#include <conformance/selection_contract.hpp>
#include <conformance/sorting_contract.hpp>
#include <conformance/windowed_contract.hpp>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace upsweep::test {

// Selections, verbs on runs and segments, and sorts on a GPU: the contract's suites.

using on_gpus = testing::Types<on_gpu_verbs>;
using sorting = testing::Types<on_gpu_sorts>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, by_key_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, segments_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, selection_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, sorting_contract, sorting, backend_name);

// Windows, histograms and rows in place on a GPU: the contract's suites, and the fences with which
// they see what a kernel writes outside of its output.

INSTANTIATE_TYPED_TEST_SUITE_P(gpu, histogram_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, padding_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, windowed_contract, on_gpus, backend_name);

TEST(call_copies, throw_when_a_call_has_written_outside_of_an_output) {
  std::vector<int> out(10, 1);
  for (std::ptrdiff_t const at : {-1, 0, 9, 10}) {
    call_copies to;
    int* const there = to.output(out.begin(), out.size());
    check_cuda(cudaMemset(there + at, 0, sizeof(int)), "write an element");
    if (at == 0 || at == 9)
      to.finish();
    else
      EXPECT_THROW(to.finish(), std::logic_error) << at;
  }
  EXPECT_EQ(out, (std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

}  // namespace upsweep::test
