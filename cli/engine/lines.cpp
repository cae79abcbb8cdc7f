/// Reduces and scans adjacent lines together, so that whole cache lines are used even along an axis
/// with a stride.
#include <cli/engine/lines.hpp>

#include <io/error.hpp>
#include <upsweep/host/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace upsweep::cli {

namespace {

constexpr std::size_t bundle = 16;     // lines gathered together
constexpr std::size_t stretch = 2048;  // elements of each line gathered at a time

/// The first element of a line, as an index in the input and in a row-major output of the same
/// shape.
struct line_start {
  std::size_t in = 0, out = 0;
};

class line_map {
 public:
  line_map(io::array_view const& array, std::size_t axis)
      : size(array.shape[axis]),
        stride(array.strides[axis]),
        shape_(array.shape),
        strides_(array.strides),
        axis_(axis) {
    out_strides_.assign(shape_.size(), 1);
    for (std::size_t d = shape_.size(); d-- > 1;) out_strides_[d - 1] = out_strides_[d] * shape_[d];
    for (std::size_t d = 0; d < shape_.size(); ++d) count *= d == axis ? 1 : shape_[d];
    out_stride = out_strides_[axis];
  }

  [[nodiscard]] line_start start(std::size_t line) const {
    line_start at;
    for (std::size_t d = shape_.size(); d-- > 0;) {
      if (d == axis_) continue;
      at.in += line % shape_[d] * strides_[d];
      at.out += line % shape_[d] * out_strides_[d];
      line /= shape_[d];
    }
    return at;
  }

  std::size_t size, stride, out_stride = 1, count = 1;

 private:
  std::vector<std::size_t> shape_, strides_, out_strides_;
  std::size_t axis_;
};

/// Gathers elements [from, from + n) of the line, in its direction.
void gather(column_buffer& values, io::array_view const& array, line_map const& lines,
            std::size_t line, std::size_t from, std::size_t n, bool from_end) {
  auto const stride = static_cast<std::ptrdiff_t>(lines.stride);
  std::size_t const first =
      lines.start(line).in + (from_end ? lines.size - 1 - from : from) * lines.stride;
  values.clear();
  values.append_strided({array.type, array.bytes}, first, from_end ? -stride : stride, n);
}

void scatter(column_buffer& all, io::typed_column results, line_map const& lines, std::size_t line,
             std::size_t from, bool from_end) {
  std::size_t const size = size_of(results.type), base = lines.start(line).out;
  std::byte* const to = all.bytes();
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::size_t const position = from_end ? lines.size - 1 - from - i : from + i;
    std::memcpy(to + (base + position * lines.out_stride) * size, element(results, i), size);
  }
}

/// Calls f(sets, first, n) for bundles of lines [first, first + n), with one set of operators per
/// line, on `threads` threads.
template <class F>
void for_bundles(line_map const& lines, folding_factory const& make, int threads, F const& f) {
  std::size_t const bundles = (lines.count + bundle - 1) / bundle;
  cpu{.threads = threads}.for_each_line(
      bundles, bundle * std::max<std::size_t>(lines.size, 1), [&](std::size_t b, auto const&) {
        std::size_t const first = b * bundle, n = std::min(bundle, lines.count - first);
        std::vector<folding_set> sets;
        for (std::size_t i = 0; i < n; ++i) sets.push_back(make());
        f(sets, first, n);
      });
}

/// Columns of results with `rows` uninitialised rows.
std::vector<column_buffer> make_columns(folding_factory const& make, std::size_t rows) {
  std::vector<column_buffer> columns;
  folding_set const set = make();
  for (auto const& info : set.results()) columns.emplace_back(info.type).resize(rows);
  return columns;
}

}  // namespace

std::size_t find_axis(int axis, std::vector<std::size_t> const& shape) {
  int const rank = static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank)
    throw io::usage_error(
        fmt::format("--axis {}: the array has {} dimension{} ({}); give {}.", axis, rank,
                    rank == 1 ? "" : "s", fmt::join(shape, " x "),
                    rank == 0 ? "no axis" : fmt::format("0 to {}, or -{} to -1", rank - 1, rank)));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<column_buffer> reduce_lines(io::array_view const& array, std::size_t axis,
                                        folding_factory const& make, int threads) {
  line_map const lines(array, axis);
  auto columns = make_columns(make, lines.count);
  for_bundles(lines, make, threads,
              [&](std::vector<folding_set>& sets, std::size_t first, std::size_t n) {
                column_buffer values(array.type);
                for (std::size_t from = 0; from < lines.size && lines.stride != 1; from += stretch)
                  for (std::size_t i = 0; i < n; ++i) {
                    gather(values, array, lines, first + i, from,
                           std::min(stretch, lines.size - from), false);
                    sets[i].reduce(std::vector{values.view()});
                  }
                if (lines.stride == 1)
                  for (std::size_t i = 0; i < n; ++i)
                    sets[i].reduce(std::vector{
                        slice({array.type, array.bytes}, lines.start(first + i).in, lines.size)});
                for (std::size_t i = 0; i < n; ++i) {
                  sets[i].finish();
                  auto const row = sets[i].rows();
                  for (std::size_t c = 0; c < columns.size(); ++c)
                    std::memcpy(columns[c].bytes() + (first + i) * size_of(columns[c].type()),
                                element(row[c], 0), size_of(columns[c].type()));
                }
              });
  return columns;
}

std::vector<column_buffer> scan_lines(io::array_view const& array, std::size_t axis, scan_kind kind,
                                      bool from_end, folding_factory const& make, int threads) {
  line_map const lines(array, axis);
  auto columns = make_columns(make, lines.count * lines.size);
  for_bundles(
      lines, make, threads, [&](std::vector<folding_set>& sets, std::size_t first, std::size_t n) {
        column_buffer values(array.type);
        for (auto& set : sets) set.restart(from_end && lines.size > 0 ? lines.size - 1 : 0);
        auto const for_stretches = [&](auto const& f) {
          for (std::size_t from = 0; from < lines.size; from += stretch)
            for (std::size_t i = 0; i < n; ++i) {
              gather(values, array, lines, first + i, from, std::min(stretch, lines.size - from),
                     from_end);
              f(i, from);
            }
        };
        if (sets[0].looks_ahead())
          for_stretches(
              [&](std::size_t i, std::size_t) { sets[i].collect(std::vector{values.view()}); });
        for_stretches([&](std::size_t i, std::size_t from) {
          sets[i].scan(kind, std::vector{values.view()});
          auto const rows = sets[i].rows();
          for (std::size_t c = 0; c < columns.size(); ++c)
            scatter(columns[c], rows[c], lines, first + i, from, from_end);
          sets[i].clear();
        });
      });
  return columns;
}

}  // namespace upsweep::cli
