/// The list of SIMD targets and the switch between them, through Highway's dispatch.
#include <upsweep/host/simd/targets.hpp>

#include <hwy/highway.h>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include <upsweep/core/errors.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/families.hpp>

#include <atomic>
#include <cstdint>

namespace upsweep::host::simd {
namespace {

/// The widest registers, as an int; -1: not known yet. To ask the CPU takes microseconds on
/// virtual machines.
std::atomic<int> widest{-1};

/// Restricts the targets to `mask` (0: all that the CPU has), from the next kernel call on.
void use(std::int64_t mask) {
  hwy::SetSupportedTargetsForTest(mask);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  widest.store(-1, std::memory_order_relaxed);
  dynamic::for_each_type(all_families{}, []<class Family>() {
    active_reductions<Family>.store(nullptr, std::memory_order_relaxed);
    active_scans<Family>.store(nullptr, std::memory_order_relaxed);
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

/// Whether a Highway target as good as this one is supported.
[[maybe_unused]] bool has(std::int64_t target) {
  return (hwy::SupportedTargets() & (2 * target - 1)) != 0;  // better ones are lower bits
}

registers ask_the_processor() {
#if HWY_ARCH_X86
  unsigned a = 0, b = 0, features = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &features, &d) == 0 || (features & bit_F16C) == 0)
    return registers::any;
  return has(HWY_AVX3) ? registers::avx512 : has(HWY_AVX2) ? registers::avx2 : registers::any;
#else
  return registers::any;
#endif
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
      "forced_target: no SIMD target \"" + name + "\" on this CPU; it has " + known;
  detail::fail(sentence.c_str());
}

forced_target::~forced_target() {
  use(0);
}

}  // namespace upsweep::host::simd

namespace upsweep::host {

registers widest_registers() {
  int known = simd::widest.load(std::memory_order_relaxed);
  if (known < 0) {
    known = static_cast<int>(simd::ask_the_processor());
    simd::widest.store(known, std::memory_order_relaxed);
  }
  return static_cast<registers>(known);
}

/// What else a reduction does leaves an Intel core too few loads in flight: in memory, sums in the
/// tree's order run at 0.55 to 0.85 of mode::fast without prefetching, extrema of doubles at 0.8.
/// On AMD's it gains nothing.
bool gains_from_prefetching() {
#if HWY_ARCH_X86
  static bool const is_intel = __builtin_cpu_is("intel") != 0;
  return is_intel;
#else
  return false;
#endif
}

}  // namespace upsweep::host
