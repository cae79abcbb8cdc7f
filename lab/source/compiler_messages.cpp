/// The compiler reads rewritten text, so columns are mapped back and source lines printed here.
#include <io/error.hpp>
#include <lab/compiler/toolchain.hpp>
#include <lab/source/source_tree.hpp>

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

namespace {

/// NVIDIA's libraries, by the beginning of a header's name, and what to do without them.
struct absent_library {
  std::string_view header, name, advice;
};
constexpr std::string_view without_library =
    "leave its calls out where UPSWEEP_EMULATED is defined, which the emulator does";
constexpr std::string_view of_samples =
    "name the folder Common of github.com/NVIDIA/cuda-samples with -I, or leave its calls out";
constexpr absent_library absent_libraries[] = {
    {"thrust/", "Thrust",
     "take memory by cudaMalloc() instead of its vectors, and write its algorithms as kernels "
     "(upsweep list shows reductions and scans to begin with)"},
    {"cub/", "CUB",
     "write the algorithm as a kernel (upsweep list shows reductions and scans to begin with)"},
    {"curand_kernel", "cuRAND",
     "make the numbers in the host's code and copy them, or write a generator of a few lines"},
    {"curand", "cuRAND", "make the numbers in the host's code, with <random>, and copy them"},
    {"cufft", "cuFFT", without_library},
    {"cusparse", "cuSPARSE", without_library},
    {"cusolver", "cuSOLVER", without_library},
    {"cudnn", "cuDNN", without_library},
    {"nccl", "NCCL", without_library},
    {"nppi", "NPP", without_library},
    {"npp.", "NPP", without_library},
    {"nvrtc", "NVRTC", without_library},
    {"cutlass/", "CUTLASS", without_library},
    {"cute/", "CuTe", without_library},
    {"mma.h", "tensor cores", without_library},
    {"helper_", "headers of cuda-samples", of_samples},
    {"exception.h", "headers of cuda-samples", of_samples},
};

}  // namespace

std::string about_header(std::string_view name) {
  for (auto const& library : absent_libraries)
    if (name.starts_with(library.header))
      return fmt::format("the emulator has no {} (#include <{}>): {}", library.name, name,
                         library.advice);
  return {};
}

void write_absent_headers(source_tree const& tree, std::filesystem::path const& folder) {
  std::set<std::string> written;
  for (auto const& f : tree.files)
    for (auto const& include : includes(f.original)) {
      std::string const sentence = about_header(include.name);
      bool const is_below = include.name.find("..") == std::string::npos;
      if (sentence.empty() || !is_below || !written.insert(include.name).second) continue;
      auto const header = folder / include.name;
      std::filesystem::create_directories(header.parent_path());
      std::ofstream out(header);
      out << fmt::format("#line {} \"{}\"\n#error {}\n", include.line, literal(f.path.string()),
                         sentence);
      if (!out.flush()) throw io::io_error(fmt::format("cannot write '{}'", header.string()));
    }
}

namespace {

struct place {
  rewritten_file const* file;
  std::size_t line, column;
  std::string_view rest;  ///< ": error: ..."
};

/// Parses "/home/me/x.cu:12:5: error: ..." of a file of the tree.
std::optional<place> users_place(std::string_view line, source_tree const& tree) {
  for (auto const& f : tree.files) {
    std::string const& path = f.path.native();
    if (!line.starts_with(path) || !line.substr(path.size()).starts_with(':')) continue;
    place p{&f, 0, 1, line.substr(path.size() + 1)};
    for (auto* number : {&p.line, &p.column}) {
      auto const* const end = p.rest.data() + p.rest.size();
      auto const parsed = std::from_chars(p.rest.data(), end, *number);
      if (parsed.ec != std::errc{}) break;
      p.rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - p.rest.data()));
      if (number == &p.line && p.rest.starts_with(':') && p.rest.size() > 1 && p.rest[1] != ' ')
        p.rest.remove_prefix(1);
      else
        break;
    }
    // The first line of the rewritten text is the #line.
    p.column = original_column(f.done, f.original, p.line, p.column);
    return p;
  }
  return std::nullopt;
}

/// The source line of a position, and a mark below its column.
std::string excerpt(place const& p) {
  std::istringstream lines(p.file->original);
  std::string text;
  for (std::size_t i = 0; i < p.line; ++i)
    if (!std::getline(lines, text)) return {};
  if (text.ends_with('\r')) text.pop_back();
  std::string mark;
  for (std::size_t i = 0; i + 1 < p.column && i < text.size(); ++i)
    mark += text[i] == '\t' ? '\t' : ' ';
  return fmt::format("\n{:>5} | {}\n      | {}^", p.line, text, mark);
}

std::string position_text(place const& p) {
  return fmt::format("{}:{}:{}", shown(p.file->path), p.line, p.column);
}

/// Our names in a message become the user's.
std::string plain(std::string text) {
  for (std::string_view const noise : {"::upsweep::emulated::", "upsweep::emulated::"})
    for (std::size_t at = 0; (at = text.find(noise, at)) != std::string::npos;)
      text.erase(at, noise.size());
  return text;
}

/// Words that CUDA had once, or that belong to what the emulator does not have.
struct absent_word {
  std::string_view begin, advice;
};
constexpr std::string_view textures =
    "textures and surfaces are not emulated: pass a pointer to the kernel and read global memory";
constexpr absent_word absent_words[] = {
    {"__shfl_up", "GPUs since Volta no longer have it: use __shfl_up_sync(mask, ...)"},
    {"__shfl_down", "GPUs since Volta no longer have it: use __shfl_down_sync(mask, ...)"},
    {"__shfl_xor", "GPUs since Volta no longer have it: use __shfl_xor_sync(mask, ...)"},
    {"__shfl", "GPUs since Volta no longer have it: use __shfl_sync(mask, ...)"},
    {"__ballot", "GPUs since Volta no longer have it: use __ballot_sync(mask, ...)"},
    {"__all", "GPUs since Volta no longer have it: use __all_sync(mask, ...)"},
    {"__any", "GPUs since Volta no longer have it: use __any_sync(mask, ...)"},
    {"cudaResource", textures},
    {"cudaTexture", textures},
    {"cudaSurface", textures},
    {"cudaChannelFormat", textures},
    {"cudaCreateChannelDesc", textures},
    {"cudaReadMode", textures},
    {"cudaAddressMode", textures},
    {"cudaFilterMode", textures},
    {"cudaArray", textures},
    {"cudaBindTexture", textures},
    {"cudaUnbindTexture", textures},
    {"cudaMemcpyToArray", textures},
    {"texture", textures},
    {"surface", textures},
    {"tex1D", textures},
    {"tex2D", textures},
    {"tex3D", textures},
};

/// A sentence about an undeclared function of a library, or an empty text.
std::string about_function(std::string_view error) {
  constexpr std::string_view ends[] = {"\u2019 was not declared", "\u2019 does not name a type",
                                       "\u2019 has not been declared", "'"};
  for (std::string_view const begin :
       {"error: \u2018", "undeclared identifier '", "unknown type name '"}) {
    auto const at = error.find(begin);
    if (at == error.npos) continue;
    auto name = error.substr(at + begin.size());
    for (auto const end : ends) name = name.substr(0, name.find(end));
    for (auto const& word : absent_words)
      if (word.advice == textures ? name.starts_with(word.begin) : name == word.begin)
        return fmt::format(": the emulator has no {}: {}", name, word.advice);
    bool const is_name = name.size() > 2 && name.find(' ') == name.npos;
    bool const is_function = is_name && name.starts_with("cu") && std::isupper(name[2]) != 0;
    bool const is_type = is_name && name.starts_with("CU") && std::islower(name[2]) != 0;
    if (name.starts_with("cublas"))
      return fmt::format(": the emulator has no {}(): it runs kernels, not cuBLAS", name);
    if (is_function || is_type)
      return fmt::format(
          ": the emulator has no {}{}, which is of the driver API: use the runtime's functions, "
          "whose names begin with cuda",
          name, is_function ? "()" : "");
  }
  return {};
}

/// The sentence about a header in an error of the compiler, which has not found it or has met it
/// among those that write_absent_headers() makes; or an empty text.
std::string about_absent(std::string_view error) {
  constexpr std::string_view said = "the emulator has no ", missing = "fatal error: ";
  if (auto const at = error.find(said);
      at != error.npos && error.substr(0, at).find("error: ") != error.npos)
    return ": " + std::string(error.substr(at));
  auto const at = error.find(missing);
  if (at == error.npos) return {};
  auto name = error.substr(at + missing.size());
  if (name.starts_with('\'')) name.remove_prefix(1);
  std::string const sentence = about_header(name.substr(0, name.find_first_of(":'")));
  return sentence.empty() ? sentence : ": " + sentence;
}

}  // namespace

std::vector<std::string> unset_variables(std::filesystem::path const& log,
                                         source_tree const& tree) {
  std::vector<std::string> notes;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    auto const p = users_place(line, tree);
    if (!p || line.find("uninitialized]") == std::string::npos) continue;
    constexpr std::string_view begin = "\u2018", end = "\u2019";  // of g++; Clang's is '
    bool const is_gnu = p->rest.find(begin) != std::string_view::npos;
    auto const from = is_gnu ? p->rest.find(begin) + begin.size() : p->rest.find('\'') + 1;
    std::string_view name = p->rest.substr(from);
    name = name.substr(0, is_gnu ? name.find(end) : name.find('\''));
    // The emulator finds reads of memory when they are made.
    if (name.find_first_of("*<[") != std::string_view::npos) continue;
    notes.push_back(fmt::format(
        "{}:{}: '{}' may be read before it has a value, which on a GPU is any: initialize it where "
        "it is declared",
        shown(p->file->path), p->line, name));
  }
  return notes;
}

std::string users_error(std::filesystem::path const& log, source_tree const& tree) {
  std::istringstream lines(
      first_error(log, [&](std::string_view line) { return users_place(line, tree).has_value(); }));
  std::string text;
  std::optional<place> last;
  for (std::string line; std::getline(lines, line);) {
    auto const p = users_place(line, tree);
    bool const requires_it = p && p->rest.find("required from") != std::string_view::npos;
    auto const error = line.find("error: ");
    if (p) last = p;
    if (requires_it) continue;
    text += text.empty() ? "" : "\n";
    std::string const header = about_absent(line);
    std::string const sentence = header.empty() ? about_function(line) : header;
    if (p && !sentence.empty()) {
      text += position_text(*p) + sentence;
      continue;
    }
    // An error in a header of the emulator or of a library is shown where the user's text requires
    // it.
    if (!p && last && error != std::string::npos)
      text += position_text(*last) + ": " + plain(line.substr(error));
    else
      text += p ? position_text(*p) + plain(std::string(p->rest)) : plain(line);
  }
  return last ? text + excerpt(*last) : text;
}

}  // namespace upsweep::lab::source
