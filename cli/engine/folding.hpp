/// One operator at work on one column (or on the two columns of `affine`), fed chunk by chunk, with
/// the types hidden.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/device_stream.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// "ema:0.1" is the operator `ema` with the parameter "0.1".
struct operator_use {
  catalog::id id;
  std::string name;
  std::string parameter;
};

/// What all operators of one command share.
struct folding_settings {
  int threads = 0;  ///< 0: all that this process may use
  upsweep::mode mode = mode::reproducible;
  std::optional<std::string> initial;  ///< as given to --init
  bool from_end = false;               ///< values are handed over last row first
  bool scans = false;                  ///< every prefix is wanted, not the total alone
  bool monotone = false;  ///< of scans: results are the largest up to each, so they never decrease
  device_streams const* on_gpu = nullptr;  ///< null: on the processor

  /// For several lines at once; a GPU takes one after the other.
  [[nodiscard]] int line_threads() const noexcept { return on_gpu != nullptr ? 1 : threads; }
};

/// A column of results: its operator's name (for minmax "min" and "max") and what its values are.
struct result_field {
  std::string name;
  io::dtype type;
};

/// Feed it by reduce() or by scan(), not by both. However the values are cut into calls, the
/// results have the same bits.
class folding {
 public:
  virtual ~folding() = default;
  /// The type in which values must be handed over.
  [[nodiscard]] virtual io::dtype takes() const noexcept = 0;
  [[nodiscard]] virtual std::vector<result_field> const& fields() const noexcept = 0;

  /// Forgets all values. The next one is row `first_row`, for operators that say where something
  /// is.
  virtual void restart(std::uint64_t first_row) = 0;
  /// The values of the next call are these rows; needed where rows are left out between values, and
  /// then for every call.
  virtual void number(std::span<std::uint64_t const> /*rows*/) {}
  /// The next values: one column, or several of one length for an operator that takes several.
  virtual void reduce(std::span<io::typed_column const> values) = 0;
  /// The same, and appends one result for each row to each field's column.
  virtual void scan(scan_kind kind, std::span<io::typed_column const> values,
                    std::span<column_buffer> results) = 0;
  /// Appends the result of all values so far to each field's column. Throws data_error when there
  /// are none and the operator has no identity.
  virtual void result(std::span<column_buffer> results) = 0;
};

/// The operator with type Op, as `use` asks for it, for values that files hold as `type`. Each
/// family's source file defines those of its operators. They throw usage_error when the operator
/// does not take such values, has a wrong parameter, or takes no --init.
template <class Op>
[[nodiscard]] std::unique_ptr<folding> make_operator(operator_use const& use, io::dtype type,
                                                     folding_settings const& settings);
[[nodiscard]] std::unique_ptr<folding> make_exponential_average(operator_use const& use,
                                                                io::dtype type,
                                                                folding_settings const& settings);

/// The same for the operator that `use` names.
[[nodiscard]] std::unique_ptr<folding> make_folding(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings);

/// Throws the usage_error of an operator that the GPU does not have over values of that type.
[[noreturn]] void refuse_on_gpu(std::string const& name, std::string_view type);

/// mean, var, std and count of one column share one pass: `names` are those that are wanted, in the
/// order of the fields.
[[nodiscard]] std::unique_ptr<folding> make_moments(std::vector<std::string> const& names,
                                                    folding_settings const& settings);

/// The scans of `inner` with the largest of its results up to each, in every field. They must be
/// numbers.
[[nodiscard]] std::unique_ptr<folding> make_monotone(std::unique_ptr<folding> inner,
                                                     folding_settings const& settings);

}  // namespace upsweep::cli
