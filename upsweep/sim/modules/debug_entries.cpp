/// One pass over .debug_info; the numbers are those of the DWARF standard.
#include <upsweep/sim/modules/object_file.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

namespace attribute {
enum : unsigned {
  location = 0x02,
  name = 0x03,
  byte_size = 0x0b,
  upper_bound = 0x2f,
  abstract_origin = 0x31,
  count = 0x37,
  member_location = 0x38,
  declaration = 0x3c,
  encoding = 0x3e,
  specification = 0x47,
  type = 0x49,
  linkage_name = 0x6e,
  string_offsets_base = 0x72,
  address_base = 0x73
};
}  // namespace attribute

class byte_reader {
 public:
  byte_reader(std::span<std::byte const> all, std::uint64_t at) : all_(all), at_(at) {}

  [[nodiscard]] std::uint64_t position() const { return at_; }
  void skip(std::uint64_t bytes) { at_ += bytes; }
  [[nodiscard]] std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    if (at_ + bytes > all_.size()) throw std::out_of_range("debug data");
    std::memcpy(&value, all_.data() + at_, bytes);
    at_ += bytes;
    return value;
  }
  [[nodiscard]] std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      std::uint64_t const byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  [[nodiscard]] std::string text() {
    std::string all;
    while (char const c = static_cast<char>(number(1))) all += c;
    return all;
  }

 private:
  std::span<std::byte const> all_;
  std::uint64_t at_;
};

struct sections {
  std::span<std::byte const> info, abbreviations, strings, line_strings, string_offsets, addresses;
};

struct abbreviation {
  struct part {
    unsigned attribute, form;
    std::uint64_t constant;
  };
  unsigned tag = 0;
  bool has_children = false;
  std::vector<part> parts;
};

std::map<std::uint64_t, abbreviation> abbreviations_at(sections const& s, std::uint64_t offset) {
  std::map<std::uint64_t, abbreviation> all;
  byte_reader r(s.abbreviations, offset);
  while (std::uint64_t const code = r.unsigned_leb()) {
    abbreviation& a = all[code];
    a.tag = static_cast<unsigned>(r.unsigned_leb());
    a.has_children = r.number(1) != 0;
    for (;;) {
      abbreviation::part p{};
      p.attribute = static_cast<unsigned>(r.unsigned_leb());
      p.form = static_cast<unsigned>(r.unsigned_leb());
      if (p.form == 0x21) p.constant = r.unsigned_leb();  // stored here; nobody needs its sign
      if (p.attribute == 0 && p.form == 0) break;
      a.parts.push_back(p);
    }
  }
  return all;
}

using entry_taker = std::function<void(std::uint64_t, debug_entry, std::uint64_t)>;

/// The entries of one compilation unit.
class unit_reader {
 public:
  unit_reader(sections const& s, entry_taker const& take, std::uint64_t at)
      : s_(s), take_(take), unit_(at), r_(s.info, at) {}

  /// Returns the offset of the next unit.
  std::uint64_t read() {
    std::uint64_t const length = r_.number(4), end = unit_ + 4 + length;
    auto const version = r_.number(2);
    if (length >= 0xfffffff0 || version < 4 || version > 5) return end;
    std::uint64_t const kind = version == 5 ? r_.number(1) : 1;
    if (version == 5) r_.skip(1);
    auto const abbreviations = abbreviations_at(s_, r_.number(4));
    if (version == 4) r_.skip(1);
    if (kind != 1 && kind != 3) return end;
    std::vector<std::uint64_t> parents{0};
    while (r_.position() < end) {
      std::uint64_t const at = r_.position(), code = r_.unsigned_leb();
      if (code == 0) {
        if (parents.size() > 1) parents.pop_back();
        continue;
      }
      abbreviation const& a = abbreviations.at(code);
      debug_entry made;
      made.tag = a.tag;
      for (auto const& p : a.parts) take(p, made);
      take_(at, std::move(made), parents.back());
      if (a.has_children) parents.push_back(at);
    }
    return end;
  }

 private:
  struct value {
    std::uint64_t number = 0;
    std::string text;
    std::uint64_t block_begin = 0, block_end = 0;
  };

  std::string text_at(std::span<std::byte const> section, std::uint64_t offset) {
    return byte_reader(section, offset).text();
  }
  std::string indexed_text(std::uint64_t index) {
    byte_reader offset(s_.string_offsets, string_offsets_base_ + 4 * index);
    return text_at(s_.strings, offset.number(4));
  }
  std::uint64_t indexed_address(std::uint64_t index) {
    return byte_reader(s_.addresses, address_base_ + 8 * index).number(8);
  }
  value block(std::uint64_t bytes) {
    value v;
    v.block_begin = r_.position();
    r_.skip(bytes);
    v.block_end = r_.position();
    return v;
  }

  /// The bytes of a number of fixed length; 0 for another form.
  static std::size_t fixed_bytes(unsigned form) {
    constexpr std::pair<unsigned, std::size_t> sizes[] = {
        {0x0b, 1}, {0x0c, 1}, {0x05, 2}, {0x06, 4}, {0x10, 4}, {0x17, 4},
        {0x1c, 4}, {0x1d, 4}, {0x01, 8}, {0x07, 8}, {0x20, 8}, {0x24, 8}};
    for (auto const& [known, bytes] : sizes)
      if (known == form) return bytes;
    return 0;
  }

  value read_form(unsigned form, std::uint64_t constant) {
    if (std::size_t const bytes = fixed_bytes(form); bytes != 0) return {r_.number(bytes), {}};
    if (form >= 0x11 && form <= 0x14)  // positions in this unit
      return {unit_ + r_.number(std::size_t{1} << (form - 0x11)), {}};
    if (form >= 0x25 && form <= 0x28) return {0, indexed_text(r_.number(form - 0x24))};
    if (form >= 0x29 && form <= 0x2c) return {indexed_address(r_.number(form - 0x28)), {}};
    switch (form) {
      case 0x03:
        return block(r_.number(2));
      case 0x04:
        return block(r_.number(4));
      case 0x08:
        return {0, r_.text()};
      case 0x09:
      case 0x18:
        return block(r_.unsigned_leb());
      case 0x0a:
        return block(r_.number(1));
      case 0x0d:
      case 0x0f:
      case 0x22:
      case 0x23:
        return {r_.unsigned_leb(), {}};
      case 0x0e:
        return {0, text_at(s_.strings, r_.number(4))};
      case 0x15:
        return {unit_ + r_.unsigned_leb(), {}};
      case 0x16:
        return read_form(static_cast<unsigned>(r_.unsigned_leb()), 0);
      case 0x19:
        return {1, {}};
      case 0x1a:
        return {0, indexed_text(r_.unsigned_leb())};
      case 0x1b:
        return {indexed_address(r_.unsigned_leb()), {}};
      case 0x1e:
        return block(16);
      case 0x1f:
        return {0, text_at(s_.line_strings, r_.number(4))};
      case 0x21:
        return {constant, {}};
      default:
        throw std::out_of_range("an unknown form of debug data");
    }
  }

  void take(abbreviation::part const& p, debug_entry& to) {
    value v = read_form(p.form, p.constant);
    switch (p.attribute) {
      case attribute::name:
        to.name = std::move(v.text);
        break;
      case attribute::linkage_name:
        to.symbol = std::move(v.text);
        break;
      case attribute::type:
        to.type = v.number;
        break;
      case attribute::specification:
      case attribute::abstract_origin:
        to.origin = v.number;
        break;
      case attribute::byte_size:
        to.bytes = v.number;
        break;
      case attribute::encoding:
        to.encoding = static_cast<unsigned>(v.number);
        break;
      case attribute::member_location:
        to.offset = v.number;
        break;
      case attribute::declaration:
        to.is_declaration = true;
        break;
      case attribute::upper_bound:
        if (v.block_end == 0) to.count = v.number + 1;
        break;
      case attribute::count:
        if (v.block_end == 0) to.count = v.number;
        break;
      case attribute::location:
        take_location(v, to);
        break;
      case attribute::string_offsets_base:
        string_offsets_base_ = v.number;
        break;
      case attribute::address_base:
        address_base_ = v.number;
        break;
      default:
        break;
    }
  }

  /// An address, or a constant from which the loader makes that of a thread-local variable.
  void take_location(value const& v, debug_entry& to) {
    if (v.block_end == 0) return;  // it changes: such variables are not followed
    byte_reader r(s_.info, v.block_begin);
    std::uint64_t number = 0;
    switch (r.number(1)) {
      case 0x03:
        to.address = r.number(8);
        return;
      case 0xa1:
        to.address = indexed_address(r.unsigned_leb());
        return;
      case 0x0c:
        number = r.number(4);
        break;
      case 0x0e:
        number = r.number(8);
        break;
      case 0xa2:
        number = indexed_address(r.unsigned_leb());
        break;
      default:
        return;
    }
    std::uint64_t const operation = r.position() < v.block_end ? r.number(1) : 0;
    if (operation == 0x9b || operation == 0xe0) to.in_thread = number;
  }

  sections const& s_;
  entry_taker const& take_;
  std::uint64_t unit_;
  byte_reader r_;
  std::uint64_t string_offsets_base_ = 8, address_base_ = 8;
};

}  // namespace

void read_debug_entries(elf_file const& object, entry_taker const& take) {
  sections const s{object.contents(".debug_info"),        object.contents(".debug_abbrev"),
                   object.contents(".debug_str"),         object.contents(".debug_line_str"),
                   object.contents(".debug_str_offsets"), object.contents(".debug_addr")};
  try {
    for (std::uint64_t at = 0; at < s.info.size();) at = unit_reader(s, take, at).read();
  } catch (std::out_of_range const&) {
    // What was read so far is right.
  }
}

}  // namespace upsweep::sim
