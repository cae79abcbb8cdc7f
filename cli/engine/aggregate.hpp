/// An operator applied to a column (or to the several columns of operators such as `affine`), chunk
/// by chunk, with the types erased.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/device_stream.hpp>
#include <cli/engine/saved_state.hpp>
#include <io/text_types.hpp>
#include <upsweep/call/executor.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// "ema:0.1:price as smooth" is the operator `ema` with the parameter "0.1", of the column "price",
/// whose results are called "smooth".
struct operator_use {
  catalog::id id;
  std::string name;
  std::string parameter;
  std::string column = {};               ///< as the user wrote it; empty: of every column
  std::vector<std::string> others = {};  ///< the further columns of "slope:x:y"
  std::string alias = {};                ///< empty: "ema:0.1(price)"
  std::optional<std::size_t> at = {};    ///< the index of `column`, once the input is open
  std::vector<std::size_t> others_at = {};
  bool of_dates = false;    ///< window-by: the second column has nanoseconds since 1970
  bool of_numbers = false;  ///< its strings are numbers of which f64 rounds some

  /// "ema:0.1".
  [[nodiscard]] std::string written() const {
    return parameter.empty() ? name : name + ":" + parameter;
  }
};

/// What is reduced: a whole, or a piece of one whose operators are joined with those of other
/// pieces. Before a piece there are as many values as rows, or as place() says; if that is not
/// known, as of groups, operators must be exact.
enum class piece : std::uint8_t { none, in_place, unplaced };

/// Settings shared by all operators of a command.
struct aggregate_settings {
  int threads = 0;  ///< 0: all that this process may use
  upsweep::mode mode = mode::reproducible;
  std::optional<std::string> initial;      ///< as given to --init
  bool from_end = false;                   ///< values are passed in reverse, last row first
  bool scans = false;                      ///< scan instead of reduce
  bool monotone = false;                   ///< scans: each result is replaced by the largest so far
  device_streams const* on_gpu = nullptr;  ///< null: on the CPU
  /// Not null: each operator skips the rows in which its column has no value, see chunk::present;
  /// strings have none if these say so.
  std::shared_ptr<io::missing_words const> missing = nullptr;
  bool may_lack_results = false;  ///< with `missing`: an operator without a value has no result,
                                  ///< which is otherwise an error
  bool carry_missing = false;     ///< with `missing`, scans: a row without a value repeats the
                                  ///< result of the row before
  piece of_piece = piece::none;
  std::uint64_t rows_before = 0;  ///< before the first row of the input

  /// Number of threads for independent lines; 1 on a GPU, which processes one line at a time.
  [[nodiscard]] int line_threads() const noexcept { return on_gpu != nullptr ? 1 : threads; }
};

/// A column of results: the operator's name (for minmax "min" and "max") and the type of the
/// values.
struct result_field {
  std::string name;
  io::dtype type;
};

/// One operator over a column: its row of the table, and the state of a group. Values are passed
/// either to update() or to scan(), not to both. The results have the same bits for every division
/// of the values into calls. An operator of reductions has no scan(), one of scans no finalize().
class aggregate {
 public:
  virtual ~aggregate() = default;
  /// The type in which values must be passed.
  [[nodiscard]] io::dtype takes() const noexcept { return takes_; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept { return fields_; }

  /// Forgets all values. The next one is row `first_row`, for operators whose result is a row
  /// number.
  virtual void initialize(std::uint64_t first_row) = 0;
  /// Adds values: one column, or several of the same length for an operator that takes several.
  virtual void update(std::span<io::typed_column const> /*values*/) { refuse(); }
  /// Adds the values of a later piece, as serialize() has saved them; or, for scans, continues
  /// after those of a part.
  virtual void combine(saved_reader& /*from*/) { refuse(); }
  /// Appends the result of all values so far to each field's column. Throws data_error if there are
  /// none and the operator has no identity.
  virtual void finalize(std::span<column_buffer> /*results*/) { refuse(); }
  /// Appends the partial of the values of the piece since initialize().
  virtual void serialize(saved_state& /*to*/) const { refuse(); }

  /// Adds values and appends one result per row to each field's column.
  virtual void scan(scan_kind /*kind*/, std::span<io::typed_column const> /*values*/,
                    std::span<column_buffer> /*results*/) {
    refuse();
  }
  /// Sets the row numbers of the values of the next call. Needed if rows are skipped, and then
  /// before every call.
  virtual void number(std::span<std::uint64_t const> /*rows*/) {}
  /// False if finalize() would throw data_error.
  [[nodiscard]] virtual bool has_result() const noexcept { return true; }

  /// Whether the results of rows depend on later rows of the group too. All values are then passed
  /// to update() first, and after that again to scan().
  [[nodiscard]] virtual bool looks_ahead() const noexcept { return false; }
  /// Whether rows without a value may have a result. update() and scan() then get all rows, as the
  /// types of the table, after a call of gaps() that says where values are; scan() appends a result
  /// for each row, and filled() says which of them there are; after finalize() of an operator whose
  /// fields need different numbers of values, which fields there are.
  [[nodiscard]] virtual bool fills_gaps() const noexcept { return false; }
  virtual void gaps(std::span<io::typed_column const> /*present*/) {}
  [[nodiscard]] virtual io::typed_column filled() const noexcept { return {}; }

  /// Appends what load() needs to continue after the values scanned since initialize(). Not for
  /// operators of reductions only, nor on a GPU.
  virtual void save(saved_state& /*to*/) const { refuse(); }
  virtual void load(saved_reader& /*from*/) { refuse(); }

  /// How many values are before the next one, of operators for which that counts; and sets
  /// this before the first value of a piece.
  [[nodiscard]] virtual std::uint64_t position() const noexcept { return 0; }
  virtual void place(std::uint64_t /*position*/) {}
  /// Whether the operator can reduce such a piece.
  [[nodiscard]] virtual bool takes_piece(piece /*of*/) const noexcept { return false; }

  /// Adds the results of another operator over the same column to its own, if both come of the same
  /// kept values. Before the first value.
  [[nodiscard]] virtual bool absorb(aggregate& /*other*/) { return false; }

 protected:
  aggregate(io::dtype takes, std::vector<result_field> fields)
      : takes_(takes), fields_(std::move(fields)) {}
  void add_field(result_field field) { fields_.push_back(std::move(field)); }

 private:
  /// The commands have refused such an operator.
  [[noreturn]] void refuse() const {
    throw std::logic_error(fields_[0].name + ": the operator has no such function");
  }
  io::dtype takes_;
  std::vector<result_field> fields_;
};

/// One whose rows without a value may have a result.
class gap_filling_aggregate : public aggregate {
 public:
  using aggregate::aggregate;
  [[nodiscard]] bool fills_gaps() const noexcept final { return true; }
  [[nodiscard]] io::typed_column filled() const noexcept final { return filled_.view(); }
  void gaps(std::span<io::typed_column const> present) final {
    present_.assign(present.begin(), present.end());
  }

 protected:
  /// Whether a column has a value in row i of the call.
  [[nodiscard]] bool has(std::size_t column, std::size_t i) const {
    return column >= present_.size() || present_[column].as<bool>()[i];
  }
  column_buffer filled_{io::dtype::boolean};

 private:
  std::vector<io::typed_column> present_;
};

/// Makes an operator over values of a type.
using aggregate_maker = std::unique_ptr<aggregate>(operator_use const&, io::dtype,
                                                   aggregate_settings const&);
/// Those that others call, too; tool_operators.hpp has the rest.
aggregate_maker make_exponential_average, make_rank;
/// Over two columns of these types.
[[nodiscard]] std::unique_ptr<aggregate> make_time_window(operator_use const& use, io::dtype values,
                                                          io::dtype times,
                                                          aggregate_settings const& settings);

/// The operator that `use` names.
aggregate_maker make_aggregate;

/// Throws usage_error for an operator that the GPU does not have over values of that type.
[[noreturn]] void refuse_on_gpu(std::string const& name, std::string_view type);

/// Throws usage_error if there is an initial value.
void refuse_initial(std::string const& name, aggregate_settings const& settings);

/// The operator whose result holds several statistics, such as `moments` for mean and var, if `id`
/// is one of them. Those of the same columns are made together, in one pass.
[[nodiscard]] std::optional<catalog::id> summary_of(catalog::id id);
/// The statistics `names` of `summary`, in the order of the fields.
[[nodiscard]] std::unique_ptr<aggregate> make_summary(catalog::id summary,
                                                      std::vector<std::string> const& names,
                                                      aggregate_settings const& settings);

}  // namespace upsweep::cli
