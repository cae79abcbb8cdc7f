/// A proof: what was run, and for which operators it shows that a kernel is right.
///
/// A kernel that combines intervals correctly combines the elements of every associative operator
/// correctly (upsweep/simt/check/upsweep_intervals.h). It is a template of its element type, so it
/// can only copy elements and give them to its operator. Without a race, which operands are
/// combined depends only on n, the shape of the launch and the schedule. So one run covers all
/// operators and all values.
#pragma once

#include <lab/source/module_cache.hpp>
#include <upsweep/sim/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::lab {

/// For which operators a kernel can be proved.
enum class operators_covered {
  associative,  ///< all that are associative
  commutative,  ///< all that are associative and commute: it combines elements out of order
  none          ///< it takes no elements but numbers
};

struct proof_effort {
  /// Every n up to 4,096. Those that a proof without it leaves out take one schedule each, in turn,
  /// of a textbook kernel: all schedules would take hours.
  bool all_sizes = false;
  unsigned seeds = 3;                  ///< random schedules
  std::vector<std::uint64_t> sizes{};  ///< only these, if there are any
  int block = 0;                       ///< only blocks of so many threads; 0: of 64 and of 256
};

/// The sizes that were run with one number of threads per block, or with that of the kernel: 0.
struct tried_sizes {
  int threads = 0;
  std::vector<std::uint64_t> sizes;
};

struct proof {
  std::string what;  ///< the kernel or the file
  operators_covered covers = operators_covered::associative;
  std::string why{};  ///< of `commutative` and `none`: a clause
  std::vector<tried_sizes> tried{};
  std::vector<std::string> schedules{};
  std::uint64_t runs = 0;
  std::uint64_t n = 0;    ///< of the first failure
  std::string failure{};  ///< a clause: the result that is wrong, or what the emulator found
  std::string again{};    ///< the command line that repeats it

  [[nodiscard]] bool is_refuted() const { return !failure.empty(); }
  [[nodiscard]] bool is_proved() const {
    return failure.empty() && covers != operators_covered::none;
  }
};

/// Called before each size: how many are done, of how many.
using proof_progress = std::function<void(std::size_t, std::size_t)>;

/// The largest n of a proof, unless sizes are given.
inline constexpr std::uint64_t largest_proved = 4096;

struct named_schedule {
  std::string name;
  sim::options machine;
};
/// Every kind of schedule, and `seeds` random ones.
[[nodiscard]] std::vector<named_schedule> schedules_of_proofs(unsigned seeds);

/// Every n of 0 to `every`, then primes, and powers of two, of which every tile is a multiple or a
/// divisor, with their neighbors; or what the effort says.
[[nodiscard]] std::vector<std::uint64_t> sizes_of_proofs(std::uint64_t every,
                                                         proof_effort const& much);

/// "right for every associative operator at these sizes, ...", or why it is not.
[[nodiscard]] std::string sentence_of(proof const& p);

/// "0 to 256, 511 to 513, 997".
[[nodiscard]] std::string text_of(std::vector<std::uint64_t> const& sizes);

/// Of a kernel of the textbook. Runs all sizes on all schedules, over intervals or, if the kernel
/// needs an operator that commutes, over disjoint sets, up to the first failure. Throws usage_error
/// for an unknown stem, a block that is not compiled, and sizes that are too large.
[[nodiscard]] proof prove(std::string const& stem, proof_effort const& much,
                          proof_progress const& tell = {});

enum class kernel_result { inclusive, exclusive, reduction };

/// A user's kernel, with a checker as those of the exercises (upsweep_check.h), whose operator
/// joins intervals.
struct file_to_prove {
  std::string path;      ///< a .cu file, or a folder or name of an exercise
  std::string exercise;  ///< that the file solves; empty: as exercise.json beside it says, if any
  /// Of a file without an exercise: the kernel, as in "scan<T, 128, Op>"; empty: its only one.
  std::string kernel;
  kernel_result result = kernel_result::inclusive;
  unsigned threads = 128;  ///< of a block
  std::uint64_t tile = 0;  ///< elements of a block; 0: as many as it has threads
  bool whole = false;      ///< the blocks compute one result; else each one that of its tile
  std::string compiler;
  std::vector<std::string> include_folders;
};

/// Compiles the file, and runs every schedule on all sizes in a process of its own. Throws
/// data_error with the compiler's error, usage_error if the kernel has other parameters than the
/// input, the output, n and the operator, and unavailable_error without a compiler.
[[nodiscard]] proof prove_file(file_to_prove const& what, proof_effort const& much,
                               source::module_cache& cache, proof_progress const& tell = {});

}  // namespace upsweep::lab
