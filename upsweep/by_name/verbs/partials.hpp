/// Partials (upsweep/partial.hpp) by name: of an operator over elements of a type, both known at
/// run time.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/executor.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace upsweep::dynamic {

/// The results that result() of a partial stores.
struct partial_results {
  dtype type;
  std::size_t count;   ///< more than 1: statistics, which upsweep_partial.h lists
  bool takes_initial;  ///< whether there may be an initial value, of that type
  bool scans;          ///< whether scan() may be called, whose results are of that type
};

/// What has to be known of the elements [begin(), end()) of something longer. Arrays are contiguous
/// and aligned; wrong arguments are refused by precondition_error, as those of partial.
class UPSWEEP_API any_partial {
 public:
  any_partial(catalog::id op, dtype element) : op_(op), element_(element) {}
  any_partial& operator=(any_partial const&) = delete;
  virtual ~any_partial() = default;
  [[nodiscard]] virtual std::unique_ptr<any_partial> copy() const = 0;

  [[nodiscard]] catalog::id op() const { return op_; }
  /// Of `comoments`, whose elements are pairs, the type of both numbers.
  [[nodiscard]] dtype element() const { return element_; }
  [[nodiscard]] virtual std::size_t begin() const = 0;
  [[nodiscard]] virtual std::size_t end() const = 0;
  [[nodiscard]] virtual partial_results results() const = 0;

  /// Appends the n elements of `x`.
  virtual void push(cpu const& on, void const* x, std::size_t n) = 0;
  virtual void append(any_partial const& later) = 0;
  /// Appends the n elements of `x`, and stores the scan of the whole at each of them in `out`.
  virtual void scan(scan_kind kind, cpu const& on, void const* x, std::size_t n, void* out) = 0;
  /// Stores the results of the whole; `initial` may be null.
  virtual void result(void const* initial, tree joined, void* out) const = 0;
  [[nodiscard]] virtual std::vector<std::byte> bytes() const = 0;

 protected:
  any_partial(any_partial const&) = default;

 private:
  catalog::id op_;
  dtype element_;
};

/// Of no elements, at position `begin`; null if there are no partials of this pair.
[[nodiscard]] UPSWEEP_API std::unique_ptr<any_partial> make_partial(catalog::id op, dtype element,
                                                                    std::size_t begin);
/// What bytes() of a partial gave; null if the bytes are of a pair that has none here. Throws
/// precondition_error for other bytes.
[[nodiscard]] UPSWEEP_API std::unique_ptr<any_partial> partial_of_bytes(
    std::span<std::byte const> bytes);

}  // namespace upsweep::dynamic
