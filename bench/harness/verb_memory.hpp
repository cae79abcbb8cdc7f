/// The memory of the calls of a row, its content, and the comparison of results.
#pragma once

#include <bench/harness/call.hpp>
#include <bench/harness/data.hpp>
#include <bench/rows/verb_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::bench {

/// The inputs of a row on n elements.
struct verb_input {
  std::vector<std::byte> elements;
  std::vector<std::uint32_t> keys;
  std::vector<std::size_t> offsets;
  std::vector<double> levels;
  std::size_t parts = 0;
  double level = 0;
  std::string result_type, more_type;   ///< of the outputs; `more_type` may be empty
  std::size_t room = 0, more_room = 0;  ///< results that there can be
};
/// Elements are such that no result depends on the order of the operations: those that are added
/// are small integers.
[[nodiscard]] verb_input input_of(verb_row const& row, std::size_t n);

/// The size of a type by its name; 0 for an empty name.
[[nodiscard]] std::size_t bytes_of_type(std::string const& name);

/// The inputs and outputs of calls, in one or more copies, which calls use in rotation.
class verb_memory {
 public:
  /// With `cold` there are enough copies for four times the cache, and at least two. Computes the
  /// expected results.
  verb_memory(verb_row const& row, std::size_t n, bool cold, std::size_t cache_bytes, int threads);

  /// The memory of the next call; the outputs have the elements, and keys, of a row in place. 0
  /// threads: as many as the constructor says.
  [[nodiscard]] call next(int threads = 0);
  /// The same in the first copy, where no result is left.
  [[nodiscard]] call clean(int threads = 0) const;
  /// Memory of copy_bytes() to copy, and where to.
  [[nodiscard]] std::pair<std::byte const*, std::byte*> next_copy();
  /// What a copy moves that reads and writes as many bytes as a call: traffic() / 2, rounded down
  /// to 16.
  [[nodiscard]] std::size_t copy_bytes() const { return traffic_ / 32 * 16; }
  /// The bytes that a call must read and write.
  [[nodiscard]] std::size_t traffic() const { return traffic_; }

  /// What a participant in another process needs: the inputs, and the types of the results.
  [[nodiscard]] verb_input const& input() const { return input_; }

  /// How the results of a call differ from the expected ones; empty if they do not. Numbers are
  /// compared by ==.
  [[nodiscard]] std::string difference(call const& c) const;

 private:
  [[nodiscard]] call at(std::size_t copy, int threads) const;
  [[nodiscard]] std::size_t more_count(std::size_t count) const;
  void restore(call const& c) const;
  void compute_expected();
  std::size_t lay_out(std::size_t least);

  verb_row row_;
  verb_input input_;
  std::size_t n_;
  int threads_;
  /// Where everything is in a copy, and the size of one.
  std::size_t keys_at_ = 0, offsets_at_ = 0, levels_at_ = 0, out_at_ = 0, more_at_ = 0,
              copy_at_ = 0, copy_to_at_ = 0, stride_ = 0;
  std::size_t copies_ = 1, next_ = 0, traffic_ = 0;
  arena memory_;
  std::size_t expected_count_ = 0;
  std::vector<std::byte> expected_, expected_more_;
};

}  // namespace upsweep::bench
