/// Partials, for Python: reductions of pieces of an array, which join to the bits of one call.
#include <python/binding/module.hpp>

#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/partial_bytes.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace upsweep::python {
namespace {

/// A partial of an operator over elements of a type, both chosen at run time.
class piece {
 public:
  piece() = default;
  piece(piece const&) = delete;
  piece& operator=(piece const&) = delete;
  virtual ~piece() = default;

  [[nodiscard]] virtual std::size_t begin() const = 0;
  [[nodiscard]] virtual std::size_t end() const = 0;
  virtual void push(input const& next, settings const& on) = 0;
  virtual void append(piece const& later) = 0;
  virtual void scan(input const& next, output const& out, bool exclusive, settings const& on) = 0;
  virtual void result(output const& out, std::optional<input> const& initial) const = 0;
  [[nodiscard]] virtual nb::bytes bytes() const = 0;
};

template <class Op, class T>
class typed_piece final : public piece {
  using A = accumulator_t<Op, T>;
  using R = result_t<Op, T>;

 public:
  explicit typed_piece(partial<T, Op> p) : partial_(std::move(p)) {}

  [[nodiscard]] std::size_t begin() const override { return partial_.begin(); }
  [[nodiscard]] std::size_t end() const override { return partial_.end(); }
  /// Other threads of Python may use the partial meanwhile, so it changes at the end.
  void push(input const& next, settings const& on) override {
    std::span const elements(elements_of<T>(next), next.size());
    partial<T, Op> longer(partial_);
    computing(elements.size(), [&] { longer.push(on.executor(), elements); });
    detail::expects(longer.end() == partial_.end() + elements.size(),
                    "Partial: another thread has changed it meanwhile; give each its own");
    partial_ = std::move(longer);
  }
  void append(piece const& later) override {
    auto const* const same = dynamic_cast<typed_piece const*>(&later);
    detail::expects(same != nullptr, "Partial: the two are of other operators or types");
    partial_.append(same->partial_);
  }
  void scan(input const& next, output const& out, bool exclusive, settings const& on) override {
    std::span const elements(elements_of<T>(next), next.size());
    expect_same_size(next.size(), out.size());
    std::span const results(elements_of<R>(out), out.size());
    scan_stream<T, Op> stream(on.executor());
    partial_.resume(stream);
    computing(elements.size(), [&] {
      if (exclusive)
        stream.exclusive(elements, results);
      else
        stream.inclusive(elements, results);
    });
    partial_ = partial<T, Op>::of(stream);
  }
  void result(output const& out, std::optional<input> const& initial) const override {
    expect_same_size(out.size(), 1);
    options<A> o;
    if (initial) o.initial.emplace(elements_of<R>(*initial)[0]);
    *elements_of<R>(out) = static_cast<R>(partial_.result(o));
  }
  [[nodiscard]] nb::bytes bytes() const override {
    auto const all = to_bytes(partial_);
    return nb::bytes(reinterpret_cast<char const*>(all.data()), all.size());
  }

 private:
  partial<T, Op> partial_;
};

using wide_numbers = dynamic::types<std::int64_t, std::uint64_t, float, double>;

/// Calls make.operator()<Op, T>() for the operator and the type, if there are partials of them.
template <class Make>
std::unique_ptr<piece> made(std::string_view op, std::string_view type, Make const& make) {
  auto const over = [&]<class Op, class Types>() {
    return dynamic::dispatch(
        Types{}, type_named(type), [&]<class T>() { return make.template operator()<Op, T>(); },
        [] { return std::unique_ptr<piece>(); });
  };
  if (op == "sum") return over.template operator()<plus, wide_numbers>();
  if (op == "product") return over.template operator()<multiplies, wide_numbers>();
  if (op == "min") return over.template operator()<min, wide_numbers>();
  if (op == "max") return over.template operator()<max, wide_numbers>();
  if (op == "exact_sum") return over.template operator()<exact_sum, dynamic::wide_floats>();
  return {};
}

/// Null for an operator or a type that has no partials.
std::unique_ptr<piece> make_piece(std::string_view op, std::string_view type, std::size_t begin) {
  return made(op, type, [&]<class Op, class T>() -> std::unique_ptr<piece> {
    return std::make_unique<typed_piece<Op, T>>(partial<T, Op>(begin));
  });
}

/// What is in the header of bytes: operator and type of the elements.
nb::tuple kind_of(nb::bytes const& b) {
  auto const h = header_of(std::as_bytes(std::span(b.c_str(), b.size())));
  std::string op(h.operation);
  std::ranges::replace(op, '-', '_');
  return nb::make_tuple(op, std::string(h.type));
}

std::unique_ptr<piece> piece_of_bytes(std::string_view op, std::string_view type,
                                      nb::bytes const& b) {
  auto const from = std::as_bytes(std::span(b.c_str(), b.size()));
  return made(op, type, [&]<class Op, class T>() -> std::unique_ptr<piece> {
    return std::make_unique<typed_piece<Op, T>>(from_bytes<T, Op>(from));
  });
}

}  // namespace

void add_partials(nb::module_& m) {
  nb::class_<piece>(m, "Partial", "The reduction of a piece of an array.")
      .def_prop_ro("begin", &piece::begin)
      .def_prop_ro("end", &piece::end)
      .def("push", &piece::push)
      .def("append", &piece::append)
      .def("scan", &piece::scan)
      .def("result", &piece::result, nb::arg(), nb::arg().none())
      .def("bytes", &piece::bytes);
  m.def("partial", make_piece);
  m.def("partial_kind", kind_of);
  m.def("partial_of_bytes", piece_of_bytes);
}

}  // namespace upsweep::python
