/// Options of the commands that run a program or a kernel of a .cu file.
#pragma once

#include <cli/lab/lab_flags.hpp>
#include <lab/program/program.hpp>
#include <lab/source/build.hpp>
#include <lab/source/rewrite.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::cli {

inline constexpr char const* file_group = "CUDA files";

/// What --kernel, --grid, --block, --arg and --values say, as a launch.
struct kernel_flags {
  std::string kernel;  ///< "scan<float, 256>"; empty: the file's main runs
  std::string grid;    ///< "4,2"; empty: enough blocks for n elements
  std::vector<std::string> arguments;
  std::string cluster = "1";  ///< "2,2"
  std::size_t shared_bytes = 0;

  /// Whether sizes depend on -n.
  [[nodiscard]] bool uses_n() const;
};

struct program_flags {
  kernel_flags kernel;
  std::vector<std::string> arguments;  ///< of the program
  std::string device = "sm_90";
  std::string compiler;
  std::vector<std::string> include_folders, definitions, settings, others;
  std::string compiler_flag;  ///< of -f: openmp
  double seconds = 0;
  std::uint64_t mebibytes = 0;

  /// Of the device: 90 for sm_90.
  [[nodiscard]] int capability() const;
};

/// --kernel, --grid, --arg, --shared, --cluster, --device, --compiler, -I, -D, --set,
/// -fopenmp, /// --time-limit, --memory-limit.
void add_program_options(options const& add, program_flags& flags);
/// ARGUMENT...: the program's arguments, after a single file.
void add_program_arguments(options const& add, program_flags& flags);
/// --args: the same where several files may be named.
void add_program_words(options const& add, program_flags& flags);

/// Whether `word` names a file and no kernel of the textbook.
[[nodiscard]] bool is_file(std::string const& word);
/// Refuses options that are for kernels of the textbook, or for files. Throws usage_error, which
/// begins with the command's name.
void check_options(CLI::App const& command, std::string const& what);

/// Makes sources of the words after the file that name some, up to the first other word.
void take_sources(program_flags& flags);

struct user_program {
  std::string file;
  lab::source::built_module module;
  std::shared_ptr<lab::source::module_cache> cache;  ///< may remove the module at its end
};
/// Compiles, or finds it in the cache; notes of the compiler go to standard error. Throws
/// data_error, also when the file has no main and no kernel is named, and unavailable_error.
[[nodiscard]] user_program compiled(std::string const& file, program_flags const& flags);
[[nodiscard]] lab::program_request request_of(user_program const& program, run_flags const& run,
                                              program_flags const& flags);
/// The word as an argument in a shell.
[[nodiscard]] std::string shell_word(std::string const& word);
/// The command line that repeats a run.
[[nodiscard]] std::string command_line(std::string const& file, run_flags const& run,
                                       program_flags const& flags);

/// The launch of one of these kernels; `values` are those of --values. Throws usage_error when the
/// arguments do not fit the parameters that the source names.
[[nodiscard]] lab::kernel_request launch_of(
    kernel_flags const& flags, std::string const& block, std::string const& values, std::uint64_t n,
    std::vector<lab::source::kernel_declaration> const& kernels);

}  // namespace upsweep::cli
