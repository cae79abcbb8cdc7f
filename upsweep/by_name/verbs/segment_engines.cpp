/// Sums, products, minima and maxima of segments, by name.
#include <upsweep/by_name/verbs/segment_engine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::dynamic {
namespace {

template <class... Op, class... T>
constexpr auto engines_of(types<Op...>, types<T...>) {
  std::array<segment_engine, sizeof...(Op) * sizeof...(T)> all{};
  std::size_t at = 0;
  auto const append = [&]<class O>(std::type_identity<O>) {
    ((all[at++] = typed_segments<O, T>::make()), ...);
  };
  (append(std::type_identity<Op>{}), ...);
  return all;
}

}  // namespace

std::span<segment_engine const> segment_engines() {
  static constexpr auto all = engines_of(types<plus, multiplies, min, max>{}, segment_types{});
  return all;
}

}  // namespace upsweep::dynamic
