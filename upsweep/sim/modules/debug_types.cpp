/// Variables by symbol and by position; types are followed to the numbers that they consist of.
#include <upsweep/sim/modules/object_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

namespace tag {
enum : unsigned {
  array = 0x01,
  class_type = 0x02,
  enumeration = 0x04,
  member = 0x0d,
  pointer = 0x0f,
  reference = 0x10,
  structure = 0x13,
  renamed = 0x16,
  union_type = 0x17,
  inheritance = 0x1c,
  subrange = 0x21,
  base = 0x24,
  constant = 0x26,
  variable = 0x34,
  is_volatile = 0x35,
  restricted = 0x37
};
}  // namespace tag

}  // namespace

debug_types::debug_types(std::filesystem::path const& file) {
  read_debug_entries(elf_file(file), [this](place at, debug_entry made, place parent) {
    take(at, std::move(made), parent);
  });
}

void debug_types::take(place at, debug_entry made, place parent) {
  if (made.tag == tag::member || made.tag == tag::inheritance || made.tag == tag::subrange)
    if (auto const of = entries_.find(parent); of != entries_.end() && !made.is_declaration)
      of->second.parts.push_back(at);
  if (made.tag == tag::variable) {
    if (auto const first = entries_.find(made.origin); first != entries_.end()) {
      if (made.type == 0) made.type = first->second.type;
      if (made.symbol.empty()) made.symbol = first->second.symbol;
    }
    if (made.in_thread) types_in_thread_.emplace(*made.in_thread, made.type);
    if (made.address) types_at_.emplace(*made.address, made.type);
    types_of_.emplace(made.symbol.empty() ? made.name : made.symbol, made.type);
  }
  entries_.emplace(at, std::move(made));
}

/// Follows typedefs and qualifiers, and arrays if `extents` is not null.
debug_types::place debug_types::without_names(place type,
                                              std::vector<std::uint64_t>* extents) const {
  for (;;) {
    auto const found = entries_.find(type);
    if (found == entries_.end()) return type;
    debug_entry const& e = found->second;
    bool const is_array = e.tag == tag::array && extents != nullptr;
    if (is_array)
      for (place const part : e.parts) extents->push_back(entries_.at(part).count.value_or(0));
    if (!is_array && e.tag != tag::renamed && e.tag != tag::constant && e.tag != tag::is_volatile &&
        e.tag != tag::restricted)
      return type;
    type = e.type;
  }
}

void debug_types::add_fields(place type, std::uint64_t offset, element_layout& to) const {
  constexpr std::size_t most_fields = 16;
  std::vector<std::uint64_t> extents;
  auto const found = entries_.find(without_names(type, &extents));
  if (found == entries_.end() || to.fields.size() >= most_fields) return;
  debug_entry const* const e = &found->second;
  std::uint64_t repeats = 1;
  for (auto const n : extents) repeats *= n;
  auto const add = [&](number_kind kind) {
    for (std::uint64_t i = 0; i < repeats && to.fields.size() < most_fields; ++i)
      to.fields.push_back(
          {kind, static_cast<unsigned>(offset + i * e->bytes), static_cast<unsigned>(e->bytes)});
  };
  switch (e->tag) {
    case tag::base: {
      enum : unsigned { boolean = 2, floating = 4, signed_number = 5, signed_char = 6 };
      return add(e->name == "char"         ? number_kind::character
                 : e->encoding == boolean  ? number_kind::truth
                 : e->encoding == floating ? number_kind::floating
                 : e->encoding == signed_number || e->encoding == signed_char
                     ? number_kind::signed_integer
                     : number_kind::unsigned_integer);
    }
    case tag::enumeration:
      return add(number_kind::signed_integer);
    case tag::pointer:
    case tag::reference:
      return add(number_kind::pointer);
    case tag::structure:
    case tag::class_type:
    case tag::union_type:
      if (e->name == "__half" || e->name == "__nv_bfloat16")
        return add(e->name == "__half" ? number_kind::half : number_kind::bfloat16);
      for (std::uint64_t i = 0; i < repeats; ++i)
        for (place const part : e->parts) {
          debug_entry const& m = entries_.at(part);
          add_fields(m.type, offset + i * e->bytes + m.offset, to);
          if (e->tag == tag::union_type) break;  // its first member
        }
      return;
    default:
      return;
  }
}

element_layout debug_types::layout(place type) const {
  element_layout made;
  place const stripped = without_names(type, &made.extents);
  auto const found = entries_.find(stripped);
  if (found == entries_.end()) return {};
  bool const is_pointer = found->second.tag == tag::pointer;
  made.bytes = static_cast<unsigned>(found->second.bytes);
  made.name = is_pointer ? "pointer" : found->second.name;
  add_fields(stripped, 0, made);
  return made;
}

element_layout debug_types::in_thread_locals(std::uint64_t offset) const {
  auto const found = types_in_thread_.find(offset);
  return found == types_in_thread_.end() ? element_layout{} : layout(found->second);
}
element_layout debug_types::at(std::uint64_t offset) const {
  auto const found = types_at_.find(offset);
  return found == types_at_.end() ? element_layout{} : layout(found->second);
}
element_layout debug_types::of(std::string const& symbol) const {
  auto const found = types_of_.find(symbol);
  return found == types_of_.end() ? element_layout{} : layout(found->second);
}
element_layout debug_types::pointed_to_by(std::string const& symbol) const {
  auto const found = types_of_.find(symbol);
  if (found == types_of_.end()) return {};
  auto const pointer = entries_.find(without_names(found->second, nullptr));
  return pointer == entries_.end() || pointer->second.tag != tag::pointer
             ? element_layout{}
             : layout(pointer->second.type);
}

}  // namespace upsweep::sim
