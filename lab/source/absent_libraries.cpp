/// What to do without NVIDIA's libraries, by their headers.
#include <lab/source/absent_libraries.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <fstream>
#include <set>

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

}  // namespace upsweep::lab::source
