/// Errors of Arrow's library as exceptions.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::io {

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

}  // namespace upsweep::io
