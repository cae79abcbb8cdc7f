/// The fields of .npy records as columns.
#pragma once

#include <io/byte_source.hpp>
#include <io/column_source.hpp>
#include <io/npy_header.hpp>

#include <memory>

namespace upsweep::io {

/// The records after the header in `bytes`, which must outlive the result. Numbers of every dtype,
/// in any byte order; strings ("S", "U") without the zeros that fill them up.
[[nodiscard]] std::unique_ptr<column_source> make_record_source(byte_source& bytes,
                                                                npy_header header);

}  // namespace upsweep::io
