/// Selections, runs and groups, for Python. Outputs have room for all elements; counts are
/// returned.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace upsweep::python {
namespace {

/// Elements of a type that is only moved or compared.
struct elements {
  dynamic::dtype type;
  lines at;

  elements(std::string_view name, input const& x)
      : type(type_named(name)), at(line_of(x, size_of(type))) {}
};

std::size_t select(std::string_view type, input const& x, input const& flags, output const& out,
                   settings const& on) {
  elements const in(type, x);
  lines const to = line_of(out, size_of(in.type));
  expect_same_size(in.at.size, flags.size());
  auto const* const chosen = elements_of<std::uint8_t>(flags);
  return computing(in.at.size, [&] {
    return dynamic::select(on.executor(), in.type, in.at.first, chosen, in.at.size, to.first,
                           to.size);
  });
}

std::size_t select_positions(input const& flags, output const& out, settings const& on) {
  auto const* const chosen = elements_of<std::uint8_t>(flags);
  auto* const to = elements_of<std::uint64_t>(out);
  return computing(flags.size(), [&] {
    return dynamic::select_positions(on.executor(), chosen, flags.size(), to, out.size());
  });
}

std::size_t partition(std::string_view type, input const& x, input const& flags, output const& yes,
                      output const& no, settings const& on) {
  elements const in(type, x);
  lines const to = line_of(yes, size_of(in.type)), others = line_of(no, size_of(in.type));
  expect_same_size(in.at.size, flags.size());
  auto const* const chosen = elements_of<std::uint8_t>(flags);
  return computing(in.at.size, [&] {
    return dynamic::partition(on.executor(), in.type, in.at.first, chosen, in.at.size, to.first,
                              to.size, others.first, others.size);
  });
}

std::size_t unique(std::string_view type, input const& x, output const& out, settings const& on) {
  elements const in(type, x);
  lines const to = line_of(out, size_of(in.type));
  return computing(in.at.size, [&] {
    return dynamic::unique(on.executor(), in.type, in.at.first, in.at.size, to.first, to.size);
  });
}

std::size_t runs(std::string_view type, input const& x, output const& values, output const& lengths,
                 settings const& on) {
  elements const in(type, x);
  lines const to = line_of(values, size_of(in.type));
  auto* const counts = elements_of<std::uint64_t>(lengths);
  expect_same_size(to.size, lengths.size());
  return computing(in.at.size, [&] {
    return dynamic::runs(on.executor(), in.type, in.at.first, in.at.size, to.first, counts,
                         to.size);
  });
}

std::size_t reduce_groups(dynamic::call_entry const& e, std::string_view key, input const& keys,
                          input const& x, output const& keys_out, output const& out,
                          settings const& on, std::optional<input> const& initial) {
  elements const k(key, keys);
  lines const in = line_of(x, bytes_in(e)), to = line_of(out, bytes_out(e)),
              keys_to = line_of(keys_out, size_of(k.type));
  expect_same_size(k.at.size, in.size);
  expect_same_size(keys_to.size, in.size);
  expect_same_size(to.size, in.size);
  auto const how = request_of(e, on, false, initial);
  return computing(in.size, [&] {
    auto const found = dynamic::reduce_groups(e, {k.type, k.at.first, in.first, in.size}, how);
    std::memcpy(keys_to.first, found.keys.get(), found.count * size_of(k.type));
    std::memcpy(to.first, found.results.get(), found.count * bytes_out(e));
    return found.count;
  });
}

/// Rows of bytes; `codes` and `first` have an element for each.
std::size_t number_rows(input const& rows, output const& codes, output const& first,
                        settings const& on) {
  lines const in = lines_of(rows, 1);
  auto* const to = elements_of<std::uint32_t>(codes);
  auto* const first_to = elements_of<std::uint64_t>(first);
  expect_same_size(in.count, codes.size());
  expect_same_size(in.count, first.size());
  return computing(in.count, [&] {
    return dynamic::number_rows(on.executor(), in.first, in.count, in.size, to, first_to);
  });
}

}  // namespace

void add_selections(nb::module_& m) {
  m.def("select", select);
  m.def("select_positions", select_positions);
  m.def("partition", partition);
  m.def("unique", unique);
  m.def("runs", runs);
  m.def("reduce_groups", reduce_groups, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg().none());
  m.def("number_rows", number_rows);
}

}  // namespace upsweep::python
