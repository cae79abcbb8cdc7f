/// Streams by name: an operator over columns of numbers that arrive in chunks of any length, both
/// known at run time. Results have the bits of one call over all of it.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/call.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace upsweep::dynamic {

/// What a stream is for: reductions, scans, or the reduction of a piece of a longer array.
enum class stream_use : std::uint8_t { reduce, scan, piece };

struct stream_options {
  cpu on{};
  upsweep::mode mode = mode::reproducible;
  stream_use use = stream_use::reduce;
  void const* initial = nullptr;  ///< of the type stream_row::initial; null: none
};

/// What there has to be known of the elements [begin, end).
struct stream_part {
  std::size_t begin = 0, end = 0;
  std::vector<std::byte> totals;  ///< as in the bytes of a partial
};

/// An element is one number of each column of `in`, and a result one number of each column of
/// `out`. Columns are contiguous and aligned.
class UPSWEEP_API any_stream {
 public:
  using columns = std::span<void const* const>;
  using results = std::span<void* const>;

  any_stream() = default;
  any_stream(any_stream const&) = delete;
  any_stream& operator=(any_stream const&) = delete;
  virtual ~any_stream() = default;

  /// Forgets all elements. The next one is number `position`, which counts in a piece only.
  virtual void restart(std::size_t position = 0) = 0;
  virtual void push(columns in, std::size_t n) = 0;
  /// Appends elements and stores the scan of all at each of them.
  virtual void scan(scan_kind kind, columns in, std::size_t n, results out) = 0;
  /// Stores the reduction of the initial value and all elements so far.
  virtual void result(results out) = 0;

  /// The number of the next element.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] bool empty() const noexcept { return position_ == begin_; }
  [[nodiscard]] bool has_initial() const noexcept { return has_initial_; }

  /// Appends what resume() needs to continue after the elements since restart(), as it lies in
  /// memory: their number, and a total for each of its bits. resume() returns how many bytes it
  /// took.
  virtual void save(std::vector<std::byte>& to) const = 0;
  virtual std::size_t resume(std::span<std::byte const> from) = 0;
  /// The elements of a piece since restart(). append() adds those of a later piece, or lets a scan
  /// continue after them.
  [[nodiscard]] virtual stream_part part() const = 0;
  virtual void append(stream_part const& later) = 0;

 protected:
  std::size_t begin_ = 0, position_ = 0;
  bool has_initial_ = false;
};

using stream_pointer = std::unique_ptr<any_stream>;

/// An operator over columns of one type.
struct UPSWEEP_API stream_row {
  catalog::id op;
  dtype element;        ///< of each column
  std::size_t columns;  ///< of an element
  dtype result;         ///< of each column of results; positions are u64
  dtype initial;
  bool exact;            ///< whether a piece may lie anywhere
  bool first_has_value;  ///< whether an exclusive scan without an initial value has a first result
  std::size_t total_bytes;  ///< of what save() appends for each bit of the number of elements
  stream_pointer (*make)(stream_options const& how);
};

/// The row of a pair, or null if it is not compiled.
[[nodiscard]] UPSWEEP_API stream_row const* find_stream(catalog::id op, dtype element) noexcept;

/// y[i] = (1 - weight) y[i-1] + weight x[i] over f32 or f64, with y[0] = x[0] unless there is an
/// initial value, which is y[-1]. It is not exact.
[[nodiscard]] UPSWEEP_API stream_pointer stream_of_average(dtype element, double weight,
                                                           stream_options const& how);
/// y[i] = x[i] + a[0] y[i-1] + a[1] y[i-2] + ... over f64, with up to four coefficients. It is not
/// exact.
[[nodiscard]] UPSWEEP_API stream_pointer stream_of_recurrence(std::span<double const> a,
                                                              stream_options const& how);
/// Statistics that catalog::derived derives from `from`: a column of results each, `count` in u64
/// and the others in f64. Elements are of f64, of two columns for pairs. They are not exact.
[[nodiscard]] UPSWEEP_API stream_pointer stream_of_statistics(catalog::id from,
                                                              std::span<catalog::id const> wanted,
                                                              stream_options const& how);
/// A mean of a function of the elements, as ops/means.hpp has them: a column of f64 of one.
enum class function_mean : std::uint8_t { geometric, harmonic, rms };
[[nodiscard]] UPSWEEP_API stream_pointer stream_of_mean(function_mean which,
                                                        stream_options const& how);

}  // namespace upsweep::dynamic
