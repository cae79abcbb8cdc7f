/// golden_set: the golden set as the library computes it on the CPU.
///
///   golden_set RECIPE              prints the SHA-256 of the set
///   golden_set RECIPE --lines      prints the set
///   golden_set RECIPE --check SET  exits with 1 and the first line that differs from the file
///   ... --threads K                on at most K threads
#include "set_dispatch.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace {

using namespace upsweep::golden_set;

struct arguments {
  char const* recipe = nullptr;
  char const* set = nullptr;
  bool lines = false;
  upsweep::cpu on{};

  arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--lines") == 0)
        lines = true;
      else if (std::strcmp(argv[i], "--check") == 0 && i + 1 < argc)
        set = argv[++i];
      else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
        on.threads = std::atoi(argv[++i]);
      else
        recipe = argv[i];
    }
  }
};

/// The text of a file; false if there is none. For WebAssembly, zig's libc++ has no file streams.
bool read(char const* file, std::istringstream& to) {
  std::FILE* const from = std::fopen(file, "r");
  if (from == nullptr) return false;
  std::string text;
  char part[4096];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, from)) > 0;) text.append(part, n);
  std::fclose(from);
  to.str(text);
  return true;
}

int differs(char const* file, std::size_t number, std::string const& kept,
            std::string const& line) {
  std::printf("%s:%zu: the line is\n  %s\nbut the library computes\n  %s\n", file, number,
              kept.c_str(), line.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments const given(argc, argv);
  std::istringstream recipe, set;
  if (!given.recipe || !read(given.recipe, recipe) || (given.set && !read(given.set, set))) {
    std::fputs("usage: golden_set RECIPE [--lines | --check SET] [--threads K]\n", stderr);
    return 2;
  }
  sha256 hash;
  std::size_t number = 0;
  std::string kept;
  for (call_case const& c : expand(recipe)) {
    ++number;
    std::string const line = c.text() + " => " + text_of_case(given.on, c).value_or("not covered");
    hash.add(line);
    hash.add("\n");
    if (given.lines) std::puts(line.c_str());
    if (!given.set) continue;
    if (!std::getline(set, kept)) kept = "missing";
    if (kept != line) return differs(given.set, number, kept, line);
  }
  if (given.set && std::getline(set, kept)) return differs(given.set, number + 1, kept, "nothing");
  if (!given.lines) std::puts(hash.hex().c_str());
  return 0;
}
