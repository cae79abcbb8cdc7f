/// Numbers stay where Arrow has them; dates, times and decimals become strings as Arrow writes
/// them.
#include <io/arrow/values.hpp>

#include <arrow/compute/cast.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace upsweep::io {
namespace {

using arrow::Type;

std::optional<dtype> number_type(Type::type id) {
  switch (id) {
    case Type::INT8:
      return dtype::i8;
    case Type::INT16:
      return dtype::i16;
    case Type::INT32:
      return dtype::i32;
    case Type::INT64:
      return dtype::i64;
    case Type::UINT8:
      return dtype::u8;
    case Type::UINT16:
      return dtype::u16;
    case Type::UINT32:
      return dtype::u32;
    case Type::UINT64:
      return dtype::u64;
    case Type::HALF_FLOAT:
      return dtype::f16;
    case Type::FLOAT:
      return dtype::f32;
    case Type::DOUBLE:
      return dtype::f64;
    case Type::BOOL:
      return dtype::boolean;
    case Type::DURATION:
      return dtype::i64;
    default:
      return std::nullopt;
  }
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
  if (is_text(id) || number_type(id)) return array;
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

}  // namespace

source_column describe(arrow::Field const& field) {
  source_column made{field.name()};
  auto const& type = plain_type(*field.type());
  auto const id = type.id();
  made.type = is_whole(type) ? dtype::i64 : number_type(id);
  made.is_decimal = arrow::is_decimal(id) && !made.type;
  bool const has_texts = is_text(id) || made.is_decimal || id == Type::LARGE_STRING ||
                         id == Type::LARGE_BINARY || id == Type::STRING_VIEW ||
                         id == Type::BINARY_VIEW || id == Type::FIXED_SIZE_BINARY ||
                         arrow::is_temporal(id) || id == Type::NA;
  if (!made.type && !has_texts) made.unreadable = type.ToString();
  return made;
}

void arrow_values::take(std::shared_ptr<arrow::Array> array, source_column const& column,
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
  if (*column.type == dtype::boolean) {
    auto const& bits = static_cast<arrow::BooleanArray const&>(*array_);
    booleans_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
      booleans_[row] = bits.Value(static_cast<std::int64_t>(row)) ? 1 : 0;
    view_.numbers = {dtype::boolean, std::as_bytes(std::span(booleans_))};
    return;
  }
  auto const size = size_of(*column.type);
  auto const& buffer = array_->data()->buffers[1];
  auto const* const first = buffer ? reinterpret_cast<std::byte const*>(buffer->data()) +
                                         static_cast<std::size_t>(array_->offset()) * size
                                   : nullptr;
  view_.numbers = {*column.type, {first, rows * size}};
}

void arrow_values::take_texts(arrow::Array const& array, bool drops_zeros) {
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

}  // namespace upsweep::io
