/// Partials, for Python: reductions of pieces of an array, which join to the bits of one call.
#include <python/binding/module.hpp>

#include <upsweep/by_name/verbs/partials.hpp>
#include <upsweep/partial/bytes.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::python {
namespace {

using dynamic::any_partial;

std::span<std::byte const> bytes_of(nb::bytes const& b) {
  return std::as_bytes(std::span(b.c_str(), b.size()));
}

/// A partial that other threads of Python may use while one of them computes: it changes at the
/// end.
class piece {
 public:
  explicit piece(std::unique_ptr<any_partial> of) : of_(std::move(of)) {}

  [[nodiscard]] std::size_t begin() const { return of_->begin(); }
  [[nodiscard]] std::size_t end() const { return of_->end(); }
  [[nodiscard]] std::string op() const { return underscored(catalog::name_of(of_->op())); }
  [[nodiscard]] std::string_view element() const { return name_of(of_->element()); }
  [[nodiscard]] std::string_view result() const { return name_of(of_->results().type); }
  [[nodiscard]] std::size_t result_count() const { return of_->results().count; }
  [[nodiscard]] bool takes_initial() const { return of_->results().takes_initial; }
  [[nodiscard]] bool scans() const { return of_->results().scans; }

  void push(input const& next, settings const& on) {
    lines const in = line_of(next, size_of(of_->element()));
    change(in.size / (of_->op() == catalog::id::comoments ? 2 : 1),
           [&](any_partial& longer, std::size_t n) { longer.push(on.executor(), in.first, n); });
  }
  void scan(input const& next, output const& out, bool exclusive, settings const& on) {
    lines const in = line_of(next, size_of(of_->element()));
    lines const to = line_of(out, size_of(of_->results().type));
    expect_same_size(in.size, to.size);
    scan_kind const kind = exclusive ? scan_kind::exclusive : scan_kind::inclusive;
    change(in.size, [&](any_partial& longer, std::size_t n) {
      longer.scan(kind, on.executor(), in.first, n, to.first);
    });
  }
  void append(piece const& later) { of_->append(*later.of_); }
  void store_results(output const& out, bool pairwise, std::optional<input> const& initial) const {
    std::size_t const bytes = size_of(of_->results().type);
    lines const to = line_of(out, bytes);
    expect_same_size(to.size, result_count());
    of_->result(initial ? line_of(*initial, bytes).first : nullptr,
                pairwise ? tree::pairwise : tree::prefix, to.first);
  }
  [[nodiscard]] nb::bytes bytes() const {
    auto const all = of_->bytes();
    return nb::bytes(reinterpret_cast<char const*>(all.data()), all.size());
  }

 private:
  template <class F>
  void change(std::size_t n, F const& f) {
    std::size_t const end = of_->end();
    auto longer = of_->copy();
    computing(n, [&] { f(*longer, n); });
    detail::expects(of_->end() == end,
                    "Partial: another thread has changed it meanwhile; give each its own");
    of_ = std::move(longer);
  }

  std::unique_ptr<any_partial> of_;
};

std::unique_ptr<piece> made(std::unique_ptr<any_partial> of) {
  return of ? std::make_unique<piece>(std::move(of)) : nullptr;
}

/// Null for an operator or a type that has no partials.
std::unique_ptr<piece> make_piece(std::string_view op, std::string_view type, std::size_t begin) {
  auto const* const known = catalog::find(op);
  return known ? made(dynamic::make_partial(known->id, type_named(type), begin)) : nullptr;
}

/// Operator and type of the elements, as bytes say.
nb::tuple kind_of(nb::bytes const& b) {
  auto const h = header_of(bytes_of(b));
  return nb::make_tuple(underscored(h.operation), std::string(h.type));
}

}  // namespace

void add_partials(nb::module_& m) {
  nb::class_<piece>(m, "Partial", "The partial result of a piece of an array.")
      .def_prop_ro("begin", &piece::begin)
      .def_prop_ro("end", &piece::end)
      .def_prop_ro("op", &piece::op)
      .def_prop_ro("element", &piece::element)
      .def_prop_ro("result", &piece::result)
      .def_prop_ro("result_count", &piece::result_count)
      .def_prop_ro("takes_initial", &piece::takes_initial)
      .def_prop_ro("scans", &piece::scans)
      .def("push", &piece::push)
      .def("append", &piece::append)
      .def("scan", &piece::scan)
      .def("store_results", &piece::store_results, nb::arg(), nb::arg(), nb::arg().none())
      .def("bytes", &piece::bytes);
  m.def("partial", make_piece);
  m.def("partial_kind", kind_of);
  m.def("partial_of_bytes",
        [](nb::bytes const& b) { return made(dynamic::partial_of_bytes(bytes_of(b))); });
}

}  // namespace upsweep::python
