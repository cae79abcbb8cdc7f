/// Kernels that are compiled only for compute capability 8.0, which the driver translates for the
/// present GPU: they do not wait for earlier work themselves, so they must not be launched early.
/// CMakeLists.txt chooses the architecture.
#include "one_after_another.cuh"

#include <upsweep/upsweep.hpp>

#include <cstdint>

namespace upsweep::test {
namespace {

/// No kernel of the library, which is compiled for other architectures, has this operator or this
/// type.
struct add_words {
  static constexpr bool commutative = true;
  constexpr std::uint32_t operator()(std::uint32_t earlier, std::uint32_t later) const {
    return earlier + later;
  }
};

struct tool_operators {
  int value;
};

TEST(cuda_translated, kernels_for_older_cards_are_not_started_early) {
  UPSWEEP_NEEDS_A_GPU();
  EXPECT_FALSE(device::ready_kernel<device::store_kernel<tool_operators>>(cuda_device::current()));
}
TEST(cuda_translated, calls_see_what_those_before_them_have_done) {
  UPSWEEP_NEEDS_A_GPU();
  expect_one_after_another(add_words{}, 0);
}

}  // namespace
}  // namespace upsweep::test
