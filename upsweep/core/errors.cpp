/// The out-of-line half of errors.hpp, so that callers do not pay for building messages.
#include <upsweep/core/errors.hpp>
#include <upsweep/core/unit_flags.hpp>

#include <cstdio>
#include <string>

namespace upsweep {

error::error(char const* sentence) noexcept {
  std::snprintf(sentence_, sizeof sentence_, "%s", sentence);
}

overflow_error::overflow_error(char const* operation, std::size_t index)
    : error((std::string(operation) + ": integer overflow at element " + std::to_string(index) +
             "; use a wider type, or the unchecked operator if wrapping is intended")
                .c_str()),
      index_(index) {}

namespace detail {

void report_flags(unit_flags& unit) noexcept {
  bool const fuses = __atomic_exchange_n(&unit.fuses, false, __ATOMIC_RELAXED);
  bool const reorders = __atomic_exchange_n(&unit.reorders, false, __ATOMIC_RELAXED);
  if (reorders)
    std::fprintf(stderr,
                 "upsweep: %s is compiled with -ffast-math or a part of it, so results of "
                 "operators and functions defined there may differ between machines; compile it "
                 "without that option, or define UPSWEEP_ANY_FLAGS to suppress this message\n",
                 unit.file);
  else if (fuses)
    std::fprintf(
        stderr,
        "upsweep: %s is compiled for fused multiply-adds, so a * b + c in operators and functions "
        "defined there may differ between machines; add -ffp-contract=off "
        "-DUPSWEEP_ROUNDS_PRODUCTS, or define UPSWEEP_ANY_FLAGS to suppress this message\n",
        unit.file);
}

void fail(char const* sentence) {
  throw precondition_error(sentence);
}

void fail(char const* sentence, std::size_t first, std::size_t second) {
  char text[512];
  // NOLINTNEXTLINE: the format string comes from this library only
  std::snprintf(text, sizeof text, sentence, first, second);
  throw precondition_error(text);
}

void fail_inputs(char const* verb, std::size_t first, std::size_t second) {
  std::string const sentence = std::string(verb) + ": the first input has " +
                               std::to_string(first) + " elements but the second has " +
                               std::to_string(second) + "; give two inputs of the same size";
  throw precondition_error(sentence.c_str());
}

void fail_sizes(char const* verb, std::size_t in, std::size_t out) {
  std::string const sentence = std::string(verb) + ": the input has " + std::to_string(in) +
                               " elements but the output has " + std::to_string(out) +
                               "; give an output of the same size";
  throw precondition_error(sentence.c_str());
}

void fail_room(char const* verb, char const* output, std::size_t room, std::size_t needed,
               bool has_stored) {
  std::string const sentence =
      std::string(verb) + ": " + output + " has room for " + std::to_string(room) +
      " elements, but there are " + std::to_string(needed) + "; " +
      (has_stored ? "only the first of them have been stored" : "nothing has been stored");
  throw precondition_error(sentence.c_str());
}

void fail_empty(char const* input, bool needs_element) {
  std::string const sentence =
      std::string(input) +
      (needs_element
           ? " is empty, so it has no smallest or largest element; test for that first, or give "
             "an initial value"
           : " is empty and the operator has no identity; give .initial, or use "
             "upsweep::monoid(op, identity)");
  throw precondition_error(sentence.c_str());
}

void fail_positions(char const* verb, std::size_t n, std::size_t bits) {
  std::string const sentence = std::string(verb) + ": positions in " + std::to_string(n) +
                               " elements do not fit the output's integers of " +
                               std::to_string(bits) + " bits; give an output of std::size_t";
  throw precondition_error(sentence.c_str());
}

void fail_matrix(char const* verb, std::size_t n, std::size_t rows, std::size_t columns) {
  std::string const sentence = std::string(verb) + ": the range has " + std::to_string(n) +
                               " elements, not " + std::to_string(rows) + " rows of " +
                               std::to_string(columns);
  throw precondition_error(sentence.c_str());
}

void fail_count(char const* verb, std::size_t count, std::size_t index, std::size_t bits) {
  std::string const sentence = std::string(verb) + ": count " + std::to_string(index) + " is " +
                               std::to_string(count) + ", which does not fit the output's " +
                               "integers of " + std::to_string(bits) +
                               " bits; give an output of std::size_t";
  throw precondition_error(sentence.c_str());
}

void fail_overlap(char const* verb, bool may_be_in_place) {
  std::string const sentence =
      std::string(verb) +
      (may_be_in_place ? ": the output overlaps the input; give exactly the input's memory (in "
                         "place), or memory that does not overlap it"
                       : ": two of its arrays overlap; give memory that does not overlap");
  throw precondition_error(sentence.c_str());
}

}  // namespace detail

}  // namespace upsweep
