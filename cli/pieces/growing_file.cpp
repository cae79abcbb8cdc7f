/// Compares what was read with what is there.
#include <cli/pieces/growing_file.hpp>

#include <io/byte_source.hpp>
#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/npy_header.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace upsweep::cli {

namespace {

/// Where the records of a file lie.
struct record_layout {
  std::string about{};                ///< what must not change besides the records
  std::size_t begin = 0;              ///< the size of the header of a .npy file
  std::size_t bytes = 0;              ///< of a record; 0 if records are lines
  std::optional<std::size_t> most{};  ///< how many there are, if the header says so
};

/// Checksums of the first and the last 4 KiB.
read_so_far fingerprint(std::string const& about, std::string_view bytes, std::uint64_t lines) {
  constexpr std::size_t most = 4096;
  auto const checksum_of = [](std::string const& part) {
    return checksum(std::as_bytes(std::span(part)));
  };
  std::size_t const n = std::min(bytes.size(), most);
  return {bytes.size(), lines, checksum_of(about + std::string(bytes.substr(0, n))),
          checksum_of(std::string(bytes.substr(bytes.size() - n)))};
}

record_layout layout_of_array(std::string_view file, io::input_options const& how,
                              std::string const& path) {
  auto const size = io::npy_header_bytes(file.substr(0, 12), path);
  auto const header = io::parse_npy_header(file.substr(0, size), how.type, path);
  if (header.shape.empty() || (header.fortran_order && header.shape.size() > 1))
    throw io::usage_error(
        "{} is {}, to which no rows can be appended; --resume needs an array in C order.", path,
        header.shape.empty() ? "a scalar" : "in Fortran order");
  record_layout l{fmt::format("{} {}", name_of(header.type), header.order == io::native_order),
                  size, size_of(header.type), header.shape[0]};
  for (std::size_t d = 1; d < header.shape.size(); ++d) {
    l.about += fmt::format(" {}", header.shape[d]);
    l.bytes *= header.shape[d];
  }
  if (l.bytes == 0) throw io::usage_error("{} has rows without values.", path);
  return l;
}

record_layout layout_of(std::string_view file, io::input_options const& how,
                        std::string const& path) {
  auto format = how.format;
  if (format == io::container::automatic) format = io::container_of_path(path);
  if (format == io::container::automatic && (how.offset || how.endian)) format = io::container::raw;
  if (format == io::container::automatic && io::is_npy(file)) format = io::container::npy;
  if (format == io::container::npy && !file.empty()) return layout_of_array(file, how, path);
  record_layout l;
  if (format != io::container::raw) return l;
  auto const type = how.type ? how.type : io::find_dtype(io::extension_of(path));
  if (type) l.bytes = io::size_of(*type);
  return l;
}

}  // namespace

growing_file::growing_file(std::string its_path, io::input_options const& reading,
                           std::string const& state, std::optional<part_file> its_part)
    : path(std::move(its_path)), before(std::move(its_part)) {
  io::byte_source const file(path);
  if (io::compression_of(file.window()) != io::compression::none)
    throw io::usage_error(
        "{} is compressed; --resume reads only what is new, which needs a file that is not "
        "compressed.",
        path);
  auto window = file.mapped() ? file.window() : std::string_view();
  auto const layout = layout_of(window, reading, path);
  window.remove_prefix(std::min(window.size(), layout.begin));
  if (layout.most) window = window.substr(0, *layout.most * layout.bytes);
  auto const old = before ? *before->about.source : fingerprint("", {}, 0);
  auto const changed = [&](std::string_view how) {
    return io::data_error(
        "{} {} since {} was written, so that its results cannot be continued; remove the state to "
        "read the whole file again.",
        path, how, state);
  };
  if (window.size() < old.bytes)
    throw changed(
        fmt::format("has shrunk to {} bytes, of which {} were read,", window.size(), old.bytes));
  auto const known = fingerprint(layout.about, window.substr(0, old.bytes), old.lines);
  if (old.bytes > 0 && (known.first != old.first || known.last != old.last))
    throw changed("was rewritten");
  std::uint64_t whole = window.rfind('\n') + 1;
  if (std::size_t const size = layout.bytes; size > 0) {
    std::uint64_t const first = std::max<std::uint64_t>(old.bytes, reading.offset.value_or(0));
    whole = window.size() < first ? 0 : window.size() - (window.size() - first) % size;
  }
  unread = {old.bytes, std::max(whole, old.bytes), old.lines};
  auto const rest = window.substr(unread.begin, unread.end - unread.begin);
  read = fingerprint(layout.about, window.substr(0, unread.end),
                     old.lines + static_cast<std::uint64_t>(std::ranges::count(rest, '\n')));
  unread.begin += layout.begin;
  unread.end += layout.begin;
}

std::vector<growing_file> growing_files(std::vector<std::string> const& paths,
                                        io::input_options const& reading,
                                        std::string const& state) {
  if (paths.empty() || std::ranges::find(paths, "-") != paths.end())
    throw io::usage_error("--resume: give the FILEs that grow, not standard input.");
  if (reading.count)
    throw io::usage_error("--count: a file that grows is read to its end; omit --count.");
  std::vector<part_file> parts;
  auto const there = std::filesystem::status(state);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw io::usage_error(
        "--resume: {} is not a file of partials but a {}; name a file, which is overwritten.",
        state, std::filesystem::is_directory(there) ? "folder" : "pipe or device");
  if (std::filesystem::exists(std::filesystem::symlink_status(state)))
    parts = read_part_file(state);
  for (auto const& part : parts)
    if (!part.about.source)
      throw io::data_error("{} was not written by upsweep reduce --resume; name another state.",
                           state);
  if (parts.size() > paths.size())
    throw io::data_error(
        "{} is the state of {} files, but {} are given; give the same files in the same order.",
        state, parts.size(), paths.size());
  std::vector<growing_file> files;
  for (std::size_t f = 0; f < paths.size(); ++f)
    files.emplace_back(paths[f], reading, state,
                       f < parts.size() ? std::optional(std::move(parts[f])) : std::nullopt);
  return files;
}

growing_file const* first_moved(std::vector<growing_file> const& files) {
  bool grew = false;
  for (auto const& file : files) {
    auto const& before = file.before;
    if (before && before->about.kind == piece::unplaced) return &file;
    if (grew && before && !before->about.empty()) return &file;
    grew = grew || file.unread.begin < file.unread.end;
  }
  return nullptr;
}

}  // namespace upsweep::cli
