/// `upsweep select`: the rows of a table for which a condition is true.
#include <cli/aggregation/whole_input.hpp>
#include <cli/condition/condition.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <io/column_choice.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/select.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstring>

namespace upsweep::cli {

namespace {

struct select_flags {
  input_flags in;
  output_flags out;
  int threads = 0;
  std::string where;
  bool invert = false, positions = false;
};

/// Reads rows, and finds those that are selected.
class row_selection {
 public:
  explicit row_selection(select_flags const& flags)
      : flags_(flags), condition_(flags.where), in_(opened()), on_{.threads = flags.threads} {
    shown_ = in_.key_names().size();
    for (auto const& column : in_.chosen()) shown_ -= column.is_text;
    out_options_ = options_like(in_, flags_.in, flags_.out);
    if (out_options_.format == io::container::text && in_.has_header() && is_table() &&
        flags_.out.wanted() == io::container::automatic)
      out_options_.format = io::container::tsv;  // text has no header row
    joined_ = is_table() && join_keys(in_, shown_, flags_.out, out_options_);
    resolve();
    if (in_.shape() && in_.shape()->size() > 1)
      throw io::usage_error(fmt::format(
          "--where: {} has {} dimensions, but select takes arrays of one; save a column "
          "with numpy.save, or the table as text with numpy.savetxt.",
          in_.name(), in_.shape()->size()));
  }

  int run() {
    auto& o = out_options_;
    bool const is_binary = o.format == io::container::raw || o.format == io::container::npy;
    if (flags_.positions && is_binary && flags_.out.wanted() == io::container::automatic)
      o.format = io::container::text;
    std::vector<std::string> keys;
    std::vector<io::column_info> columns;
    if (flags_.positions)
      columns.push_back({"row", io::dtype::u64});
    else if (is_table())
      keys.assign(in_.key_names().begin(),
                  in_.key_names().begin() + static_cast<std::ptrdiff_t>(shown_));
    else
      columns = in_.columns();
    result_table out(flags_.out, o, columns, keys);
    for_each_chunk(in_, [&](io::chunk const& rows) {
      find(rows);
      if (flags_.positions)
        write_positions(rows, out);
      else if (is_table())
        write_rows(rows, out);
      else
        write_numbers(rows, out);
    });
    out.commit();
    return 0;
  }

 private:
  [[nodiscard]] bool is_table() const { return shown_ > 0 && !flags_.positions; }
  io::input opened() const try {
    return io::input(reading());
  } catch (io::no_such_column const& e) {
    if (!condition_.may_mean_text(e.column())) throw;
    throw io::no_such_column(
        fmt::format("--where: {} A text needs quotes: \"{}\".", e.what(), io::shown(e.column())),
        e.column(), e.names());
  }
  io::input_options reading() const {
    io::input_options o = flags_.in.marking_options();
    o.threads = flags_.threads;
    o.keys = o.columns;
    o.columns = condition_.columns();
    o.single = o.columns.size();
    o.keys_only = o.columns.empty();
    o.whole_rows = o.keys.empty();
    o.may_be_text = !o.list;
    if (!o.list) o.as_text = condition_.texts();
    o.may_widen = flags_.out.may_widen();
    if (o.list && !o.columns.empty() && o.columns != std::vector<std::string>{"1"})
      throw io::usage_error(
          "--list: there is one column of numbers; write $1 for it in --where, without quotes.");
    return o;
  }

  /// Columns of a table without rows, such as what another selection left, have no types that could
  /// be wrong.
  void resolve() try { condition_.resolve(in_); } catch (io::usage_error const&) {
    io::chunk rows;
    if (in_.next(rows)) throw;
  }

  /// The positions of the selected rows of the chunk.
  void find(io::chunk const& rows) {
    marks_.resize(rows.rows);
    condition_.evaluate(rows, marks_);
    found_.resize(rows.rows);
    found_.resize(upsweep::select_positions(
        on_, marks_, found_, [keep = flags_.invert ? 0 : 1](std::uint8_t m) { return m == keep; }));
  }

  void write_rows(io::chunk const& rows, result_table& out) {
    fields_.resize(joined_ ? 1 : shown_);
    io::chunk selected;
    selected.rows = found_.size();
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      fields_[k].clear();
      fields_[k].append(joined_ ? *rows.joined : rows.keys[k], found_);
      if (joined_)
        selected.joined = fields_[k].view();
      else
        selected.keys.push_back(fields_[k].view());
    }
    if (selected.rows > 0) out.write(selected);
  }

  void write_positions(io::chunk const& rows, result_table& out) const {
    std::vector<std::uint64_t> numbers;
    for (std::size_t const row : found_) numbers.push_back(rows.number(row) + 1);
    io::chunk selected;
    selected.rows = numbers.size();
    selected.columns.push_back(
        io::as_column(io::dtype::u64, std::span<std::uint64_t const>(numbers)));
    if (selected.rows > 0) out.write(selected);
  }

  void write_numbers(io::chunk const& rows, result_table& out) const {
    auto const values = rows.columns[0];
    std::size_t const size = size_of(values.type);
    column_buffer kept(values.type);
    kept.resize(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i)
      std::memcpy(kept.bytes() + i * size, element(values, found_[i]), size);
    io::chunk selected;
    selected.rows = kept.size();
    selected.columns.push_back(kept.view());
    column_buffer present(io::dtype::boolean);
    if (!rows.present.empty()) {
      for (std::size_t const row : found_) present.push(rows.present[0].as<bool>()[row]);
      selected.present.push_back(present.view());
    }
    if (selected.rows > 0) out.write(selected);
  }

  select_flags const& flags_;
  condition condition_;
  io::input in_;
  cpu on_;
  std::size_t shown_ = 0;  // fields of a row that are written
  bool joined_ = false;    // they are read as they are written
  io::output_options out_options_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::size_t> found_;
  std::vector<text_buffer> fields_;
};

}  // namespace

void add_select_command(registry& tool) {
  CLI::App* const command = add_command(tool, "select");
  auto const flags = std::make_shared<select_flags>();
  command
      ->add_option("--where", flags->where,
                   "Condition on the columns of a row, such as 'price > 3 && name == \"x\"'")
      ->type_name("CONDITION")
      ->required();
  command->add_flag("--invert", flags->invert, "The rows for which it is false");
  command->add_flag("--positions", flags->positions,
                    "The numbers of the rows, from 1, instead of the rows");
  add_threads_option(*command, flags->threads);
  add_input_options(tool, *command, flags->in);
  add_output_options(tool, *command, flags->out);
  command->callback([flags, &tool] { tool.status = row_selection(*flags).run(); });
}

}  // namespace upsweep::cli
