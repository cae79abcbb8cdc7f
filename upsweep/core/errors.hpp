/// What the library throws, and `expects`, which throws it. Messages are sentences: what, where,
/// which value, what to do.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <exception>

namespace upsweep {

/// Base of every exception that the library itself throws; exceptions of user-defined operators
/// propagate unchanged. The sentence is stored inline, cut after 500 characters, so copying cannot
/// throw and this header needs no <string>.
class UPSWEEP_API error : public std::exception {
 public:
  explicit error(char const* sentence) noexcept;
  [[nodiscard]] char const* what() const noexcept override { return sentence_; }

 private:
  char sentence_[501];
};

/// A call that breaks the contract: sizes that differ, a partial overlap, no identity for an empty
/// input.
class UPSWEEP_API precondition_error : public error {
 public:
  using error::error;
};

/// An integer result that does not fit, found by a checked operator. `index()` is the position of
/// the first input element whose inclusive prefix overflows.
class UPSWEEP_API overflow_error : public error {
 public:
  overflow_error(char const* operation, std::size_t index);
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  std::size_t index_;
};

namespace detail {

/// Throws precondition_error with `sentence`.
[[noreturn]] UPSWEEP_API void fail(char const* sentence);
/// The same with the two `%zu` of `sentence` replaced by the numbers.
[[noreturn]] UPSWEEP_API void fail(char const* sentence, std::size_t first, std::size_t second);
/// The two inputs of `verb` differ in size.
[[noreturn]] UPSWEEP_API void fail_inputs(char const* verb, std::size_t first, std::size_t second);
/// The output of `verb` differs in size from its input, or overlaps it without being the same
/// memory.
[[noreturn]] UPSWEEP_API void fail_sizes(char const* verb, std::size_t in, std::size_t out);
[[noreturn]] UPSWEEP_API void fail_overlap(char const* verb);
/// `output` of `verb` has too little room; whether the first results are stored. Or it has integers
/// that are too narrow for positions.
[[noreturn]] UPSWEEP_API void fail_room(char const* verb, char const* output, std::size_t room,
                                        std::size_t needed, bool has_stored);
[[noreturn]] UPSWEEP_API void fail_positions(char const* verb, std::size_t n, std::size_t bits);
/// `input`, with its verb, is empty, and there is no identity; `needs_element`: of no operator.
[[noreturn]] UPSWEEP_API void fail_empty(char const* input, bool needs_element);
/// The n elements of `verb` are not `rows` rows of `columns` elements.
[[noreturn]] UPSWEEP_API void fail_matrix(char const* verb, std::size_t n, std::size_t rows,
                                          std::size_t columns);
/// A count of `verb`, result `index`, does not fit the output's integers of so many bits.
[[noreturn]] UPSWEEP_API void fail_count(char const* verb, std::size_t count, std::size_t index,
                                         std::size_t bits);

/// Throws precondition_error with `sentence` unless `condition` holds.
inline void expects(bool condition, char const* sentence) {
  if (!condition) [[unlikely]]
    fail(sentence);
}

}  // namespace detail

}  // namespace upsweep
