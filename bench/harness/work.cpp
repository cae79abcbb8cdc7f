/// Names and sizes of what is measured.
#include <bench/harness/work.hpp>

#include <array>
#include <stdexcept>
#include <utility>

namespace upsweep::bench {
namespace {

constexpr std::array verb_names{"reduce", "inclusive_scan", "exclusive_scan"};
constexpr std::array operation_names{"sum", "product", "min", "max", "affine", "exact_sum", "join"};
constexpr std::array element_names{"i8",  "u8",   "i16", "u16", "i32",         "u32",     "i64",
                                   "u64", "bf16", "f32", "f64", "complex_f32", "struct16"};
constexpr std::size_t element_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16};

template <class Enum, std::size_t size>
Enum named(char const* what, std::string const& name, std::array<char const*, size> const& names) {
  std::string known;
  for (std::size_t i = 0; i < size; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw std::invalid_argument("bench: '" + name + "' is no " + what +
                              " of the benchmark; choose among " + known);
}

}  // namespace

char const* name_of(verb v) {
  return verb_names.at(static_cast<std::size_t>(v));
}
char const* name_of(operation o) {
  return operation_names.at(static_cast<std::size_t>(o));
}
char const* name_of(element e) {
  return element_names.at(static_cast<std::size_t>(e));
}

operation operation_named(std::string const& name) {
  return named<operation>("operation", name, operation_names);
}
element element_named(std::string const& name) {
  return named<element>("type", name, element_names);
}

std::string title_of(work const& w) {
  return std::string(name_of(w.verb)) + ' ' + name_of(w.op) + ' ' + name_of(w.type) +
         (w.in_place ? ", in place" : "");
}

bool is_for_processor(work const& w) {
  bool const is_float = w.type == element::f32 || w.type == element::f64;
  if (w.op == operation::affine) return is_float && w.verb != verb::reduce;
  if (w.op == operation::exact_sum) return is_float && w.verb == verb::reduce;
  return (w.op == operation::sum || w.op == operation::max) &&
         (is_float || w.type == element::i32 || w.type == element::i64);
}

std::size_t bytes_of(element e) {
  return element_sizes[static_cast<std::size_t>(e)];
}
std::size_t element_bytes(work const& w) {
  return bytes_of(w.type) * (w.op == operation::affine ? 2 : 1);
}
std::size_t traffic(work const& w, std::size_t n) {
  return n * element_bytes(w) * (w.verb == verb::reduce ? 1 : 2);
}
std::size_t footprint(work const& w, std::size_t n) {
  return w.in_place ? n * element_bytes(w) : traffic(w, n);
}

}  // namespace upsweep::bench
