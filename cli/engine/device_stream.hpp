/// What the engine asks of a GPU: streams whose values and results lie in the host's memory.
#pragma once

#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <memory>

namespace upsweep::cli {

/// A reduction of values that come in chunks of any length. Values are elements of the operator,
/// which for affine are pairs.
class device_reduction {
 public:
  virtual ~device_reduction() = default;
  virtual void restart() = 0;
  virtual void push(void const* values, std::size_t n) = 0;
  /// The initial value and all values since restart(), of which there is at least one.
  virtual void store_total(void* result) const = 0;
};

/// An inclusive scan of such values. Results have the type of the elements.
class device_scan {
 public:
  virtual ~device_scan() = default;
  virtual void restart() = 0;
  virtual void push(void const* values, std::size_t n, void* results) = 0;
};

/// Who makes them, for the pairs of names/compiled.hpp with the target `gpu`; scans for elements
/// that are accumulators too. `initial` is an accumulator or null. Both throw unavailable_error
/// where there is no GPU.
struct device_streams {
  std::unique_ptr<device_reduction> (*reduction)(catalog::id op, dynamic::dtype element,
                                                 void const* initial);
  std::unique_ptr<device_scan> (*scan)(catalog::id op, dynamic::dtype element, void const* initial);
};

}  // namespace upsweep::cli
