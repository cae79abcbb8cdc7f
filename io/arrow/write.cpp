/// Writes Parquet and Arrow's IPC, one row group or batch after the other; and the entry of the
/// module.
#include <io/arrow/library.hpp>
#include <io/arrow/module.hpp>

#include <arrow/array.h>
#include <arrow/buffer_builder.h>
#include <arrow/builder.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace upsweep::io {
namespace {

/// What the tool writes.
class tool_output final : public tool_stream<arrow::io::OutputStream> {
 public:
  tool_output(std::function<void(std::string_view)> put, kept_exception& errors)
      : tool_stream(arrow::io::FileMode::WRITE, errors), put_(std::move(put)) {}
  arrow::Status Write(void const* data, std::int64_t bytes) override {
    position_ += bytes;
    return errors_.run(
        [&] { put_({static_cast<char const*>(data), static_cast<std::size_t>(bytes)}); });
  }
  using arrow::io::OutputStream::Write;

 private:
  std::function<void(std::string_view)> put_;
};

std::shared_ptr<arrow::DataType> arrow_type(std::optional<dtype> type) {
  if (!type) return arrow::utf8();
  auto const* const found = std::ranges::find(number_types, *type, &number_type::ours);
  if (found == std::end(number_types))
    throw std::runtime_error("Arrow has no bf16; give --dtype f32");
  return found->make();
}

class arrow_sink final : public column_sink {
 public:
  arrow_sink(container format, std::span<source_column const> columns,
             std::function<void(std::string_view)> put)
      : out_(std::make_shared<tool_output>(std::move(put), errors_)) {
    arrow::FieldVector fields;
    for (auto const& column : columns)
      fields.push_back(arrow::field(column.name, arrow_type(column.type)));
    schema_ = arrow::schema(std::move(fields));
    if (format == container::parquet) {
      auto const properties =
          parquet::WriterProperties::Builder().compression(parquet::Compression::SNAPPY)->build();
      parquet_ = errors_.value(parquet::arrow::FileWriter::Open(
          *schema_, arrow::default_memory_pool(), out_, properties));
    } else {
      ipc_ =
          errors_.value(format == container::arrow ? arrow::ipc::MakeFileWriter(out_, schema_)
                                                   : arrow::ipc::MakeStreamWriter(out_, schema_));
    }
  }

  void write(source_rows const& rows) override {
    arrow::ArrayVector arrays;
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      arrays.push_back(
          array_of(rows.columns[c], rows.rows, schema_->field(static_cast<int>(c))->type()));
    auto const batch =
        arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(rows.rows), std::move(arrays));
    errors_.check(parquet_ ? parquet_->WriteRecordBatch(*batch) : ipc_->WriteRecordBatch(*batch));
  }

  void finish() override { errors_.check(parquet_ ? parquet_->Close() : ipc_->Close()); }

 private:
  [[nodiscard]] std::shared_ptr<arrow::Buffer> bits_of(std::span<bool const> bits) const {
    arrow::TypedBufferBuilder<bool> builder;
    for (bool const bit : bits) errors_.check(builder.Append(bit));
    return errors_.value(builder.Finish());
  }

  [[nodiscard]] std::shared_ptr<arrow::Array> array_of(
      source_values const& from, std::size_t rows,
      std::shared_ptr<arrow::DataType> const& type) const {
    auto const valid = from.present.empty() ? nullptr : bits_of(from.present);
    if (type->id() == arrow::Type::STRING) {
      arrow::StringBuilder builder;
      for (std::size_t row = 0; row < rows; ++row)
        errors_.check(from.present.empty() || from.present[row] ? builder.Append(from.texts[row])
                                                                : builder.AppendNull());
      return errors_.value(builder.Finish());
    }
    auto const values = from.numbers.type == dtype::boolean
                            ? bits_of(from.numbers.as<bool>())
                            : std::make_shared<arrow::Buffer>(
                                  reinterpret_cast<std::uint8_t const*>(from.numbers.bytes.data()),
                                  static_cast<std::int64_t>(from.numbers.bytes.size()));
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, static_cast<std::int64_t>(rows), {valid, values}));
  }

  kept_exception errors_;
  std::shared_ptr<tool_output> out_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<parquet::arrow::FileWriter> parquet_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> ipc_;
};

std::unique_ptr<column_sink> write_by_arrow(container format,
                                            std::span<source_column const> columns,
                                            std::function<void(std::string_view)> put) {
  return std::make_unique<arrow_sink>(format, columns, std::move(put));
}

}  // namespace
}  // namespace upsweep::io

extern "C" __attribute__((visibility("default"))) upsweep::io::arrow_module const*
upsweep_arrow_module() {
  static constexpr upsweep::io::arrow_module module{&upsweep::io::read_by_arrow,
                                                    &upsweep::io::write_by_arrow};
  return &module;
}
