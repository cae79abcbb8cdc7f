/// Reads the directory of a zip archive, with the 64-bit sizes of large ones.
#include <io/column_choice.hpp>
#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using namespace std::string_view_literals;

struct zip_member {
  std::string_view name;
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t header = 0;  ///< where its header begins
  unsigned method = 0;
  bool is_encrypted = false;
};

/// The bytes of an archive; reading outside them is an error of the file.
class zip_bytes {
 public:
  explicit zip_bytes(byte_source const& source) : all_(source.window()), file_(source.name()) {}

  [[nodiscard]] std::string_view text(std::uint64_t at, std::uint64_t bytes) const {
    if (at > all_.size() || bytes > all_.size() - at) refuse();
    return all_.substr(at, bytes);
  }
  /// A little-endian number.
  [[nodiscard]] std::uint64_t number(std::uint64_t at, int bytes) const {
    auto const digits = text(at, static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(digits[static_cast<std::size_t>(i)]);
    return value;
  }
  [[noreturn]] void refuse() const {
    throw data_error(
        "{}: The directory at the end of the archive is missing or damaged; the file may be "
        "truncated.",
        file_);
  }

  [[nodiscard]] std::vector<zip_member> members() const {
    constexpr std::uint64_t in_zip64 = 0xffffffff;
    auto const end = all_.rfind("PK\x05\x06"sv);
    if (end == std::string_view::npos) refuse();
    auto count = number(end + 10, 2);
    auto at = number(end + 16, 4);
    if (at == in_zip64 || count == 0xffff) {
      if (end < 20 || text(end - 20, 4) != "PK\x06\x07"sv) refuse();
      auto const record = number(end - 20 + 8, 8);
      if (text(record, 4) != "PK\x06\x06"sv) refuse();
      count = number(record + 32, 8);
      at = number(record + 48, 8);
    }
    std::vector<zip_member> found;
    for (; count > 0; --count) {
      if (text(at, 4) != "PK\x01\x02"sv) refuse();
      auto const name = number(at + 28, 2), extra = number(at + 30, 2);
      auto const next = at + 46 + name + extra + number(at + 32, 2);
      zip_member member{text(at + 46, name), number(at + 20, 4), number(at + 42, 4),
                        static_cast<unsigned>(number(at + 10, 2)), number(at + 8, 2) % 2 == 1};
      auto unpacked = number(at + 24, 4);
      at += 46 + name;
      // An extra field has those sizes, in this order, that need 64 bits.
      for (auto const last = at + extra; at + 4 <= last; at += 4 + number(at + 2, 2)) {
        if (number(at, 2) != 1) continue;
        auto value = at + 4;
        for (auto* const size : {&unpacked, &member.packed, &member.header})
          if (*size == in_zip64) *size = number(std::exchange(value, value + 8), 8);
      }
      found.push_back(member);
      at = next;
    }
    return found;
  }

 private:
  std::string_view all_;
  std::string const& file_;
};

std::string_view without_npy(std::string_view name) {
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

zip_member find(std::vector<zip_member> const& members, std::string const& wanted,
                std::string const& file) {
  std::vector<std::string> names;
  zip_member last;
  for (auto const& member : members) {
    if (!wanted.empty() && (member.name == wanted || without_npy(member.name) == wanted))
      return member;
    if (!member.name.ends_with(".npy")) continue;
    names.emplace_back(without_npy(member.name));
    last = member;
  }
  if (names.empty()) throw data_error("{} is an archive without arrays.", file);
  if (wanted.empty() && names.size() == 1) return last;
  throw usage_error(
      "{} holds {}{}; name one, as in {}:{}", file,
      wanted.empty() ? "the arrays " : fmt::format("no array '{}', but ", shown(wanted)),
      list_of(names), file, shown(names[0]));
}

}  // namespace

std::pair<std::string, std::string> member_of_path(std::string const& path) {
  auto const at = path.rfind(".npz:");
  std::error_code none;
  if (at == std::string::npos || std::filesystem::exists(path, none)) return {path, {}};
  return {path.substr(0, at + 4), path.substr(at + 5)};
}

std::string_view first_zip_member(byte_source& source) {
  constexpr std::size_t fixed = 30;  // bytes of a member's header, before its name
  if (!source.begins_with("PK\x03\x04"sv)) return {};
  source.fill(fixed);
  if (source.window().size() < fixed) return {};
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(source.window()[i]); };
  std::size_t const length = byte(26) + 256u * byte(27);
  source.fill(fixed + length);
  return source.window().substr(fixed, length);
}

std::unique_ptr<byte_source> open_member(std::unique_ptr<byte_source> archive,
                                         std::string const& wanted, bool ahead) {
  auto const file = archive->name();
  archive->fill(std::numeric_limits<std::size_t>::max());
  zip_bytes const bytes(*archive);
  auto const member = find(bytes.members(), wanted, file);
  if (member.is_encrypted || (member.method != 0 && member.method != 8))
    throw data_error("{}: '{}' is {}, which is not read; unzip -p {} {} | upsweep ...", file,
                     shown(member.name),
                     member.is_encrypted ? "encrypted" : "compressed in another way than deflate",
                     file, shown(member.name));
  if (bytes.text(member.header, 4) != "PK\x03\x04"sv) bytes.refuse();
  auto const begin = member.header + 30 + bytes.number(member.header + 26, 2) +
                     bytes.number(member.header + 28, 2);
  static_cast<void>(bytes.text(begin, member.packed));
  bool const is_packed = member.method == 8;
  auto const end = archive->position() + begin + member.packed;
  archive->rename(fmt::format("{}:{}", file, without_npy(member.name)));
  archive->consume(begin);
  archive->end_at(end);
  if (!is_packed) return archive;
  return std::make_unique<byte_source>(std::move(archive), compression::deflate, ahead);
}

}  // namespace upsweep::io
