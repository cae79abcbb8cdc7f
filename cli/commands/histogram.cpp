/// `upsweep histogram`: how many numbers lie in each bin, or the sums of their weights.
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/options.hpp>
#include <cli/output/histogram.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct histogram_flags : table_flags {
  std::size_t bins = 20;
  std::vector<std::string> range, levels, weights;
  std::string html;
  bool closed_right = false, counts_only = false;

  [[nodiscard]] bool has_bins() const { return !range.empty() || !levels.empty(); }
};

/// The borders that the options give.
borders given_borders(histogram_flags const& flags) {
  if (!flags.levels.empty()) {
    borders b{{},
              border_numbers("--levels", flags.levels),
              flags.closed_right,
              as_integers(wide_integers_of(flags.levels))};
    if (!b.integers && !wide_integers_of(flags.levels).empty())
      throw io::usage_error(
          "--levels: i64 does not hold all of these integers, nor does u64; add .0 to round them.");
    if (b.levels.size() < 2)
      throw io::usage_error("--levels: give at least two borders, such as --levels 0,10.");
    return b;
  }
  auto const ends = border_numbers("--range", flags.range);
  if (ends.size() != 2 || !std::isfinite(ends[0]) || !std::isfinite(ends[1]))
    throw io::usage_error("--range: give two finite numbers, such as --range 0,10.");
  return even_borders({ends[0], ends[1]}, flags.bins, flags.closed_right,
                      wide_integers_of(flags.range));
}

/// Calls f(values) for a column, as a compute type; one that has to be converted block by block.
template <class F>
void for_each_block(io::typed_column column, F const& f) {
  io::dtype const type = compute_type(column.type);
  if (column.type == type) return f(column);
  constexpr std::size_t block = std::size_t{1} << 20;
  column_buffer values(type);
  for (std::size_t first = 0; first < column.size(); first += block) {
    values.clear();
    values.append(slice(column, first, std::min(block, column.size() - first)));
    f(values.view());
  }
}

/// A number as a double that is at x or between it and `end`, so that the range includes it.
template <class T>
double outward(T x, double end) {
  auto const near = static_cast<double>(x);
  if (std::is_floating_point_v<T> || std::abs(near) < 0x1p53) return near;
  return std::nextafter(near, end);
}

/// The ends of a range, of integers exactly if doubles do not hold them.
struct range_ends {
  bin_range range;
  std::vector<int128> integers{};

  template <class T>
  void include(T low, T high) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    range.low = std::min(range.low, outward(low, -infinity));
    range.high = std::max(range.high, outward(high, infinity));
    if constexpr (std::is_integral_v<T>) {
      if (integers.empty()) integers = {low, high};
      integers = {std::min<int128>(integers[0], low), std::max<int128>(integers[1], high)};
    }
  }
};

/// From the smallest to the largest finite number, as numpy.histogram.
range_ends range_of(cpu const& on, io::typed_column column, std::string const& file) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  range_ends ends{{infinity, -infinity}};
  for_each_block(column, [&](io::typed_column block) {
    with_compute_type(block.type, [&]<class T>() {
      if (block.size() == 0) return;
      auto const finite_or = [](T x, T other) {
        return std::isfinite(static_cast<double>(x)) ? x : other;
      };
      using limits = std::numeric_limits<T>;
      constexpr T most = limits::has_infinity ? limits::infinity() : limits::max();
      constexpr T least = limits::has_infinity ? -limits::infinity() : limits::lowest();
      auto const x = block.as<T>();
      T const low =
          upsweep::transform_reduce(on, x, [&](T v) { return finite_or(v, most); }, min{});
      T const high =
          upsweep::transform_reduce(on, x, [&](T v) { return finite_or(v, least); }, max{});
      if (low <= high) ends.include(low, high);
    });
  });
  bin_range const& range = ends.range;
  if (!(range.low <= range.high))
    throw io::data_error("{} has no finite number and hence no range; give --range or --levels.",
                         file);
  bool const is_wide = std::max(std::abs(range.low), std::abs(range.high)) > 0x1p53;
  if (!is_wide || (!ends.integers.empty() && ends.integers[0] == ends.integers[1]))
    ends.integers.clear();
  if (range.low == range.high) return {{range.low - 0.5, range.high + 0.5}};
  return ends;
}

/// The counts of all chunks so far.
class bin_counts {
 public:
  bin_counts(int threads, borders b)
      : bins(std::move(b)), counts(bins.levels.size() - 1), on_{.threads = threads} {}

  void add(io::typed_column column) {
    std::vector<std::uint64_t> more(counts.size());
    for_each_block(column, [&](io::typed_column block) {
      auto const* const x = block.bytes.data();
      auto const levels = levels_for(block.type);
      auto const out = levels
                           ? dynamic::histogram_levels(on_, block.type, x, block.size(), *levels,
                                                       bins.closed_right, more.data(), more.size())
                           : dynamic::histogram_even(on_, block.type, x, block.size(),
                                                     bins.range->low, bins.range->high,
                                                     bins.closed_right, more.data(), more.size());
      for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += more[b];
      outside.below += out.below;
      outside.above += out.above;
      outside.nan += out.nan;
      rows += block.size();
    });
  }
  /// The sums of the weights, which need all numbers at once. Sums of integers wrap in 64 bits.
  void add_weighted(io::typed_column column, io::typed_column weights) {
    io::dtype const kind = compute_type(weights.type);
    sums = column_buffer(kind == io::dtype::f32 ? io::dtype::f64 : kind);
    sums->resize(counts.size());
    io::dtype const type = compute_type(column.type);
    column_buffer x(type == io::dtype::f32 ? io::dtype::f64 : type), w(sums->type());
    x.append(column);
    w.append(weights);
    auto const sum_of = io::is_integer(kind) ? io::dtype::u64 : io::dtype::f64;
    dynamic::weighted_array const values{
        x.type(), x.bytes(), *dynamic::find(catalog::id::sum, sum_of), w.bytes(), x.size()};
    if (auto const levels = levels_for(values.type))
      dynamic::weighted_histogram_levels(on_, values, *levels, bins.closed_right, sums->bytes(),
                                         counts.size());
    else
      dynamic::weighted_histogram_even(on_, values, bins.range->low, bins.range->high,
                                       bins.closed_right, sums->bytes(), counts.size());
  }

  borders bins;
  std::vector<std::uint64_t> counts;
  outside_counts outside;
  std::uint64_t rows = 0;
  std::optional<column_buffer> sums;  // with weights

 private:
  /// The borders for numbers of this type; nothing for even ones, which its doubles tell.
  [[nodiscard]] std::optional<dynamic::level_array> levels_for(io::dtype type) const {
    if (bins.integers && (bins.are_given() || io::is_integer(type)))
      return dynamic::level_array{bins.integers->type(), bins.integers->view().bytes.data()};
    if (bins.are_given()) return dynamic::level_array{io::dtype::f64, bins.levels.data()};
    return {};
  }
  cpu on_;
};

bin_counts count_all(io::input& in, histogram_flags const& flags) {
  if (flags.has_bins() && flags.weights.empty()) {
    bin_counts found(flags.threads, given_borders(flags));
    for_each_chunk(in, [&](io::chunk const& rows) { found.add(rows.columns[0]); });
    return found;
  }
  row_buffer owned;
  auto const all = read_whole(in, owned);
  auto const bins = [&] {
    if (flags.has_bins()) return given_borders(flags);
    auto const ends = range_of({.threads = flags.threads}, all.columns[0], in->name());
    return even_borders(ends.range, flags.bins, true, ends.integers);
  }();
  bin_counts found(flags.threads, bins);
  found.add(all.columns[0]);
  if (!flags.weights.empty()) found.add_weighted(all.columns[0], all.columns[1]);
  return found;
}

io::typed_column heights_of(bin_counts const& found) {
  if (found.sums) return found.sums->view();
  return io::as_column(io::dtype::u64, std::span<std::uint64_t const>(found.counts));
}

/// The name of the column of heights.
std::string heights_name(bin_counts const& found, io::input const& in) {
  return found.sums ? fmt::format("sum({})", in->columns[1].name) : "count";
}

void write_json(bin_counts const& found, histogram_flags const& flags, io::input const& in) {
  nlohmann::ordered_json object{{"upsweep", version},
                                {"input", in->name()},
                                {"format", name_of(in->format)},
                                {"column", in->columns[0].name},
                                {"rows", found.rows},
                                {"skipped", in->skipped_rows},
                                {"closed_right", found.bins.closed_right},
                                {"below", found.outside.below},
                                {"above", found.outside.above},
                                {"nan", found.outside.nan},
                                {"levels", nlohmann::ordered_json::array()},
                                {"counts", found.counts}};
  for (std::size_t b = 0; b < found.bins.levels.size(); ++b)
    object["levels"].push_back(json_of(found.bins.column(), b));
  if (found.sums) {
    object["weights"] = in->columns[1].name;
    object["sums"] = nlohmann::ordered_json::array();
    for (std::size_t b = 0; b < found.counts.size(); ++b)
      object["sums"].push_back(json_of(found.sums->view(), b));
  }
  json_lines out(flags.out);
  out.append(object);
  out.commit();
}

void write_table(bin_counts const& found, histogram_flags const& flags, io::input const& in) {
  io::container const format =
      flags.out.wanted() == io::container::automatic ? io::container::text : flags.out.wanted();
  io::output_options o = flags.out.options(format);
  auto const heights = heights_of(found);
  auto const levels = found.bins.column();
  io::chunk rows;
  rows.rows = found.counts.size();
  std::vector<io::column_info> columns;
  if (flags.counts_only) {
    o.shape = {rows.rows};
  } else {
    columns = {{"low", levels.type}, {"high", levels.type}};
    rows.columns = {slice(levels, 0, rows.rows), slice(levels, 1, rows.rows)};
  }
  columns.push_back({heights_name(found, in), heights.type});
  rows.columns.push_back(heights);
  result_table out(flags.out, o, columns, {});
  out.write(rows);
  out.commit();
}

drawn_histogram drawing_of(bin_counts const& found, histogram_flags const& flags) {
  return {found.bins.levels,
          found.bins.closed_right,
          heights_of(found),
          {found.outside.below, found.outside.above, found.outside.nan},
          flags.out.number_format};
}

void write_page(bin_counts const& found, histogram_flags const& flags, io::input const& in) {
  io::output_file out(flags.html, flags.out.force);
  out.write(histogram_page(drawing_of(found, flags),
                           {in->name(), in->columns[0].name, heights_name(found, in), found.rows}));
  out.commit();
}

void expect_page(histogram_flags const& flags) {
  std::size_t const bins = flags.levels.empty() ? flags.bins : flags.levels.size() - 1;
  if (bins > most_drawn_bins)
    throw io::usage_error("--html: a page shows at most {} bins, not {}.", most_drawn_bins, bins);
  if (flags.html == flags.out.path && flags.html != "-")
    throw io::usage_error("--html: the page and -o have the same name.");
}

void run(histogram_flags const& flags) {
  if (flags.out.writes_json() && flags.counts_only)
    throw io::usage_error("--counts-only: the JSON has everything; omit --json.");
  if (flags.weights.size() > 1 || (!flags.weights.empty() && flags.in.columns.empty()))
    throw io::usage_error(
        "--weights: give one column, and choose that of the numbers by --column.");
  if (flags.has_bins()) static_cast<void>(given_borders(flags));  // before anything is read
  if (!flags.html.empty()) expect_page(flags);
  io::input_options reading = flags.in.options();
  reading.threads = flags.threads;
  reading.may_widen = true;
  reading.columns.insert(reading.columns.end(), flags.weights.begin(), flags.weights.end());
  io::input in(reading);
  if (in->columns.size() != 1 + flags.weights.size())
    throw io::usage_error("--column: a histogram is of one column, but {} are chosen.",
                          in->columns.size() - flags.weights.size());
  auto const found = count_all(in, flags);
  if (!flags.html.empty()) write_page(found, flags, in);
  if (flags.html == "-" && flags.out.path == "-") return;
  if (flags.out.writes_json()) {
    write_json(found, flags, in);
  } else if (flags.counts_only || flags.out.wanted() != io::container::automatic) {
    write_table(found, flags, in);
  } else {
    io::output_file out(flags.out.path, flags.out.force);
    out.write(histogram_bars(drawing_of(found, flags)));
    out.commit();
  }
}

}  // namespace

void add_histogram_command(registry& tool) {
  auto const [add, flags] = add_command<histogram_flags>(tool, "histogram");
  add("--bins N", flags.bins, "Number of bins of equal width (default: 20)",
      in_range(1, 10'000'000));
  add("--range LOW,HIGH", flags.range,
      "Ends of the bins (default: the smallest and the largest number); write --range=-1,1 for "
      "negative ones",
      comma_list);
  add("--levels LEVEL,...", flags.levels,
      "Borders of the bins in ascending order, instead of --bins", comma_list,
      excludes({"--range", "--bins"}));
  add("--closed-right", flags.closed_right,
      "The last bin includes its upper border, as without --range and --levels");
  add("--weights COLUMN", flags.weights, "Sum this column in each bin instead of counting",
      comma_list);
  add("--counts-only", flags.counts_only, "Write the counts only, one a line");
  add("--html FILE", flags.html,
      "Also write the figure, a self-contained page, to this file; - for standard output, instead "
      "of the bars");
  add_table_options(add, flags);
}

}  // namespace upsweep::cli
