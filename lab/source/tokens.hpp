/// The tokens of C++ text, comments left out; the text of preprocessor lines is kept apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

enum class token_kind { word, number, string, character, mark };

struct token {
  token_kind kind;
  std::size_t begin, end;  ///< offsets in the text
};

/// A run of tokens that no preprocessor line interrupts logically: the code, or one such line.
using token_list = std::vector<token>;

struct token_lists {
  token_list code;
  std::vector<token_list> directives;  ///< each begins with #
};

/// Splits `text`. Marks of more than one character are :: -> <<< << <= >= ##; three > that close
/// are three tokens. Text that is not C++ gives tokens too, never an error.
[[nodiscard]] token_lists split(std::string_view text);

/// A text and one of its token lists, seen through indices.
class token_view {
 public:
  token_view(std::string_view text, token_list const& tokens) : text_(text), tokens_(tokens) {}

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] token const& operator[](std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                      : std::string_view{};
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const { return text(i) == word; }
  [[nodiscard]] bool is_word(std::size_t i) const {
    return i < size() && tokens_[i].kind == token_kind::word;
  }
  /// The bracket that closes the one at `open`, or size().
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// The bracket that the one at `close` closes, or size().
  [[nodiscard]] std::size_t opening(std::size_t close) const;
  /// The number of tokens in the <<< that begins at `i`, which nvcc also accepts as << <, or 0.
  [[nodiscard]] std::size_t opens_brackets(std::size_t i) const;
  /// Whether three > begin at `i`.
  [[nodiscard]] bool ends_brackets(std::size_t i) const;
  /// Tokens [first, last) on one line, in the spacing of a message: "scale<float, 4>".
  [[nodiscard]] std::string joined(std::size_t first, std::size_t last) const;
  [[nodiscard]] std::string_view source() const { return text_; }

 private:
  std::string_view text_;
  token_list const& tokens_;
};

/// The line breaks of [begin, end), each continued by a backslash in a preprocessor line.
[[nodiscard]] std::string line_breaks(std::string_view text, std::size_t begin, std::size_t end,
                                      bool continued);

/// The line of an offset, from 1.
[[nodiscard]] std::size_t line_of(std::string_view text, std::size_t at);

}  // namespace upsweep::lab::source
