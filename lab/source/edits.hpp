/// Replacements in a text, which may be nested, and who finds them.
#pragma once

#include <lab/source/rewrite.hpp>
#include <lab/source/tokens.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

/// A piece of a replacement: new text, then text [begin, end) of the original, itself rewritten.
struct edit_piece {
  std::string text;
  std::size_t begin = 0, end = 0;
};

/// Replaces [begin, end) of the original by the pieces.
struct edit {
  std::size_t begin, end;
  std::vector<edit_piece> pieces;
};

/// Applies `edits`, in any order; an edit inside another one takes part only in the pieces that
/// keep its text.
[[nodiscard]] rewriting apply(std::string_view text, std::vector<edit> edits);

/// Whether the code at an offset is that of a kernel or of a function for the device only.
class device_code {
 public:
  device_code(std::string_view text, struct token_lists const& tokens);
  [[nodiscard]] bool contains(std::size_t offset) const;

 private:
  struct range {
    std::size_t begin, end;
  };
  std::vector<range> ranges_;
};

/// Launches `kernel<...><<<shape>>>(arguments)` become calls. Adds the edits and findings of those
/// in a token list, `code` or a preprocessor line.
void find_launches(token_view const& tokens, bool in_directive, device_code const& device,
                   std::vector<edit>& edits, std::vector<rewrite_finding>& findings);

/// `__shared__ alignas(16) float x[4]` becomes `alignas(16) __shared__ float x[4]`: g++ takes
/// alignas only at the beginning of a declaration.
void find_alignments(token_view const& t, std::vector<edit>& edits);

/// `cudaLaunchKernel((void*)k, ...)` becomes `cudaLaunchKernel(k, ...)`, and the same for every
/// call that takes a kernel's address: without the cast the compiler knows its parameters.
void find_casts_of_kernels(token_view const& t, std::vector<edit>& edits);

/// Puts a check around each index of an array that device code declares in a function.
void find_own_arrays(token_view const& t, device_code const& device, std::vector<edit>& edits);
/// Two dynamic shared arrays in one scope, which begin at the same address.
void find_dynamic_arrays(token_view const& t, std::vector<rewrite_finding>& findings);

/// Values of constants and macros that a run sets in its copy of the source: --set N=1024.
struct setting {
  std::string name, value;
  std::size_t places = 0;  ///< where it was set
};

struct settings_of_run {
  std::vector<setting> all;
  std::vector<std::string> names;  ///< of the constants and macros that could be set
};

/// Edits `#define NAME ...` and `const int NAME = ...`, and in main also `int NAME = ...`.
void find_settings(token_view const& t, bool in_directive, settings_of_run& settings,
                   std::vector<edit>& edits);

}  // namespace upsweep::lab::source
