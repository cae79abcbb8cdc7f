/// CUDA C++ as a C++ compiler takes it: launches become calls, and PTX calls of named functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

/// A construct in the source that the emulator does not support, as a sentence without its line.
struct rewrite_finding {
  std::size_t line = 0;  ///< from 1
  std::string sentence;
  bool refuses = false;  ///< the file cannot be compiled; else the line fails when executed
  bool is_hint = false;  ///< what is there runs, but perhaps not as meant
};
/// The sentence, and what happens at that line.
[[nodiscard]] std::string note_of(rewrite_finding const& found);

/// Where a kept part of the text lies in the old and in the new text.
struct kept_text {
  std::size_t rewritten = 0, original = 0, length = 0;
};

struct rewriting {
  std::string text;  ///< has the lines of the original
  std::vector<rewrite_finding> findings;
  std::vector<kept_text> kept;  ///< in order of `rewritten`
  bool has_kernel = false;      ///< the word __global__ occurs
  bool has_main = false;        ///< a function `main` is declared
};

/// Rewrites the text of a .cu file or of a header. Never fails: what it does not understand stays.
/// `settings`, if there are any, are applied.
[[nodiscard]] rewriting rewrite(std::string_view text, struct settings_of_run* settings = nullptr);

/// The column (from 1) in the original text for one that a compiler reports of the rewritten text.
/// A position inside an inserted text becomes the beginning of what was replaced.
[[nodiscard]] std::size_t original_column(rewriting const& done, std::string_view original,
                                          std::size_t line, std::size_t column);

/// A line `#include "NAME"` or `#include <NAME>`.
struct included {
  std::string name;
  bool is_quoted = false;
  std::size_t line = 0;

  friend bool operator==(included const&, included const&) = default;
};

/// What `text` includes, in order.
[[nodiscard]] std::vector<included> includes(std::string_view text);

struct kernel_parameter {
  std::string name;  ///< may be empty
  std::string text;  ///< "float const* in"
};

/// A kernel that a file declares, for messages and for calls by name.
struct kernel_declaration {
  std::string name;  ///< without namespace and template arguments
  bool is_template = false;
  std::vector<kernel_parameter> parameters;
  std::size_t line = 0;
};

/// The kernels of a text in order, each once.
[[nodiscard]] std::vector<kernel_declaration> kernels_in(std::string_view text);

}  // namespace upsweep::lab::source
