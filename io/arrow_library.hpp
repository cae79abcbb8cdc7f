/// Finds and loads the module of Arrow's library.
#pragma once

#include <io/arrow/module.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

namespace upsweep::io {

struct loaded_library {
  arrow_module const* module = nullptr;
  std::string trouble = {};  ///< why it is not there
};
/// The module, loaded once from a folder beside the tool's own and from nowhere else.
[[nodiscard]] loaded_library const& arrow_library();

/// Calls f. What Arrow's library says about a file becomes a data_error.
template <class F>
decltype(auto) with_file(std::string const& file, F const& f) {
  try {
    return f();
  } catch (tool_error const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& e) {
    throw data_error(fmt::format("{}: {}.", file, e.what()));
  }
}

}  // namespace upsweep::io
