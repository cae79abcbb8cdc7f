/// libFuzzer targets: the reader of the format that UPSWEEP_FUZZED names, on any bytes. It gets
/// them twice, as a mapped file and as a stream, and has to give the same rows or the same kind of
/// failure.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <io/error.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace upsweep::io {
namespace {

struct result {
  int code = 0;
  std::string content;
};

result read(input_options const& options) {
  result found;
  try {
    input from(options);
    chunk rows;
    while (from->next(rows)) {
      for (auto const& column : rows.columns)
        found.content.append(reinterpret_cast<char const*>(column.bytes.data()),
                             column.bytes.size());
      for (auto const& key : rows.keys)
        for (std::size_t i = 0; i < rows.rows; ++i) found.content += key[i];
    }
  } catch (tool_error const& error) {
    found = {error.exit_code(), error.what()};
  }
  return found;
}

/// Anything but rows, a usage error, a data error or a refusal of compressed bytes, for which this
/// build has no library, is a finding; so is a difference between file and stream.
void check(std::uint8_t const* data, std::size_t size, input_options options) {
  static int const file = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  options.path = "/proc/self/fd/" + std::to_string(file);
  auto const mapped = read(options);

  int ends[2];
  if (::pipe(ends) != 0 || ::write(ends[1], data, size) != static_cast<ssize_t>(size))
    std::abort();  // 4 KiB fit a pipe
  ::close(ends[1]);
  options.path = "/dev/fd/" + std::to_string(ends[0]);
  auto const streamed = read(options);
  ::close(ends[0]);

  bool const known = mapped.code == 0 || mapped.code == 2 || mapped.code == 3 || mapped.code == 5;
  if (known && mapped.code == streamed.code &&
      (mapped.code != 0 || mapped.content == streamed.content))
    return;
  std::fprintf(stderr, "mapped: %d %s\nstreamed: %d %s\n", mapped.code, mapped.content.c_str(),
               streamed.code, streamed.content.c_str());
  std::abort();
}

/// What is asked of each reader.
struct asked {
  std::vector<input_options> npy{
      {.format = container::npy},
      {.format = container::npy, .columns = {"1"}, .type = dtype::f32},
      {.format = container::npy, .keys = {"all"}, .keys_only = true, .skip_missing = true}};
  std::vector<input_options> csv{
      {.format = container::csv, .columns = {"2"}, .keys = {"1"}, .skip_missing = true},
      {.format = container::csv, .comment = '#', .type = dtype::i16}};
  std::vector<input_options> json{
      {.format = container::jsonl, .columns = {"2"}, .keys = {"1"}, .skip_missing = true},
      {.format = container::json, .type = dtype::i16}};
  std::vector<input_options> text{
      {.format = container::text},
      {.format = container::automatic, .columns = {"1"}, .type = dtype::bf16}};
};

}  // namespace
}  // namespace upsweep::io

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static upsweep::io::asked const of;
  for (auto const& options : of.UPSWEEP_FUZZED) upsweep::io::check(data, size, options);
  return 0;
}
