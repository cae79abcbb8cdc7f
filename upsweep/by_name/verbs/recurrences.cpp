/// Linear recurrences by name.
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/scan.hpp>

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

template <class T>
void average(double weight, bool from_first, void const* in, std::size_t n, request const& how,
             void* out) {
  auto const* const x = elements_at<T>(in, n).data();
  T const coefficients[] = {static_cast<T>(1 - weight)}, share = static_cast<T>(weight);
  upsweep::recurrence<1, T> const op(coefficients);
  options<recurrence_state<1, T>> o;
  if (how.initial) o.initial.emplace(op.after({*static_cast<T const*>(how.initial)}));
  transform_inclusive_scan(how.on, elements_at<T>(in, n), elements_at<T>(out, n),
                           host::weighted<T>{share, from_first ? x : nullptr}, op, o);
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

}  // namespace upsweep::dynamic
