/// Linear recurrences by name, and their streams.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace upsweep::dynamic {
namespace {

template <class T, std::size_t order>
void run(double const* a, void const* in, std::size_t n, request const& how, void* out) {
  T coefficients[order];
  for (std::size_t k = 0; k < order; ++k) coefficients[k] = static_cast<T>(a[k]);
  upsweep::recurrence<order, T> const op(coefficients);
  options<recurrence_state<order, T>> o{.reverse = how.reverse};
  if (how.initial) {
    T before[order];
    for (std::size_t k = 0; k < order; ++k) before[k] = static_cast<T const*>(how.initial)[k];
    o.initial.emplace(op.after(before));
  }
  inclusive_scan(how.on, elements_at<T>(in, n), elements_at<T>(out, n), op, o);
}

template <class T>
void run_order(std::size_t order, double const* a, void const* in, std::size_t n,
               request const& how, void* out) {
  static constexpr decltype(&run<T, 1>) calls[largest_recurrence] = {run<T, 1>, run<T, 2>,
                                                                     run<T, 3>, run<T, 4>};
  calls[order - 1](a, in, n, how, out);
}

/// Results are affine maps of those before: of one that is missing the identity.
template <class T>
void average_of_present(double weight, bool from_first, std::span<T const> x, request const& how,
                        std::span<T> out) {
  auto const maps = detail::memory_for<affine_map<T>>(x.size());
  bool begun = !from_first;
  double old = 1;
  std::size_t first = 0;  // results before it are NaN
  for (std::size_t i = 0; i < x.size(); ++i) {
    old *= 1 - weight;
    if (x[i] != x[i]) {
      maps[i] = {T(1), T(0)};
      if (!begun) ++first;
    } else {
      double const both = old + weight;
      maps[i] = begun ? affine_map<T>{static_cast<T>(old / both),
                                      static_cast<T>(weight / both * static_cast<double>(x[i]))}
                      : affine_map<T>{T(0), x[i]};
      old = 1, begun = true;
    }
  }
  options<affine_map<T>> o;
  if (how.initial) o.initial.emplace(T(0), *static_cast<T const*>(how.initial));
  inclusive_scan(how.on, std::span<affine_map<T> const>(maps.get(), x.size()), out, affine{}, o);
  std::fill_n(out.begin(), first, detail::not_a_number<T>);
}

template <class T>
void average(double weight, bool from_first, void const* in, std::size_t n, request const& how,
             void* out) {
  auto const x = elements_at<T>(in, n);
  auto const to = elements_at<T>(out, n);
  T const coefficients[] = {static_cast<T>(1 - weight)}, share = static_cast<T>(weight);
  upsweep::recurrence<1, T> const op(coefficients);
  options<recurrence_state<1, T>> o;
  if (how.initial) o.initial.emplace(op.after({*static_cast<T const*>(how.initial)}));
  transform_inclusive_scan(how.on, x, to, host::weighted<T>{share, from_first ? x.data() : nullptr},
                           op, o);
  auto const missing = [](T const& element) { return element != element; };
  if (n > 0 && missing(to.back()) && std::any_of(x.begin(), x.end(), missing))
    average_of_present(weight, from_first, x, how, to);
}

/// y[i] = (1 - weight) * y[i-1] + weight * x[i], with y[0] = x[0] unless there is an initial value.
template <class T>
struct exponential_average {
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = affine_map<T>;

  T weight;
  bool starts = true;  ///< false with an initial value, which is y[-1]

  [[nodiscard]] affine_map<T> lift(T x, std::size_t index) const {
    return index == 0 && starts ? affine_map<T>{0, x} : affine_map<T>{T(1) - weight, weight * x};
  }
  [[nodiscard]] affine_map<T> operator()(affine_map<T> const& earlier,
                                         affine_map<T> const& later) const {
    return affine{}(earlier, later);
  }
};

template <class T>
stream_pointer average(double weight, stream_options const& how) {
  exponential_average<T> const op{static_cast<T>(weight), how.initial == nullptr};
  return std::make_unique<stream_of<exponential_average<T>, T>>(
      op, initial_of_stream<exponential_average<T>, T>::of(op, how), how);
}

template <std::size_t order>
stream_pointer recurrence_of(std::span<double const> a, stream_options const& how) {
  if constexpr (order < largest_recurrence)
    if (a.size() > order) return recurrence_of<order + 1>(a, how);
  double coefficients[order];
  std::copy_n(a.begin(), order, coefficients);
  using op = upsweep::recurrence<order, double>;
  return std::make_unique<stream_of<op, double>>(op(coefficients), std::nullopt, how);
}

}  // namespace

void moving_average(dtype t, double weight, bool from_first, void const* in, std::size_t n,
                    request const& how, void* out) {
  if (t == dtype::f32)
    average<float>(weight, from_first, in, n, how, out);
  else
    average<double>(weight, from_first, in, n, how, out);
}

void recurrence(dtype t, double const* a, std::size_t order, void const* in, std::size_t n,
                request const& how, void* out) {
  if (t == dtype::f32)
    run_order<float>(order, a, in, n, how, out);
  else
    run_order<double>(order, a, in, n, how, out);
}

stream_pointer stream_of_average(dtype element, double weight, stream_options const& how) {
  return element == dtype::f32 ? average<float>(weight, how) : average<double>(weight, how);
}

stream_pointer stream_of_recurrence(std::span<double const> a, stream_options const& how) {
  return recurrence_of<1>(a, how);
}

}  // namespace upsweep::dynamic
