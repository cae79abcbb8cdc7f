/// Reads and writes the .npy header: a Python dictionary in ASCII with a string, a boolean and a
/// tuple under three keys, in any order.
#include <io/npy_header.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace upsweep::io {
namespace {

constexpr std::string_view byte_orders("<>=|");  // the first character of a type
constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = std::size_t{1} << 20;

constexpr std::size_t most_dimensions = 64;
constexpr std::size_t longest_element = std::size_t{1} << 30;
constexpr int deepest_record = 16;

/// The kinds of Python literals that occur in the header.
class literal_parser {
 public:
  literal_parser(std::string_view text, std::string const& file) : text_(text), file_(file) {}

  /// The next character that is no blank; '\0' at the end.
  [[nodiscard]] char peek() {
    at_ = std::min(text_.find_first_not_of(" \n\t\r", at_), text_.size());
    return at_ == text_.size() ? '\0' : text_[at_];
  }
  [[nodiscard]] bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view after) {
    if (!accept(c)) refuse(fmt::format("a '{}' is missing after {}", c, after));
  }
  [[nodiscard]] std::string_view string(std::string_view what) {
    char const quote = peek();
    if (quote != '\'' && quote != '"') refuse(fmt::format("{} is not a string", what));
    auto const end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(fmt::format("{} is not closed", what));
    auto const content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }
  [[nodiscard]] bool boolean() {
    bool const value = peek() == 'T';
    std::string_view const word = value ? "True" : "False";
    if (!text_.substr(at_).starts_with(word)) refuse("'fortran_order' is neither True nor False");
    at_ += word.size();
    return value;
  }
  [[nodiscard]] std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(', "'shape'");
    while (!accept(')')) {
      static_cast<void>(peek());
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
  /// The fields of a record, without those that only fill it up; its size goes to `bytes`.
  [[nodiscard]] std::vector<npy_field> record(std::size_t& bytes) {
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
  [[noreturn]] void refuse(std::string_view why) const {
    throw data_error(
        "{}: The .npy header cannot be read: {} (byte {} of the header); the file is damaged.",
        file_, why, at_);
  }

 private:
  /// ('name', '<f8'), or (('title', 'name'), '<f8', (2, 3)).
  [[nodiscard]] npy_field field(std::size_t offset) {
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
            "{} holds Python objects in the field '{}'; save the others: numpy.save(FILE, "
            "records[['NAME', ...]]).",
            file_, shown(made.name));
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
  /// The size of a NumPy type such as "<f8", "|S10" or "<U5", whose characters have four bytes.
  [[nodiscard]] std::size_t bytes_of(std::string_view descr) const {
    if (descr.empty() || !contains(byte_orders, descr[0]))
      refuse(fmt::format("'{}' has no byte order", descr));
    std::size_t size = 0;
    auto const digits = descr.substr(std::min<std::size_t>(2, descr.size()));
    auto const [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    bool const has_unit = stop != digits.data() + digits.size() && *stop == '[';  // of times
    if (error != std::errc() || (!has_unit && stop != digits.data() + digits.size()) ||
        size > longest_element)
      refuse(fmt::format("'{}' is not the type of a field", descr));
    return descr[1] == 'U' ? 4 * size : size;
  }

  std::string_view text_;
  std::string const& file_;
  std::size_t at_ = 0;
  int depth_ = 0;  ///< of records in records
};

void set_type(npy_header& header, std::string_view descr, std::optional<dtype> wanted,
              std::string const& file) {
  auto const known =
      !descr.empty() && contains(byte_orders, descr[0]) ? find_dtype(descr) : std::nullopt;
  bool const brain_float = descr.ends_with("V2") && wanted == dtype::bf16;
  if (!known && !brain_float)
    throw data_error("{} holds '{}': {}.", file, shown(descr), reason_against(descr));
  header.type = brain_float ? dtype::bf16 : *known;
  header.order = order_of(descr);
  header.element_bytes = size_of(header.type);
}

/// An empty array may have a result for each of its columns, so these are bounded too: no content
/// of the file represents them.
void count_elements(npy_header& header, std::string const& file) {
  constexpr auto most = std::numeric_limits<std::size_t>::max() / 2;
  constexpr auto most_of_empty = std::size_t{1} << 20;
  auto const& shape = header.shape;
  bool const empty = std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end();
  std::size_t elements = 1;
  for (auto extent : shape) {
    if (extent == 0) continue;
    if (elements > most / header.element_bytes / extent ||
        (empty && elements > most_of_empty / extent)) {
      throw data_error("{}: The shape in the .npy header, ({}), {}; the file is damaged.", file,
                       fmt::join(shape, ", "),
                       empty ? "is empty but has more than 2^20 columns"
                             : "has more elements than a file can hold");
    }
    elements *= extent;
  }
  header.elements = empty ? 0 : elements;
}

}  // namespace

std::vector<std::size_t> strides_of(std::span<std::size_t const> shape, bool fortran_order) {
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    auto const d = fortran_order ? i : shape.size() - 1 - i;
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

byte_order order_of(std::string_view descr) noexcept {
  return descr[0] == '>' ? byte_order::big : descr[0] == '<' ? byte_order::little : native_order;
}

std::string_view reason_against(std::string_view descr) noexcept {
  switch (descr.size() > 1 ? descr[1] : '\0') {
    case 'c':
      return "complex numbers; save .real and .imag as separate arrays";
    case 'O':
      return "Python objects; save numbers";
    case 'S':
    case 'U':
    case 'a':
      return "strings; save numbers";
    case 'M':
    case 'm':
      return "dates or times; save them as integers with .astype('int64')";
    case 'V':
      return "raw bytes; give --dtype bf16 if they are 2-byte floats of ml_dtypes";
    default:
      return "elements of a type that is not supported; convert them with .astype";
  }
}

bool is_npy(std::string_view start) noexcept {
  return start.starts_with(magic);
}

std::size_t npy_header_bytes(std::string_view start, std::string const& file) {
  if (!is_npy(start))
    throw data_error("{} is not a .npy file: it does not begin with \\x93NUMPY.", file);
  if (start.size() < 12)
    throw data_error("{} ends after {} bytes, inside the .npy header.", file, start.size());
  auto const byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    throw data_error("{} has .npy version {}.{}; versions 1.0, 2.0 and 3.0 are supported.", file,
                     byte(6), byte(7));
  auto const prefix = byte(6) == 1 ? std::size_t{10} : std::size_t{12};
  auto const length = byte(6) == 1 ? byte(8) | byte(9) << 8
                                   : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > longest_header)
    throw data_error("{}: The .npy header claims a length of {} bytes; the file is damaged.", file,
                     length);
  return prefix + length;
}

npy_header parse_npy_header(std::string_view bytes, std::optional<dtype> wanted,
                            std::string const& file) {
  npy_header header;
  literal_parser in(bytes.substr(bytes[6] == 1 ? 10 : 12), file);
  std::optional<std::string_view> descr;
  bool has_order = false;
  bool has_shape = false;
  in.expect('{', "the length");
  while (!in.accept('}')) {
    auto const key = in.string("a key");
    in.expect(':', "a key");
    if (key == "descr") {
      if (in.peek() == '[') {
        header.fields = in.record(header.element_bytes);
        if (header.fields.empty() || header.element_bytes == 0) in.refuse("its records are empty");
        descr = "";
      } else {
        descr = in.string("'descr'");
      }
    } else if (key == "fortran_order") {
      header.fortran_order = in.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = in.tuple();
      has_shape = true;
    } else {
      in.refuse("it has a key that is none of 'descr', 'fortran_order' and 'shape'");
    }
    if (!in.accept(',') && in.peek() != '}') in.refuse("a ',' or '}' is missing");
  }
  if (in.peek() != '\0') in.refuse("something follows the '}'");
  if (!descr || !has_order || !has_shape)
    in.refuse("one of 'descr', 'fortran_order' and 'shape' is missing");
  if (header.fields.empty()) set_type(header, *descr, wanted, file);
  count_elements(header, file);
  return header;
}

std::string format_npy_header(dtype type, byte_order order, std::span<std::size_t const> shape,
                              bool reserve) {
  auto const mark = size_of(type) == 1 ? '|' : order == byte_order::little ? '<' : '>';
  auto const dictionary = [&](std::string_view rows) {
    std::string extents;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      extents += i == 0 && !rows.empty() ? std::string(rows) : fmt::format("{}", shape[i]);
      extents += shape.size() == 1 ? "," : i + 1 == shape.size() ? "" : ", ";
    }
    return fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", mark,
                       type == dtype::bf16 ? "V2" : numpy_name(type), extents);
  };
  auto text = dictionary({});
  auto const longest = reserve ? dictionary("18446744073709551615").size() : text.size();
  auto const version_1 = longest + 11 + 63 < 65536;
  auto const prefix = version_1 ? std::size_t{10} : std::size_t{12};
  auto const total = (prefix + longest + 1 + 63) / 64 * 64;
  text.resize(total - prefix - 1, ' ');
  text += '\n';
  std::string header(magic);
  header += version_1 ? '\x01' : '\x02';
  header += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i)
    header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return header + text;
}

}  // namespace upsweep::io
