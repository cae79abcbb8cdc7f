/// Names and sizes of operations, element types and works.
#include <bench/rows/catalog.hpp>
#include <bench/rows/work.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace upsweep::bench {
namespace {

template <class Enum, std::size_t size>
Enum named(char const* what, std::string const& name, std::array<Enum, size> const& all) {
  std::string known;
  for (Enum const e : all) {
    if (name == name_of(e)) return e;
    known += (known.empty() ? "" : ", ") + name_of(e);
  }
  throw std::invalid_argument("bench: there is no " + std::string(what) + " '" + name +
                              "' in the benchmark; choose one of " + known);
}

}  // namespace

std::string name_of(operation op) {
  if (op == operation::user) return "user";
  if (op == operation::user_in_large_file) return "user_in_large_file";
  if (op == operation::squares) return "squares";
  if (op == operation::join) return "join";
  std::string name(name_of(id_of(op)));
  std::ranges::replace(name, '-', '_');
  return name;
}
std::string name_of(element type) {
  if (type == element::complex_f32) return "complex_f32";
  if (type == element::struct16) return "struct16";
  return std::string(name_of(dtype_of(type)));
}

operation operation_named(std::string const& name) {
  return named("operation", name, all_operations);
}
element element_named(std::string const& name) {
  return named("type", name, all_elements);
}

std::string title_of(work const& w) {
  return std::string(name_of(w.verb)) + ' ' + name_of(w.op) + ' ' + name_of(w.type) +
         (w.in_place ? ", in place" : "");
}

bool is_for_processor(work const& w) {
  bool const is_float = w.type == element::f32 || w.type == element::f64;
  if (w.op == operation::affine) return is_float && w.verb != verb::reduce;
  if (w.op == operation::exact_sum || w.op == operation::squares)
    return is_float && w.verb == verb::reduce;
  if (w.op == operation::user_in_large_file)
    return w.type == element::f32 && w.verb != verb::exclusive_scan && !w.in_place;
  return (w.op == operation::sum || w.op == operation::max || w.op == operation::user) &&
         (is_float || w.type == element::i32 || w.type == element::i64);
}

std::optional<work> work_for_processor(work const& w) {
  if (is_for_processor(w)) return w;
  catalog_row const* const row = find_row(w);
  bool const reads_one_element =
      w.verb == verb::reduce &&
      (w.op == operation_of(catalog::id::first) || w.op == operation_of(catalog::id::last));
  if (!row || reads_one_element || w.in_place || w.verb == verb::exclusive_scan) return {};
  work named = w;
  named.by_name = true;
  return named;
}

std::size_t bytes_of(element type) {
  if (type == element::complex_f32) return 8;
  if (type == element::struct16) return 16;
  return size_of(dtype_of(type));
}
std::size_t element_bytes(work const& w) {
  if (w.op == operation_of(catalog::id::matrix2x2)) return 4 * bytes_of(w.type);
  bool const pairs = w.op == operation::affine || w.op == operation_of(catalog::id::comoments) ||
                     w.op == operation_of(catalog::id::weighted_moments);
  return bytes_of(w.type) * (pairs ? 2 : 1);
}
std::size_t result_bytes(work const& w) {
  if (w.by_name) return find_row(w)->result_bytes;
  bool const widens = w.op == operation::sum && w.type == element::i32 && w.verb == verb::reduce;
  return widens ? 8 : element_bytes(w);
}
std::size_t traffic(work const& w, std::size_t n) {
  return n * (element_bytes(w) + (w.verb == verb::reduce ? 0 : result_bytes(w)));
}
std::size_t footprint(work const& w, std::size_t n) {
  return w.in_place ? n * element_bytes(w) : traffic(w, n);
}

}  // namespace upsweep::bench
