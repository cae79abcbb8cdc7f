/// Calls from programs that XLA has compiled: their arrays and numbers, and handlers of them.
#pragma once

#include <python/binding/xla_ffi.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace upsweep::python {

/// An array of a call: contiguous, in the order of C.
class xla_array {
 public:
  explicit xla_array(void const* of) : of_(*static_cast<xla::buffer const*>(of)) {}

  [[nodiscard]] int type() const { return of_.type; }
  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(of_.rank); }
  [[nodiscard]] std::size_t dim(std::size_t d) const {
    return static_cast<std::size_t>(of_.dims[d]);
  }
  /// The number of elements of the dimensions [begin, end).
  [[nodiscard]] std::size_t count(std::size_t begin, std::size_t end) const {
    std::size_t n = 1;
    for (std::size_t d = begin; d < end; ++d) n *= dim(d);
    return n;
  }
  [[nodiscard]] std::size_t size() const { return count(0, rank()); }
  [[nodiscard]] std::byte* bytes() const { return static_cast<std::byte*>(of_.data); }
  template <class T>
  [[nodiscard]] T* elements() const {
    return static_cast<T*>(of_.data);
  }

 private:
  xla::buffer const& of_;
};

class xla_call {
 public:
  explicit xla_call(xla::call_frame const& frame) : frame_(frame) {}

  [[nodiscard]] xla_array in(std::size_t i) const { return of(frame_.arguments, i); }
  [[nodiscard]] xla_array out(std::size_t i) const { return of(frame_.results, i); }
  /// An attribute, which is an int64.
  [[nodiscard]] std::int64_t number(std::string_view name) const {
    auto const& given = frame_.attributes;
    for (std::int64_t i = 0; i < given.size; ++i) {
      if (std::string_view(given.names[i]->first, given.names[i]->size) != name) continue;
      auto const* const value = static_cast<xla::scalar const*>(given.values[i]);
      if (given.types[i] == xla::scalar_attribute && value->type == xla::s64)
        return *static_cast<std::int64_t const*>(value->value);
    }
    detail::fail("_core: a call lacks a number");
  }
  /// Of a call on a GPU.
  [[nodiscard]] void* stream() const {
    xla::stream_arguments of{sizeof of, nullptr, frame_.context, nullptr};
    detail::expects(frame_.api->get_stream(&of) == nullptr, "_core: a call has no stream");
    return of.stream;
  }

 private:
  static xla_array of(xla::buffers const& from, std::size_t i) {
    detail::expects(i < static_cast<std::size_t>(from.size), "_core: a call lacks a buffer");
    return xla_array(from.values[i]);
  }

  xla::call_frame const& frame_;
};

inline xla::error* error_of(xla::functions const& xla_has, char const* message) {
  xla::error_arguments how{sizeof how, nullptr, message, xla::invalid_argument};
  return xla_has.create_error(&how);
}

/// A handler of XLA, which is asked once for the version of the interface that it knows. XLA
/// flushes subnormal numbers on its threads.
template <void (*run)(xla_call const&)>
xla::error* handle(xla::call_frame* frame) {
  if (auto* const asked = frame->extensions; asked && asked->type == xla::metadata_extension_type) {
    xla::metadata& about = *reinterpret_cast<xla::metadata_extension*>(asked)->metadata;
    about.version.major_version = xla::major_version;
    about.version.minor_version = xla::minor_version;
    return nullptr;
  }
  try {
    detail::float_environment const ieee;
    run(xla_call(*frame));
    return nullptr;
  } catch (std::exception const& e) {
    return error_of(*frame->api, e.what());
  }
}

template <void (*run)(xla_call const&)>
nanobind::capsule xla_capsule() {
  xla::handler* const f = handle<run>;
  return nanobind::capsule(reinterpret_cast<void*>(f));
}

}  // namespace upsweep::python
