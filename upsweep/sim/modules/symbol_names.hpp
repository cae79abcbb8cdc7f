/// Names of symbols and files as messages show them.
#pragma once

#include <string>
#include <string_view>

namespace upsweep::sim {

/// `tile` of `void kernel<float>(float*)::tile`.
[[nodiscard]] std::string short_name_of(char const* mangled);
/// Whether a file is one of the emulator's, whose lines are not the program's.
[[nodiscard]] bool is_file_of_emulator(std::string_view file);

}  // namespace upsweep::sim
