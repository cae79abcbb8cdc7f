/// The list of SIMD targets and the switch between them, through Highway's dispatch.
#include <upsweep/host/simd/targets.hpp>

#include <hwy/highway.h>

#include <upsweep/core/errors.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/families.hpp>

namespace upsweep::host::simd {
namespace {

/// Restricts the targets to `mask` (0: all that the processor has), from the next kernel call on.
void use(std::int64_t mask) {
  hwy::SetSupportedTargetsForTest(mask);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  dynamic::for_each_type(all_families{}, []<class Family>() {
    active_table<Family>.store(nullptr, std::memory_order_relaxed);
  });
}

/// Highway's bits of the targets that are compiled and supported, fastest (lowest) first. The
/// static target is always supported.
std::vector<std::int64_t> supported() {
  std::vector<std::int64_t> bits;
  std::int64_t left = (hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS;
  for (; left != 0; left &= left - 1) bits.push_back(left & -left);
  return bits;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (std::int64_t const bit : supported()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

std::string target() {
  return targets().front();
}

forced_target::forced_target(std::string const& name) {
  std::string known;
  for (std::int64_t const bit : supported()) {
    if (name == hwy::TargetName(bit)) {
      use(bit);
      return;
    }
    known += known.empty() ? "" : ", ";
    known += hwy::TargetName(bit);
  }
  std::string const sentence =
      "forced_target: no SIMD target \"" + name + "\" on this processor; it has " + known;
  detail::fail(sentence.c_str());
}

forced_target::~forced_target() {
  use(0);
}

}  // namespace upsweep::host::simd
