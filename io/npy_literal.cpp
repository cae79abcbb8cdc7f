/// The dictionary, strings, tuples and lists of a .npy header.
#include <io/npy_literal.hpp>

#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace upsweep::io {
namespace {

constexpr std::size_t most_dimensions = 64;
constexpr std::size_t longest_element = std::size_t{1} << 30;
constexpr int deepest_record = 16;

}  // namespace

void literal_parser::skip_blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool literal_parser::accept(char c) {
  skip_blanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void literal_parser::expect(char c, std::string_view after) {
  if (!accept(c)) refuse(fmt::format("a '{}' is missing after {}", c, after));
}

std::string_view literal_parser::string(std::string_view what) {
  skip_blanks();
  if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
    refuse(fmt::format("{} is not a string", what));
  auto const end = text_.find(text_[at_], at_ + 1);
  if (end == std::string_view::npos) refuse(fmt::format("{} is not closed", what));
  auto const content = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return content;
}

bool literal_parser::boolean() {
  skip_blanks();
  for (auto [word, value] :
       {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)}) {
    if (!text_.substr(at_).starts_with(word)) continue;
    at_ += word.size();
    return value;
  }
  refuse("'fortran_order' is neither True nor False");
}

std::vector<std::size_t> literal_parser::tuple() {
  std::vector<std::size_t> numbers;
  expect('(', "'shape'");
  while (!accept(')')) {
    skip_blanks();
    std::size_t number = 0;
    auto const [stop, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) refuse("'shape' has an entry that is not a number of 64 bits");
    at_ = static_cast<std::size_t>(stop - text_.data());
    static_cast<void>(accept('L'));  // the suffix of long integers in Python 2
    numbers.push_back(number);
    if (numbers.size() > most_dimensions) refuse("'shape' has more than 64 dimensions");
    if (accept(',')) continue;
    expect(')', "'shape'");
    break;
  }
  return numbers;
}

/// The size of a NumPy type such as "<f8", "|S10" or "<U5", whose characters have four bytes.
std::size_t literal_parser::bytes_of(std::string_view descr) const {
  std::size_t size = 0;
  auto const digits = descr.substr(std::min<std::size_t>(2, descr.size()));
  auto const [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  bool const has_unit = stop != digits.data() + digits.size() && *stop == '[';  // of times
  if (error != std::errc() || (!has_unit && stop != digits.data() + digits.size()) ||
      size > longest_element)
    refuse(fmt::format("'{}' is not the type of a field", descr));
  return descr[1] == 'U' ? 4 * size : size;
}

/// ('name', '<f8'), or (('title', 'name'), '<f8', (2, 3)).
npy_field literal_parser::field(std::size_t offset) {
  npy_field made;
  made.offset = offset;
  expect('(', "the beginning of a record");
  if (accept('(')) {
    static_cast<void>(string("the title of a field"));
    expect(',', "the title of a field");
    made.name = string("the name of a field");
    expect(')', "the name of a field");
  } else {
    made.name = string("the name of a field");
  }
  expect(',', "the name of a field");
  if (peek() == '[') {
    static_cast<void>(record(made.bytes));
    made.is_plain = false;
    made.descr = "records";
  } else {
    bool const has_metadata = accept('(');  // ('|O', {'vlen': ...})
    made.descr = string("the type of a field");
    if (made.descr.ends_with('O'))
      throw data_error(
          fmt::format("{} holds Python objects in the field '{}'; save the others: "
                      "numpy.save(FILE, records[['NAME', ...]]).",
                      file_, shown(made.name)));
    if (has_metadata) refuse("a field has a type with metadata");
    made.bytes = bytes_of(made.descr);
  }
  if (accept(',') && peek() == '(') {
    for (auto const extent : tuple()) {
      if (extent != 0 && made.bytes > longest_element / extent) refuse("a field is too large");
      made.bytes *= extent;
    }
    made.is_plain = false;
    made.descr = "arrays";
  }
  static_cast<void>(accept(','));
  expect(')', "the type of a field");
  return made;
}

std::vector<npy_field> literal_parser::record(std::size_t& bytes) {
  if (++depth_ > deepest_record) refuse("its records are too deep");
  std::vector<npy_field> fields;
  bytes = 0;
  expect('[', "'descr'");
  while (!accept(']')) {
    auto made = field(bytes);
    bytes += made.bytes;
    if (bytes > longest_element) refuse("its records are too large");
    if (!made.name.empty()) fields.push_back(std::move(made));  // others fill up
    if (accept(',')) continue;
    expect(']', "the fields of a record");
    break;
  }
  --depth_;
  return fields;
}

bool literal_parser::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

char literal_parser::peek() {
  skip_blanks();
  return at_ == text_.size() ? '\0' : text_[at_];
}

void literal_parser::refuse(std::string_view why) const {
  throw data_error(fmt::format(
      "{}: The .npy header cannot be read: {} (byte {} of the header); the file is damaged.", file_,
      why, at_));
}

}  // namespace upsweep::io
