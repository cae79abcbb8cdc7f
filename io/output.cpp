/// Chooses the writer, and converts columns for every writer.
#include <io/output.hpp>

#include <io/arrow_files.hpp>
#include <io/convert.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/writer.hpp>

#include <fmt/format.h>

#include <utility>

namespace upsweep::io {
namespace {

std::unique_ptr<writer> open(output_options options) {
  if (options.format == container::automatic) {
    options.format = container_of_path(without_compression(options.path));
    if (options.format == container::automatic) options.format = container::text;
  }
  // The reader takes the dtype of a file such as total.f32 from its name, so the writer does too.
  if (options.format == container::raw && !options.type)
    options.type = find_dtype(extension_of(without_compression(options.path)));
  if (is_of_arrow(options.format)) return make_arrow_writer(std::move(options));
  if (is_array(options.format)) return make_array_writer(std::move(options));
  bool const is_table =
      options.format == container::markdown || options.format == container::aligned;
  return is_table ? make_table_writer(std::move(options)) : make_text_writer(std::move(options));
}

}  // namespace

std::vector<typed_column> converted(chunk const& rows, dtype type, std::uint64_t first_row,
                                    std::vector<std::vector<std::byte>>& buffers,
                                    std::string const& file) {
  auto columns = rows.columns;
  buffers.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& column = columns[i];
    if (column.type == type) continue;
    buffers[i].resize(rows.rows * size_of(type));
    auto const good = convert(column.type, column.bytes.data(), type, buffers[i].data(), rows.rows);
    if (good != rows.rows) {
      throw data_error(
          fmt::format("Row {} for {} is {}, which {} cannot hold; choose another --dtype.",
                      first_row + good + 1, file,
                      number_text(column.type, column.bytes.data() + good * size_of(column.type)),
                      name_of(type)));
    }
    column = {type, buffers[i]};
  }
  return columns;
}

output::output(output_options options) : writer_(open(std::move(options))) {}
output::~output() = default;
output::output(output&&) noexcept = default;
output& output::operator=(output&&) noexcept = default;

void output::begin(std::span<column_info const> columns, std::span<std::string const> keys) {
  writer_->begin(columns, keys);
}
void output::write(chunk const& rows) {
  writer_->write(rows);
}
void output::commit() {
  writer_->finish();
  writer_->file.commit();
}

container output::format() const noexcept {
  return writer_->options.format;
}
std::uint64_t output::rows_written() const noexcept {
  return writer_->rows;
}

}  // namespace upsweep::io
