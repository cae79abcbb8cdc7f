/// Whether the suites run on a device.
#pragma once

#include <upsweep/call/executor.hpp>

namespace upsweep::test {

/// Whether a backend works on the memory of another device. Such a backend gets arrays of trivially
/// copyable elements and operators that run there; other tests are skipped, each with a reason.
template <class Backend>
inline constexpr bool is_device = detail::has_own_memory<decltype(Backend::make())>;

}  // namespace upsweep::test
