/// The kernels that a file declares, for messages and for calls by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

struct kernel_parameter {
  std::string name;  ///< may be empty
  std::string text;  ///< "float const* in"
};

struct kernel_declaration {
  std::string name;  ///< without namespace and template arguments
  bool is_template = false;
  std::vector<kernel_parameter> parameters;
  std::size_t line = 0;
};

/// The kernels of a text in order, each once.
[[nodiscard]] std::vector<kernel_declaration> kernels_in(std::string_view text);

}  // namespace upsweep::lab::source
