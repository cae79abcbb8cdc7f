/// What reduce and scan share with --axis.
#include <cli/aggregation/along_axis.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>
#include <upsweep/by_name/verbs/lines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace upsweep::cli {

namespace {

/// `axis` as an index into `shape`; negative numbers count from the last. Throws usage_error if
/// there is no such axis.
std::size_t find_axis(int axis, std::vector<std::size_t> const& shape) {
  int const rank = static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank)
    throw io::usage_error(
        "--axis {}: the array has {} dimension{} ({}); give {}.", axis, rank, rank == 1 ? "" : "s",
        fmt::join(shape, " x "),
        rank == 0 ? "no axis" : fmt::format("0 to {}, or -{} to -1", rank - 1, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

/// The lines of an array along one axis, and of a row-major array of the same shape.
class line_map {
 public:
  struct start_of_line {
    std::size_t in = 0, out = 0;
  };

  explicit line_map(opened_array& from)
      : array(from.in->array()),
        axis(from.axis),
        size(array.shape[axis]),
        out_strides_(array.shape.size(), 1) {
    auto const& shape = array.shape;
    for (std::size_t d = shape.size(); d-- > 1;) out_strides_[d - 1] = out_strides_[d] * shape[d];
    for (std::size_t d = 0; d < shape.size(); ++d) count *= d == axis ? 1 : shape[d];
  }

  /// The first element of a line.
  [[nodiscard]] start_of_line start(std::size_t line) const {
    start_of_line at;
    for (std::size_t d = array.shape.size(); d-- > 0;) {
      if (d == axis) continue;
      at.in += line % array.shape[d] * array.strides[d];
      at.out += line % array.shape[d] * out_strides_[d];
      line /= array.shape[d];
    }
    return at;
  }
  /// Elements [from, from + n) of a line, in its direction, as rows.
  void gather(column_buffer& to, std::size_t line, std::size_t from, std::size_t n,
              bool from_end) const {
    auto const step = static_cast<std::ptrdiff_t>(array.strides[axis]);
    std::size_t const first = from_end ? size - 1 - from : from;
    to.clear();
    to.append_strided({array.type, array.bytes}, start(line).in + first * array.strides[axis],
                      from_end ? -step : step, n);
  }
  /// Stores results of elements from `from` on in a row-major array.
  void scatter(column_buffer& all, io::typed_column results, std::size_t line, std::size_t from,
               bool from_end) const {
    std::size_t const bytes = size_of(results.type), base = start(line).out;
    std::byte* const to = all.bytes();
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::size_t const position = from_end ? size - 1 - from - i : from + i;
      std::memcpy(to + (base + position * out_strides_[axis]) * bytes, element(results, i), bytes);
    }
  }
  /// The lines as the library takes them: the dimensions before the axis are one there, and so are
  /// those after it. Nothing if that is not so.
  [[nodiscard]] std::optional<dynamic::axis_lines> as_of_library() const {
    auto all = dynamic::lines_of_array(array.bytes.data(), size_of(array.type), 1, size, 1);
    all.stride = static_cast<std::ptrdiff_t>(array.strides[axis]);
    std::size_t const rank = array.shape.size();
    bool const nest = merge(axis + 1, rank, all.inner, all.stride_inner) &&
                      merge(0, axis, all.outer, all.stride_outer);
    return nest ? std::optional(all) : std::nullopt;
  }
  [[nodiscard]] dynamic::axis_lines of_results(column_buffer& to) const {
    std::size_t const inner = out_strides_[axis];
    return dynamic::lines_of_array(to.bytes(), size_of(to.type()), inner > 0 ? count / inner : 0,
                                   size, inner);
  }

  io::array_view array;
  std::size_t axis, size, count = 1;

 private:
  bool merge(std::size_t begin, std::size_t end, std::size_t& extent,
             std::ptrdiff_t& stride) const {
    for (std::size_t d = begin; d < end; ++d) {
      if (d + 1 < end && array.strides[d] != array.strides[d + 1] * array.shape[d + 1])
        return false;
      extent *= array.shape[d];
      stride = static_cast<std::ptrdiff_t>(array.strides[d]);
    }
    return true;
  }

  std::vector<std::size_t> out_strides_;
};

/// The entry of the library whose results are those of the only operator over such elements, or
/// null.
dynamic::call_entry const* entry_for(opened_array const& from, line_map const& lines,
                                     aggregate_settings const& settings, io::dtype result) {
  using enum catalog::id;
  auto const& uses = from.plan.numeric_uses();
  if (uses.size() != 1 || settings.initial || settings.on_gpu != nullptr || settings.missing ||
      settings.monotone || settings.of_piece != piece::none || lines.size == 0)
    return nullptr;
  auto const* const found = dynamic::find(uses[0].id, lines.array.type);
  bool const is_same = uses[0].id == sum || uses[0].id == min || uses[0].id == max;
  return is_same && found != nullptr && found->result == result ? found : nullptr;
}
dynamic::request request_for(aggregate_settings const& settings) {
  return {.on = {.threads = settings.threads, .mode = settings.mode}, .reverse = settings.from_end};
}

/// Lines that are read together, so that whole cache lines are used even along an axis with a
/// stride; and elements of each that are read at a time.
constexpr std::size_t lines_together = 16, elements_at_once = 2048;

/// Calls f(sets, first) for bundles of lines from line `first` on, with operators for each.
template <class F>
void for_bundles(line_map const& lines, line_operators const& operators,
                 aggregate_settings const& settings, F const& f) {
  // Operators take more time to make than to restart.
  std::size_t const share = std::clamp<std::size_t>(lines.count / 1024, 1, 64) * lines_together;
  cpu{.threads = settings.line_threads()}.for_each_line(
      (lines.count + share - 1) / share, share * std::max<std::size_t>(lines.size, 1),
      [&](std::size_t job, auto const&) {
        std::vector<std::unique_ptr<aggregation>> sets;
        std::size_t const end = std::min((job + 1) * share, lines.count);
        for (std::size_t first = job * share; first < end; first += lines_together) {
          std::size_t const n = std::min(lines_together, end - first);
          while (sets.size() < n) sets.push_back(operators.make());
          sets.resize(n);
          for (std::size_t i = 0; i < n; ++i) operators.begin(*sets[i], first + i);
          f(sets, first);
        }
      });
}

/// Calls f(set, line) for each line when its operators have taken its values.
template <class F>
void for_each_reduced_line(line_map const& lines, line_operators const& operators,
                           aggregate_settings const& settings, F const& f) {
  for_bundles(lines, operators, settings, [&](auto const& sets, std::size_t first) {
    column_buffer values(lines.array.type);
    auto const add = [](aggregation& set, io::typed_column column) {
      io::chunk rows;
      rows.rows = column.size();
      rows.columns = {column};
      set.add(rows, 0, rows.rows);
    };
    if (lines.array.strides[lines.axis] == 1)
      for (std::size_t i = 0; i < sets.size(); ++i)
        add(*sets[i],
            slice({lines.array.type, lines.array.bytes}, lines.start(first + i).in, lines.size));
    else
      for (std::size_t from = 0; from < lines.size; from += elements_at_once)
        for (std::size_t i = 0; i < sets.size(); ++i) {
          lines.gather(values, first + i, from, std::min(elements_at_once, lines.size - from),
                       false);
          add(*sets[i], values.view());
        }
    for (std::size_t i = 0; i < sets.size(); ++i) f(*sets[i], first + i);
  });
}

/// Columns of `rows` results, which are uninitialized.
std::vector<column_buffer> columns_for(line_operators const& operators, std::size_t rows) {
  std::vector<column_buffer> columns;
  auto const set = operators.make();
  for (auto const& info : set->columns()) columns.emplace_back(info.type).resize(rows);
  return columns;
}

}  // namespace

opened_array open_array(input_flags const& flags, std::vector<operator_use> const& uses, int axis,
                        std::optional<io::file_part> part) {
  for (auto const& use : uses)
    if (!use.column.empty())
      throw io::usage_error("--axis: applies to the whole array; name no columns in --op.");
  auto reading = flags.options();
  reading.part = part;
  io::input in(std::move(reading));
  if (!flags.columns.empty())
    throw io::usage_error("--axis: applies to the whole array; omit --column.");
  if (!in->shape)
    throw io::usage_error("--axis: {} is {}, which has no axes; --axis needs a .npy file.",
                          in->name(), name_of(in->format));
  auto const shape = *in->shape;
  std::size_t const found = find_axis(axis, shape);
  aggregation_plan plan(uses, flags.columns, {});  // which are none
  plan.resolve(in);
  return {std::move(in), found, shape, std::move(plan)};
}

io::output_options options_of_lines(output_flags const& flags, std::size_t columns,
                                    std::vector<std::size_t> const& shape) {
  io::container const format =
      flags.wanted() == io::container::automatic ? io::container::text : flags.wanted();
  io::output_options o = flags.options(format);
  if (format == io::container::npy && columns == 1) o.shape = shape;
  return o;
}

std::vector<column_buffer> reduce_lines(opened_array& from, line_operators const& operators,
                                        aggregate_settings const& settings) {
  line_map const lines(from);
  auto columns = columns_for(operators, lines.count);
  if (auto const* const e = entry_for(from, lines, settings, columns[0].type()))
    if (auto const all = lines.as_of_library()) {
      dynamic::reduce_lines(*e, *all, request_for(settings), columns[0].bytes());
      return columns;
    }
  for_each_reduced_line(lines, operators, settings, [&](aggregation& set, std::size_t line) {
    set.finish();
    auto const row = set.rows();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::size_t const bytes = size_of(columns[c].type());
      std::memcpy(columns[c].bytes() + line * bytes, element(row.columns[c], 0), bytes);
    }
    set.clear();
  });
  return columns;
}

text_buffer parts_of_lines(opened_array& from, line_operators const& operators,
                           aggregate_settings const& settings) {
  line_map const lines(from);
  std::vector<saved_state> parts(lines.count);
  for_each_reduced_line(lines, operators, settings, [&](aggregation const& set, std::size_t line) {
    parts[line] = set.save_part();
  });
  text_buffer all;
  for (auto const& part : parts)
    all.push({reinterpret_cast<char const*>(part.data()), part.size()});
  return all;
}

std::vector<column_buffer> scan_lines(opened_array& from, scan_kind kind,
                                      line_operators const& operators,
                                      aggregate_settings const& settings) {
  line_map const lines(from);
  auto columns = columns_for(operators, lines.count * lines.size);
  if (auto const* const e = entry_for(from, lines, settings, columns[0].type()))
    if (auto const all = lines.as_of_library()) {
      dynamic::scan_lines(kind == scan_kind::inclusive ? dynamic::verb::inclusive_scan
                                                       : dynamic::verb::exclusive_scan,
                          *e, *all, request_for(settings), lines.of_results(columns[0]));
      return columns;
    }
  for_bundles(lines, operators, settings, [&](auto const& sets, std::size_t first) {
    column_buffer values(lines.array.type);
    auto const for_parts = [&](auto const& f) {
      io::chunk rows;
      for (std::size_t begin = 0; begin < lines.size; begin += elements_at_once)
        for (std::size_t i = 0; i < sets.size(); ++i) {
          rows.rows = std::min(elements_at_once, lines.size - begin);
          lines.gather(values, first + i, begin, rows.rows, settings.from_end);
          rows.columns = {values.view()};
          f(i, begin, rows);
        }
    };
    if (sets[0]->looks_ahead())
      for_parts([&](std::size_t i, std::size_t, io::chunk const& rows) {
        sets[i]->collect(rows, 0, rows.rows);
      });
    for_parts([&](std::size_t i, std::size_t begin, io::chunk const& rows) {
      sets[i]->scan(kind, rows, 0, rows.rows);
      auto const results = sets[i]->rows();
      for (std::size_t c = 0; c < columns.size(); ++c)
        lines.scatter(columns[c], results.columns[c], first + i, begin, settings.from_end);
      sets[i]->clear();
    });
  });
  return columns;
}

void write_columns(output_flags const& flags, io::output_options const& options,
                   std::vector<io::column_info> const& info,
                   std::vector<column_buffer> const& columns) {
  result_table out(flags, options, info, {});
  io::chunk rows;
  rows.rows = columns[0].size();
  for (auto const& column : columns) rows.columns.push_back(column.view());
  out.write(rows);
  out.commit();
}

}  // namespace upsweep::cli
