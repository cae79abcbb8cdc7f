/// Reads Parquet and Arrow's IPC, as files in memory and as a stream.
#include <io/arrow/library.hpp>
#include <io/arrow/module.hpp>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/iterator.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using arrow::Type;

/// The dtype of the numbers of that type, if they are numbers.
std::optional<dtype> dtype_of(Type::type id) {
  if (id == Type::DURATION) return dtype::i64;
  auto const* const found = std::ranges::find(number_types, id, &number_type::id);
  return found == std::end(number_types) ? std::nullopt : std::optional(found->ours);
}

/// Types whose arrays are bytes and offsets of 32 bits.
bool is_text(Type::type id) {
  return id == Type::STRING || id == Type::BINARY;
}

/// Dictionaries and extensions represent values of another type.
arrow::DataType const& plain_type(arrow::DataType const& type) {
  if (type.id() == Type::DICTIONARY)
    return plain_type(*static_cast<arrow::DictionaryType const&>(type).value_type());
  if (type.id() == Type::EXTENSION)
    return plain_type(*static_cast<arrow::ExtensionType const&>(type).storage_type());
  return type;
}

/// Decimals that are whole and fit 64 bits are integers.
bool is_whole(arrow::DataType const& type) {
  if (!arrow::is_decimal(type.id())) return false;
  auto const& decimal = static_cast<arrow::DecimalType const&>(type);
  return decimal.scale() == 0 && decimal.precision() <= 18;
}

std::shared_ptr<arrow::Array> plain_array(std::shared_ptr<arrow::Array> array,
                                          kept_exception const& errors) {
  auto const id = array->type_id();
  auto const to = [&](std::shared_ptr<arrow::DataType> const& type) {
    return errors.value(arrow::compute::Cast(*array, type));
  };
  if (id == Type::EXTENSION)
    return plain_array(static_cast<arrow::ExtensionArray const&>(*array).storage(), errors);
  if (id == Type::DICTIONARY)
    return plain_array(to(static_cast<arrow::DictionaryType const&>(*array->type()).value_type()),
                       errors);
  if (id == Type::BOOL) return to(arrow::uint8());
  if (is_text(id) || dtype_of(id)) return array;
  if (is_whole(*array->type())) return to(arrow::int64());
  return to(arrow::utf8());
}

/// 12:30:00.500000 becomes 12:30:00.5, and 12:30:00.000000 12:30:00, also before a zone.
void drop_zeros(std::string& out, std::size_t begin) {
  auto const point = out.find('.', begin);
  if (point == std::string::npos) return;
  auto const end = std::min(out.find_first_not_of("0123456789", point + 1), out.size());
  auto last = end;
  while (out[last - 1] == '0') --last;
  if (last == point + 1) last = point;
  out.erase(last, end - last);
}

source_column describe(arrow::Field const& field) {
  source_column made{field.name()};
  auto const& type = plain_type(*field.type());
  auto const id = type.id();
  made.type = is_whole(type) ? dtype::i64 : dtype_of(id);
  made.is_decimal = arrow::is_decimal(id) && !made.type;
  bool const has_texts = is_text(id) || made.is_decimal || id == Type::LARGE_STRING ||
                         id == Type::LARGE_BINARY || id == Type::STRING_VIEW ||
                         id == Type::BINARY_VIEW || id == Type::FIXED_SIZE_BINARY ||
                         arrow::is_temporal(id) || id == Type::NA;
  if (!made.type && !has_texts) made.unreadable = type.ToString();
  return made;
}

/// The values of one column of a batch, and the memory in which they are. Numbers stay where Arrow
/// has them; dates, times and decimals become strings as Arrow writes them.
class arrow_values {
 public:
  /// `column` says what they are.
  void take(std::shared_ptr<arrow::Array> array, source_column const& column,
            kept_exception const& errors) {
    auto const& type = plain_type(*array->type());
    bool const is_time = arrow::is_time(type.id()) || type.id() == Type::TIMESTAMP;
    array_ = plain_array(std::move(array), errors);
    auto const rows = static_cast<std::size_t>(array_->length());
    view_ = {};
    if (array_->null_count() > 0) {
      present_.resize(rows);
      for (std::size_t row = 0; row < rows; ++row)
        present_[row] = array_->IsValid(static_cast<std::int64_t>(row)) ? 1 : 0;
      view_.present = {reinterpret_cast<bool const*>(present_.data()), rows};
    }
    if (!column.type) return take_texts(*array_, is_time);
    auto const size = size_of(*column.type);
    auto const& buffer = array_->data()->buffers[1];
    auto const* const first = buffer ? reinterpret_cast<std::byte const*>(buffer->data()) +
                                           static_cast<std::size_t>(array_->offset()) * size
                                     : nullptr;
    view_.numbers = {*column.type, {first, rows * size}};
  }

  [[nodiscard]] source_values const& view() const noexcept { return view_; }

 private:
  void take_texts(arrow::Array const& array, bool drops_zeros) {
    auto const& texts = static_cast<arrow::BinaryArray const&>(array);
    texts_.clear();
    for (std::int64_t row = 0; row < texts.length(); ++row) {
      auto const begin = texts_.characters.size();
      if (texts.IsValid(row)) texts_.characters += texts.GetView(row);
      if (drops_zeros) drop_zeros(texts_.characters, begin);
      texts_.end();
    }
    view_.texts = texts_.view();
  }

  std::shared_ptr<arrow::Array> array_;
  std::vector<std::uint8_t> present_;
  text_buffer texts_;
  source_values view_;
};

constexpr std::int64_t batch_rows = std::int64_t{1} << 16;

/// A stream that the tool reads.
class tool_input final : public tool_stream<arrow::io::InputStream> {
 public:
  tool_input(std::function<std::size_t(char*, std::size_t)> read, kept_exception& errors)
      : tool_stream(arrow::io::FileMode::READ, errors), read_(std::move(read)) {}
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override {
    std::int64_t done = 0;
    ARROW_RETURN_NOT_OK(errors_.run([&] {
      while (done < bytes) {
        auto const got =
            read_(static_cast<char*>(out) + done, static_cast<std::size_t>(bytes - done));
        if (got == 0) break;
        done += static_cast<std::int64_t>(got);
      }
    }));
    position_ += done;
    return done;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(auto const got, Read(bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  std::function<std::size_t(char*, std::size_t)> read_;
};

std::shared_ptr<arrow::io::BufferReader> reader_of(std::string_view bytes) {
  return std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(reinterpret_cast<std::uint8_t const*>(bytes.data()),
                                      static_cast<std::int64_t>(bytes.size())));
}

/// Batches of any size, of all columns or only of those that were chosen, as rows.
class arrow_source final : public column_source {
 public:
  arrow_source(container format, arrow_bytes bytes, bool use_threads) {
    options_.use_threads = use_threads;
    if (format == container::parquet)
      open_parquet(bytes.whole);
    else if (format == container::arrow)
      open_file(bytes.whole);
    else
      open_stream(std::move(bytes));
  }

  void choose(std::span<std::size_t const> chosen) override {
    chosen_.assign(chosen.begin(), chosen.end());
    values_.resize(chosen_.size());
    if (start_) start_({chosen.begin(), chosen.end()});
  }
  [[nodiscard]] bool next(source_rows& out) override {
    while (!batch_ || at_ == batch_->num_rows()) {
      batch_ = errors_.value(batches_->Next());
      at_ = 0;
      if (!batch_) return false;
      // Checks what the library does not: offsets, so that no value lies outside its memory.
      if (is_ipc_) errors_.check(batch_->ValidateFull());
    }
    auto const count = std::min(batch_rows, batch_->num_rows() - at_);
    out.rows = static_cast<std::size_t>(count);
    out.columns.clear();
    bool const has_all = static_cast<std::size_t>(batch_->num_columns()) != chosen_.size();
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      auto const at = static_cast<int>(has_all ? chosen_[i] : i);
      values_[i].take(batch_->column(at)->Slice(at_, count), columns[chosen_[i]], errors_);
      out.columns.push_back(values_[i].view());
    }
    at_ += count;
    return true;
  }

 private:
  void describe_all(arrow::Schema const& schema) {
    for (auto const& field : schema.fields()) columns.push_back(describe(*field));
  }
  /// Columns are chosen by their leaves, of which a column of numbers or strings has one. Without a
  /// column the first leaf is read, for the number of rows.
  void open_parquet(std::string_view bytes) {
    parquet::arrow::FileReaderBuilder builder;
    errors_.check(builder.Open(reader_of(bytes)));
    parquet::ArrowReaderProperties properties(options_.use_threads);
    properties.set_batch_size(batch_rows);
    builder.properties(properties);
    std::shared_ptr<parquet::arrow::FileReader> const file = errors_.value(builder.Build());
    std::shared_ptr<arrow::Schema> schema;
    errors_.check(file->GetSchema(&schema));
    describe_all(*schema);
    rows = static_cast<std::uint64_t>(file->parquet_reader()->metadata()->num_rows());
    is_ipc_ = false;
    start_ = [this, file](std::vector<int> leaves) {
      for (auto& at : leaves)
        at = file->manifest().schema_fields[static_cast<std::size_t>(at)].column_index;
      if (leaves.empty()) leaves.push_back(0);
      std::vector<int> groups(static_cast<std::size_t>(file->num_row_groups()));
      std::iota(groups.begin(), groups.end(), 0);
      batches_ = errors_.value(file->GetRecordBatchReader(groups, leaves));
    };
  }
  /// Without a chosen column all are read, for the number of rows.
  void open_file(std::string_view bytes) {
    auto const open = [this, bytes] {
      return errors_.value(arrow::ipc::RecordBatchFileReader::Open(reader_of(bytes), options_));
    };
    auto const file = open();
    describe_all(*file->schema());
    rows = static_cast<std::uint64_t>(errors_.value(file->CountRows()));
    start_ = [this, open, file](std::vector<int> const& chosen) {
      options_.included_fields = chosen;
      auto next = [from = chosen.empty() ? file : open(),
                   i = 0]() mutable -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
        if (i == from->num_record_batches()) return nullptr;
        return from->ReadRecordBatch(i++);
      };
      batches_ = errors_.value(arrow::RecordBatchReader::MakeFromIterator(
          arrow::MakeFunctionIterator(std::move(next)), file->schema()));
    };
  }
  void open_stream(arrow_bytes bytes) {
    std::shared_ptr<arrow::io::InputStream> stream;
    if (bytes.read)
      stream = std::make_shared<tool_input>(std::move(bytes.read), errors_);
    else
      stream = reader_of(bytes.whole);
    batches_ = errors_.value(arrow::ipc::RecordBatchStreamReader::Open(stream, options_));
    describe_all(*batches_->schema());
  }

  kept_exception errors_;
  arrow::ipc::IpcReadOptions options_ = arrow::ipc::IpcReadOptions::Defaults();
  std::function<void(std::vector<int> chosen)> start_;  // sets batches_, once columns are chosen
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  bool is_ipc_ = true;
  std::vector<std::size_t> chosen_;
  std::vector<arrow_values> values_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<column_source> read_by_arrow(container format, arrow_bytes bytes, int threads) {
  if (threads > 0) static_cast<void>(arrow::SetCpuThreadPoolCapacity(threads));
  return std::make_unique<arrow_source>(format, std::move(bytes), threads != 1);
}

}  // namespace upsweep::io
