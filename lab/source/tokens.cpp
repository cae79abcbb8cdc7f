/// One pass over the text; a preprocessor line goes to a list of its own.
#include <lab/source/tokens.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace upsweep::lab::source {

namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_word(char c) {
  return begins_word(c) || is_digit(c);
}

class splitter {
 public:
  explicit splitter(std::string_view text) : text_(text) {}

  token_lists run() {
    while (at_ < text_.size()) step();
    return std::move(lists_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool starts(std::string_view with) const {
    return text_.substr(at_).starts_with(with);
  }
  /// The length of a backslash and the line break after it, or 0.
  [[nodiscard]] std::size_t continuation(std::size_t at) const {
    if (text_[at] != '\\') return 0;
    if (text_.substr(at + 1).starts_with("\r\n")) return 3;
    return text_.substr(at + 1).starts_with('\n') ? 2 : 0;
  }

  void step() {
    if (auto const n = continuation(at_); n != 0) {
      at_ += n;
    } else if (peek() == '\n') {
      ++at_;
      line_is_empty_ = true;
      in_directive_ = false;
    } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
      ++at_;
    } else if (starts("//")) {
      while (at_ < text_.size() && peek() != '\n')
        at_ += std::max<std::size_t>(1, continuation(at_));
    } else if (starts("/*")) {
      auto const end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      if (peek() == '#' && line_is_empty_) {
        in_directive_ = true;
        lists_.directives.emplace_back();
      }
      line_is_empty_ = false;
      token_at_here();
    }
  }

  void token_at_here() {
    std::size_t const begin = at_;
    token_kind kind = token_kind::mark;
    if (begins_word(peek())) {
      while (continues_word(peek())) ++at_;
      kind = token_kind::word;
      std::string_view const prefix = text_.substr(begin, at_ - begin);
      if (peek() == '"' || peek() == '\'') kind = literal(prefix);
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      number();
      kind = token_kind::number;
    } else if (peek() == '"' || peek() == '\'') {
      kind = literal("");
    } else {
      at_ += mark_length();
    }
    (in_directive_ ? lists_.directives.back() : lists_.code).push_back({kind, begin, at_});
  }

  /// At the quote after `prefix`, which may make the literal a raw one, or be a macro's name.
  token_kind literal(std::string_view prefix) {
    bool const raw = prefix.ends_with('R') && peek() == '"';
    std::string_view const encoding = prefix.substr(0, prefix.size() - (raw ? 1 : 0));
    if (encoding != "" && encoding != "u8" && encoding != "u" && encoding != "U" && encoding != "L")
      return token_kind::word;
    char const quote = peek();
    if (raw) {
      auto const open = text_.find('(', at_);
      std::string const last =
          open == std::string_view::npos
              ? "\""
              : ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      auto const end = text_.find(last, open == std::string_view::npos ? at_ + 1 : open);
      at_ = end == std::string_view::npos ? text_.size() : end + last.size();
      return token_kind::string;
    }
    for (++at_; at_ < text_.size() && peek() != quote && peek() != '\n';)
      at_ += peek() == '\\' ? std::max<std::size_t>(2, continuation(at_)) : 1;
    at_ = std::min(at_ + (peek() == quote ? 1 : 0), text_.size());
    return quote == '"' ? token_kind::string : token_kind::character;
  }

  void number() {
    while (continues_word(peek()) || peek() == '.' || (peek() == '\'' && continues_word(peek(1)))) {
      bool const exponent = std::string_view("eEpP").find(peek()) != std::string_view::npos;
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-')) ++at_;
    }
  }

  [[nodiscard]] std::size_t mark_length() const {
    for (std::string_view const mark : {"<<<", "<<", "<=", ">=", "::", "->", "##"})
      if (starts(mark)) return mark.size();
    return 1;
  }

  std::string_view text_;
  token_lists lists_;
  std::size_t at_ = 0;
  bool line_is_empty_ = true, in_directive_ = false;
};

}  // namespace

token_lists split(std::string_view text) {
  return splitter(text).run();
}

std::size_t token_view::closing(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t i = open; i < size(); ++i) {
    if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
    if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0) return i;
  }
  return size();
}

std::size_t token_view::opening(std::size_t close) const {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (is(i, ")") || is(i, "]") || is(i, "}")) ++depth;
    if ((is(i, "(") || is(i, "[") || is(i, "{")) && --depth == 0) return i;
  }
  return size();
}

std::size_t token_view::opens_brackets(std::size_t i) const {
  return is(i, "<<<") ? 1 : is(i, "<<") && is(i + 1, "<") ? 2 : 0;
}

bool token_view::ends_brackets(std::size_t i) const {
  return is(i, ">") && is(i + 1, ">") && is(i + 2, ">");
}

std::string token_view::joined(std::size_t first, std::size_t last) const {
  auto const wordlike = [&](std::size_t i) { return tokens_[i].kind != token_kind::mark; };
  std::string all;
  for (std::size_t i = first; i < last; ++i) {
    bool const apart =
        i > first && ((wordlike(i - 1) && wordlike(i)) || is(i - 1, ",") ||
                      (!wordlike(i - 1) && !wordlike(i) && tokens_[i - 1].end != tokens_[i].begin));
    if (apart) all += ' ';
    all += text(i);
  }
  std::replace(all.begin(), all.end(), '\n', ' ');  // in a raw string
  return all;
}

std::string line_breaks(std::string_view text, std::size_t begin, std::size_t end, bool continued) {
  std::string all;
  for (auto n = std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                           text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
       n > 0; --n)
    all += continued ? "\\\n" : "\n";
  return all;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  auto const before = text.substr(0, at);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace upsweep::lab::source
