/// Compares what was read with what is there.
#include <cli/pieces/growing_file.hpp>

#include <io/byte_source.hpp>
#include <io/decompressor.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace upsweep::cli {

namespace {

/// Checksums of the first and the last 4 KiB.
read_so_far fingerprint(std::string_view bytes, std::uint64_t lines) {
  constexpr std::size_t most = 4096;
  auto const checksum_of = [](std::string_view part) {
    return checksum(std::as_bytes(std::span(part)));
  };
  std::size_t const n = std::min(bytes.size(), most);
  return {bytes.size(), lines, checksum_of(bytes.substr(0, n)),
          checksum_of(bytes.substr(bytes.size() - n))};
}

/// The size of a raw value; 0 if the file is not read as raw values, or their type is not known.
std::size_t bytes_of_value(std::string const& path, io::input_options const& how) {
  bool const is_raw =
      how.format == io::container::raw ||
      (how.format == io::container::automatic &&
       (how.offset || how.endian || io::container_of_path(path) == io::container::raw));
  if (!is_raw) return 0;
  auto const type = how.type ? how.type : io::find_dtype(io::extension_of(path));
  return type ? io::size_of(*type) : 0;
}

}  // namespace

growing_file::growing_file(std::vector<std::string> const& paths, io::input_options const& reading,
                           std::string const& state) {
  if (paths.size() != 1 || paths[0] == "-")
    throw io::usage_error("--resume: give one FILE that grows, not standard input.");
  if (reading.count)
    throw io::usage_error("--count: a file that grows is read to its end; omit --count.");
  if (std::filesystem::exists(std::filesystem::symlink_status(state)))
    state_ = read_part_file(state);
  if (state_ && !state_->about.source)
    throw io::data_error(
        fmt::format("{} was not written by upsweep reduce --resume; name another state.", state));
  io::byte_source const file(paths[0]);
  if (io::compression_of(file.window()) != io::compression::none)
    throw io::usage_error(
        fmt::format("{} is compressed; --resume reads only what is new, which needs a file that is "
                    "not compressed.",
                    paths[0]));
  auto const window = file.mapped() ? file.window() : std::string_view();
  auto const before = state_ ? *state_->about.source : fingerprint({}, 0);
  auto const changed = [&](std::string_view how) {
    return io::data_error(fmt::format(
        "{} {} since {} was written, so that its results cannot be continued; remove the state to "
        "read the whole file again.",
        paths[0], how, state));
  };
  if (window.size() < before.bytes)
    throw changed(
        fmt::format("has shrunk to {} bytes, of which {} were read,", window.size(), before.bytes));
  auto const known = fingerprint(window.substr(0, before.bytes), before.lines);
  if (known.first != before.first || known.last != before.last) throw changed("was rewritten");
  std::uint64_t whole = window.rfind('\n') + 1;
  if (std::size_t const size = bytes_of_value(paths[0], reading); size > 0) {
    std::uint64_t const first = std::max<std::uint64_t>(before.bytes, reading.offset.value_or(0));
    whole = window.size() < first ? 0 : window.size() - (window.size() - first) % size;
  }
  unread_ = {before.bytes, std::max(whole, before.bytes), before.lines};
  auto const unread = window.substr(unread_.begin, unread_.end - unread_.begin);
  read_ = fingerprint(window.substr(0, unread_.end),
                      before.lines + static_cast<std::uint64_t>(std::ranges::count(unread, '\n')));
}

}  // namespace upsweep::cli
