/// The part of XLA's foreign function interface that a handler needs, as version 0.1 of
/// its C interface lays it out in memory. Declared here so that the package builds without JAX: its
/// header is xla/ffi/api/c_api.h of jaxlib, which a test compares (python/tests/on_jax). XLA
/// accepts handlers of older versions (docs/design/0019-jax.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::python::xla {

inline constexpr int major_version = 0, minor_version = 1;

enum data_type : int { s64 = 5, f16 = 10, f32 = 11, f64 = 12, c64 = 15, bf16 = 16, c128 = 18 };
enum attribute_type : int { scalar_attribute = 3 };
enum error_code : int { invalid_argument = 3 };
enum extension_type : int { metadata_extension_type = 1 };

struct extension {
  std::size_t struct_size;
  int type;
  extension* next;
};
struct version {
  std::size_t struct_size;
  extension* extensions;
  int major_version, minor_version;
};
struct error;  ///< XLA's
struct error_arguments {
  std::size_t struct_size;
  extension* extensions;
  char const* message;
  int code;
};
struct stream_arguments {
  std::size_t struct_size;
  extension* extensions;
  void* context;  ///< that of the call
  void* stream;   ///< is set
};
/// The first members; later ones are not used.
struct functions {
  std::size_t struct_size;
  extension* extensions;
  xla::version version;
  void const* internal;
  error* (*create_error)(error_arguments*);
  void const* of_errors[2];
  void const* of_handlers;
  error* (*get_stream)(stream_arguments*);
};
struct buffer {
  std::size_t struct_size;
  extension* extensions;
  int type;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};
struct text {
  char const* first;
  std::size_t size;
};
struct scalar {
  int type;
  void* value;
};
/// Arguments, or results.
struct buffers {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* types;
  void** values;
};
/// Sorted by name.
struct attributes {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* types;
  text** names;
  void** values;
};
struct call_frame {
  std::size_t struct_size;
  extension* extensions;
  functions const* api;
  void* context;
  int stage;
  buffers arguments, results;
  xla::attributes attributes;
};
struct metadata {
  std::size_t struct_size;
  xla::version version;
  std::uint32_t traits;
};
struct metadata_extension {
  extension base;
  xla::metadata* metadata;
};

using handler = error*(call_frame*);

}  // namespace upsweep::python::xla
