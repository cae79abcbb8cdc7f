/// What Upsweep's calls of `bench verbs` share: they run on the CPU, or make plans of a GPU.
#pragma once

#include <bench/harness/call.hpp>
#include <upsweep/host/executor.hpp>

#include <type_traits>

namespace upsweep::bench {

/// The executor of a call: a `cpu`, or a `gpu`, which only makes plans.
template <class On>
[[nodiscard]] On on(call const& c) {
  if constexpr (std::is_same_v<On, cpu>)
    return {.threads = c.threads};
  else
    return {.plans_to = c.plans};
}

/// Stores the only result of a call, for which there is no memory where it only makes plans.
template <class T>
void store(call& c, T result) {
  c.count = 1;
  if (c.plans == nullptr) *output<T>(c) = result;
}

}  // namespace upsweep::bench
