/// Proofs of a user's kernel: a checker as those of the exercises (upsweep_check.h), whose operator
/// joins intervals.
#pragma once

#include <lab/proof/proof.hpp>
#include <lab/source/module_cache.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab {

enum class kernel_result { inclusive, exclusive, reduction };

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
