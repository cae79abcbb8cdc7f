/// Types of Arrow's library as dtypes, its errors as exceptions, and its view of the tool's
/// streams.
#pragma once

#include <io/dtype.hpp>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::io {

/// The types of numbers that both have; bf16 is none of them.
struct number_type {
  dtype ours;
  arrow::Type::type id;
  std::shared_ptr<arrow::DataType> const& (*make)();
};
inline constexpr number_type number_types[] = {
    {dtype::i8, arrow::Type::INT8, arrow::int8},
    {dtype::i16, arrow::Type::INT16, arrow::int16},
    {dtype::i32, arrow::Type::INT32, arrow::int32},
    {dtype::i64, arrow::Type::INT64, arrow::int64},
    {dtype::u8, arrow::Type::UINT8, arrow::uint8},
    {dtype::u16, arrow::Type::UINT16, arrow::uint16},
    {dtype::u32, arrow::Type::UINT32, arrow::uint32},
    {dtype::u64, arrow::Type::UINT64, arrow::uint64},
    {dtype::f16, arrow::Type::HALF_FLOAT, arrow::float16},
    {dtype::f32, arrow::Type::FLOAT, arrow::float32},
    {dtype::f64, arrow::Type::DOUBLE, arrow::float64},
    {dtype::boolean, arrow::Type::BOOL, arrow::boolean},
};

/// An exception of a callback, kept while Arrow's functions return.
struct kept_exception {
  std::exception_ptr what = nullptr;

  /// Calls f; a status says whether it threw.
  template <class F>
  arrow::Status run(F const& f) {
    try {
      f();
      return arrow::Status::OK();
    } catch (...) {
      what = std::current_exception();
      return arrow::Status::IOError("The tool's own input or output failed");
    }
  }
  void check(arrow::Status const& status) const {
    if (status.ok()) return;
    if (what) std::rethrow_exception(what);
    if (status.IsOutOfMemory()) throw std::bad_alloc();
    std::string sentence = status.message();
    while (sentence.ends_with('.') || sentence.ends_with('\n')) sentence.pop_back();
    throw std::runtime_error(sentence);
  }
  template <class T>
  T value(arrow::Result<T> result) const {
    check(result.status());
    return std::move(result).ValueUnsafe();
  }
};

/// A stream of the tool's, in or out, as Arrow's functions see it.
template <class Interface>
class tool_stream : public Interface {
 public:
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] arrow::Result<std::int64_t> Tell() const override { return position_; }

 protected:
  tool_stream(arrow::io::FileMode::type mode, kept_exception& errors) : errors_(errors) {
    this->set_mode(mode);
  }

  kept_exception& errors_;
  std::int64_t position_ = 0;

 private:
  bool closed_ = false;
};

}  // namespace upsweep::io
