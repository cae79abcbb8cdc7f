/// The partials that are compiled: sums, products, extrema and where they are, exact sums,
/// statistics. A pair takes 0.4 s.
#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/partials.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/names/operators.hpp>
#include <upsweep/partial/bytes.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::dynamic {
namespace {

double mean_of(std::uint64_t count, double mean) {
  return count > 0 ? mean : std::numeric_limits<double>::quiet_NaN();
}
double number(std::uint64_t count) {
  return static_cast<double>(count);
}

// What result() stores: the statistics in the order of upsweep_partial.h, a position, or the total.
std::array<double, 6> stored(detail::moments_of const& m) {
  return {number(m.count), mean_of(m.count, m.mean), m.variance(),
          m.stddev(),      m.sample_variance(),      m.sample_stddev()};
}
std::array<double, 7> stored(detail::central_moments_of const& m) {
  return {number(m.count), mean_of(m.count, m.mean), m.variance(),       m.skewness(),
          m.kurtosis(),    m.sample_skewness(),      m.sample_kurtosis()};
}
std::array<double, 8> stored(detail::comoments_of const& m) {
  return {number(m.count),
          mean_of(m.count, m.mean_x),
          mean_of(m.count, m.mean_y),
          m.covariance(),
          m.sample_covariance(),
          m.correlation(),
          m.slope(),
          m.intercept()};
}
template <class T>
std::array<std::uint64_t, 1> stored(indexed<T> const& best) {
  return {best.index};
}
template <class R>
  requires std::is_arithmetic_v<R>
std::array<R, 1> stored(R total) {
  return {total};
}

template <class T>
struct number_type {
  using type = T;
};
template <class T>
struct number_type<xy<T>> {
  using type = T;
};

template <class Op, class T>
class partial_of final : public any_partial {
  using A = accumulator_t<Op, T>;
  using results_of = decltype(stored(std::declval<result_t<Op, T>>()));
  using R = typename results_of::value_type;
  static constexpr bool is_position = is_in<Op, arg_extrema_operators>,
                        is_number = !is_position && std::tuple_size_v<results_of> == 1;

 public:
  explicit partial_of(partial<T, Op> p)
      : any_partial(catalog::id_of<Op>, dtype_of<typename number_type<T>::type>),
        partial_(std::move(p)) {}
  [[nodiscard]] std::unique_ptr<any_partial> copy() const override {
    return std::make_unique<partial_of>(*this);
  }

  [[nodiscard]] std::size_t begin() const override { return partial_.begin(); }
  [[nodiscard]] std::size_t end() const override { return partial_.end(); }
  [[nodiscard]] partial_results results() const override {
    return {dtype_of<R>, std::tuple_size_v<results_of>, is_number, is_number};
  }

  void push(cpu const& on, void const* x, std::size_t n) override {
    std::span const elements(static_cast<T const*>(x), n);
    if constexpr (is_position)
      push_extremum(on, elements);
    else
      partial_.push(on, elements);
  }
  void append(any_partial const& later) override {
    auto const* const same = dynamic_cast<partial_of const*>(&later);
    detail::expects(same != nullptr, "partial: the two partials have different operators or types");
    partial_.append(same->partial_);
  }
  void scan(scan_kind kind, cpu const& on, void const* x, std::size_t n, void* out) override {
    if constexpr (is_number) {
      std::span const elements(static_cast<T const*>(x), n);
      std::span const results(static_cast<R*>(out), n);
      scan_stream<T, Op> stream(on);
      partial_.resume(stream);
      if (kind == scan_kind::exclusive)
        stream.exclusive(elements, results);
      else
        stream.inclusive(elements, results);
      partial_ = partial<T, Op>::of(stream);
    } else {
      detail::fail("partial: this operator supports no scan that continues a partial");
    }
  }
  void result(void const* initial, tree joined, void* out) const override {
    options<A> o{.tree = joined};
    if constexpr (is_number)
      if (initial) o.initial.emplace(*static_cast<R const*>(initial));
    std::ranges::copy(stored(partial_.result(o)), static_cast<R*>(out));
  }
  [[nodiscard]] std::vector<std::byte> bytes() const override { return to_bytes(partial_); }

 private:
  /// By the compiled reduction of the elements, in which positions count from the first of them.
  void push_extremum(cpu const& on, std::span<T const> elements) {
    if (elements.empty()) return;
    std::uint64_t found = 0;
    find(op(), element())->reduce(elements.data(), elements.size(), {.on = on}, &found);
    auto const at = static_cast<std::size_t>(found), begin = partial_.end();
    partial_.append(
        partial<T, Op>::of_totals(begin, begin + elements.size(), {A{elements[at], begin + at}}));
  }

  partial<T, Op> partial_;
};

using numbers_of_partials = types<std::int64_t, std::uint64_t, float, double>;
using operators = types<plus, multiplies, min, max, argmin, argmax, exact_sum, moments,
                        central_moments, comoments>;
template <class Op>
struct elements_of {
  using type = numbers_of_partials;
};
template <class Op>
  requires(is_in<Op, types<exact_sum, moments, central_moments>>)
struct elements_of<Op> {
  using type = wide_floats;
};
template <>
struct elements_of<comoments> {
  using type = types<double>;
};

using pointer = std::unique_ptr<any_partial>;

/// make.operator()<Op, T>() for the pair, or null.
template <class Make>
pointer made(catalog::id op, dtype element, Make const& make) {
  if (!has_operator(operators{}, op)) return {};
  return dispatch_operator(operators{}, op, [&]<class Op>(Op const&) {
    return dispatch(
        typename elements_of<Op>::type{}, element,
        [&]<class T>() {
          if constexpr (std::is_same_v<Op, comoments>)
            return make.template operator()<Op, xy<T>>();
          else
            return make.template operator()<Op, T>();
        },
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
  auto const* const op = catalog::find(header.operation);
  bool const is_pair = op && op->id == catalog::id::comoments;
  auto const element = is_pair ? std::optional(dtype::f64) : find_dtype(header.type);
  if (!element || !op) return {};
  return made(op->id, *element, [&]<class Op, class T>() -> pointer {
    return std::make_unique<partial_of<Op, T>>(from_bytes<T, Op>(bytes));
  });
}

}  // namespace upsweep::dynamic
