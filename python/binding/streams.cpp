/// Streams, for Python: reductions and scans of data that arrives in chunks, whose state is bytes.
#include <python/binding/module.hpp>

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/scan_stream.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::python {
namespace {

/// While it exists, other threads are refused.
class in_use {
 public:
  explicit in_use(std::atomic<bool>& busy) : busy_(busy) {
    detail::expects(!busy.exchange(true),
                    "Stream: another thread is in a call of this stream; give each its own");
  }
  ~in_use() { busy_ = false; }
  in_use(in_use const&) = delete;
  in_use& operator=(in_use const&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// A stream of an operator over elements of a type, both chosen at run time.
class stream {
 public:
  stream() = default;
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  virtual ~stream() = default;

  virtual void push(input const& chunk, settings const& on) = 0;
  virtual void scan(input const& chunk, output const& out, bool exclusive, settings const& on) = 0;
  virtual void result(output const& out) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// The totals of the blocks that the binary digits of size() represent, the largest first.
  [[nodiscard]] virtual nb::bytes state() const = 0;
  virtual void restore(std::size_t size, nb::bytes const& state) = 0;
};

template <class Op, class T>
class typed_stream final : public stream {
  using A = accumulator_t<Op, T>;
  using R = result_t<Op, T>;
  static_assert(std::is_trivially_copyable_v<A>, "a state is stored as its bytes");

 public:
  explicit typed_stream(std::optional<input> const& initial) {
    if (initial) options_.initial.emplace(elements_of<R>(*initial)[0]);
    totals_ = reduce_stream<T, Op>(cpu{}, Op{}, options_);
  }

  void push(input const& chunk, settings const& on) override {
    std::span const elements(elements_of<T>(chunk), chunk.size());
    in_use const mine(busy_);
    computing(elements.size(), [&] {
      auto next = moved<reduce_stream<T, Op>>(on);
      next.push(elements);
      totals_ = std::move(next);
    });
  }
  void scan(input const& chunk, output const& out, bool exclusive, settings const& on) override {
    std::span const elements(elements_of<T>(chunk), chunk.size());
    expect_same_size(chunk.size(), out.size());
    std::span const results(elements_of<R>(out), out.size());
    in_use const mine(busy_);
    computing(elements.size(), [&] {
      auto next = moved<scan_stream<T, Op>>(on);
      if (exclusive)
        next.exclusive(elements, results);
      else
        next.inclusive(elements, results);
      totals_ = with_totals_of(next, reduce_stream<T, Op>(cpu{}, Op{}, options_));
    });
  }
  void result(output const& out) const override {
    in_use const mine(busy_);
    expect_same_size(out.size(), 1);
    *elements_of<R>(out) = static_cast<R>(totals_.result());
  }
  [[nodiscard]] std::size_t size() const override { return totals_.size(); }

  [[nodiscard]] nb::bytes state() const override {
    in_use const mine(busy_);
    std::vector<char> bytes;
    for (int k = 64; k-- > 0;)
      if (size() >> k & 1) {
        auto const* const first = reinterpret_cast<char const*>(&totals_.block_total(k));
        bytes.insert(bytes.end(), first, first + sizeof(A));
      }
    return nb::bytes(bytes.data(), bytes.size());
  }
  void restore(std::size_t size, nb::bytes const& state) override {
    std::size_t const blocks = static_cast<std::size_t>(__builtin_popcountll(size));
    detail::expects(state.size() == blocks * sizeof(A),
                    "Stream: the state is of another length; it was made by another version, or "
                    "is damaged");
    in_use const mine(busy_);
    reduce_stream<T, Op> fresh(cpu{}, Op{}, options_);
    char const* at = state.c_str();
    for (int k = 64; k-- > 0;)
      if (size >> k & 1) {
        A total;
        std::memcpy(&total, at, sizeof(A));
        at += sizeof(A);
        fresh.append_block(k, total);
      }
    totals_ = std::move(fresh);
  }

 private:
  template <class From, class To>
  static To with_totals_of(From const& from, To to) {
    for (int k = 64; k-- > 0;)
      if (from.size() >> k & 1) to.append_block(k, from.block_total(k));
    return to;
  }
  /// A stream that continues this one on other threads. Until it has succeeded, this one stays.
  template <class To>
  [[nodiscard]] To moved(settings const& on) const {
    return with_totals_of(totals_, To(on.executor(), Op{}, options_));
  }

  mutable std::atomic<bool> busy_ = false;
  options<A> options_;
  reduce_stream<T, Op> totals_;
};

using wide_numbers = dynamic::types<std::int64_t, std::uint64_t, float, double>;

template <class Op, class Types>
std::unique_ptr<stream> made_over(dynamic::dtype t, std::optional<input> const& initial) {
  return dynamic::dispatch(
      Types{}, t,
      [&]<class T>() -> std::unique_ptr<stream> {
        return std::make_unique<typed_stream<Op, T>>(initial);
      },
      [] { return std::unique_ptr<stream>(); });
}

using wide_integers = dynamic::types<std::int64_t, std::uint64_t>;
using flags = dynamic::types<std::uint64_t>;  // the package stores whether an element is not 0

std::unique_ptr<stream> made_of_integers(std::string_view op, dynamic::dtype t,
                                         std::optional<input> const& initial) {
  if (op == "checked_sum") return made_over<checked_plus<>, wide_integers>(t, initial);
  if (op == "checked_product") return made_over<checked_multiplies<>, wide_integers>(t, initial);
  if (op == "gcd") return made_over<gcd, wide_integers>(t, initial);
  if (op == "bit_and") return made_over<bit_and, wide_integers>(t, initial);
  if (op == "bit_or") return made_over<bit_or, wide_integers>(t, initial);
  if (op == "bit_xor") return made_over<bit_xor, wide_integers>(t, initial);
  if (op == "all") return made_over<logical_and, flags>(t, initial);
  if (op == "any") return made_over<logical_or, flags>(t, initial);
  if (op == "parity") return made_over<logical_xor, flags>(t, initial);
  return {};
}

/// Null for an operator or a type that has no streams.
std::unique_ptr<stream> make_stream(std::string_view op, std::string_view type,
                                    std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  if (op == "sum") return made_over<plus, wide_numbers>(t, initial);
  if (op == "product") return made_over<multiplies, wide_numbers>(t, initial);
  if (op == "min") return made_over<min, wide_numbers>(t, initial);
  if (op == "max") return made_over<max, wide_numbers>(t, initial);
  if (op == "min_number") return made_over<min_number, dynamic::wide_floats>(t, initial);
  if (op == "max_number") return made_over<max_number, dynamic::wide_floats>(t, initial);
  if (op == "exact_sum") return made_over<exact_sum, dynamic::wide_floats>(t, initial);
  return made_of_integers(op, t, initial);
}

}  // namespace

void add_streams(nb::module_& m) {
  nb::class_<stream>(m, "Stream", "A reduction or scan of elements that arrive in chunks.")
      .def("push", &stream::push)
      .def("scan", &stream::scan)
      .def("result", &stream::result)
      .def_prop_ro("size", &stream::size)
      .def("state", &stream::state)
      .def("restore", &stream::restore);
  m.def("stream", make_stream, nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace upsweep::python
