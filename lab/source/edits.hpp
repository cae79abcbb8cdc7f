/// Replacements in a text, which may be nested.
#pragma once

#include <lab/source/rewrite.hpp>

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

}  // namespace upsweep::lab::source
