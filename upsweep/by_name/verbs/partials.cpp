/// The partials that are compiled: sums, products, extrema, exact sums. A pair takes 0.4 s.
#include <upsweep/by_name/verbs/partials.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/names/operators.hpp>
#include <upsweep/partial_bytes.hpp>

#include <cstdint>
#include <utility>

namespace upsweep::dynamic {
namespace {

template <class Op, class T>
class partial_of final : public any_partial {
 public:
  explicit partial_of(partial<T, Op> p)
      : any_partial(catalog::id_of<Op>, dtype_of<T>), partial_(std::move(p)) {}

  [[nodiscard]] std::size_t begin() const override { return partial_.begin(); }
  [[nodiscard]] std::size_t end() const override { return partial_.end(); }
  void push(cpu const& on, void const* x, std::size_t n) override {
    partial_.push(on, std::span(static_cast<T const*>(x), n));
  }
  void append(any_partial const& later) override {
    auto const* const same = dynamic_cast<partial_of const*>(&later);
    detail::expects(same != nullptr, "partial: the two are of other operators or types");
    partial_.append(same->partial_);
  }
  void result(void const* initial, void* out) const override {
    using R = result_t<Op, T>;
    options<accumulator_t<Op, T>> o;
    if (initial) o.initial.emplace(*static_cast<R const*>(initial));
    *static_cast<R*>(out) = partial_.result(o);
  }
  [[nodiscard]] std::vector<std::byte> bytes() const override { return to_bytes(partial_); }

 private:
  partial<T, Op> partial_;
};

using operators = types<plus, multiplies, min, max, exact_sum>;
template <class Op>
using elements_of = std::conditional_t<std::is_same_v<Op, exact_sum>, wide_floats,
                                       types<std::int64_t, std::uint64_t, float, double>>;

using pointer = std::unique_ptr<any_partial>;

/// make.operator()<Op, T>() for the pair, or null.
template <class Make>
pointer made(catalog::id op, dtype element, Make const& make) {
  if (!has_operator(operators{}, op)) return {};
  return dispatch_operator(operators{}, op, [&]<class Op>(Op const&) {
    return dispatch(
        elements_of<Op>{}, element, [&]<class T>() { return make.template operator()<Op, T>(); },
        [] { return pointer(); });
  });
}

}  // namespace

pointer make_partial(catalog::id op, dtype element, std::size_t begin) {
  return made(op, element, [&]<class Op, class T>() -> pointer {
    return std::make_unique<partial_of<Op, T>>(partial<T, Op>(begin));
  });
}

pointer partial_of_bytes(std::span<std::byte const> bytes) {
  auto const header = header_of(bytes);
  auto const element = find_dtype(header.type);
  auto const* const op = catalog::find(header.operation);
  if (!element || !op) return {};
  return made(op->id, *element, [&]<class Op, class T>() -> pointer {
    return std::make_unique<partial_of<Op, T>>(from_bytes<T, Op>(bytes));
  });
}

}  // namespace upsweep::dynamic
