/// Where the extremes are, of the C interface: positions alone, without the values.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/arg_extrema.hpp>

namespace upsweep::c_api {
namespace {

/// argmin and argmax as one operator, so that one instantiation for each type serves both.
struct arg_either {
  static constexpr bool exact = true;
  static constexpr bool refuses_empty = true;
  template <class T>
  using accumulator = argmin::accumulator<T>;

  bool largest;

  explicit constexpr arg_either(upsweep_operator op) : largest(op == UPSWEEP_ARGMAX) {}
  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return largest ? argmax{}.template identity<A>() : argmin{}.template identity<A>();
  }
  template <class T>
  [[nodiscard]] constexpr accumulator<T> lift(T const& x, std::size_t index) const {
    return argmin{}.lift(x, index);
  }
  template <class T>
  [[nodiscard]] constexpr indexed<T> operator()(indexed<T> const& earlier,
                                                indexed<T> const& later) const {
    return largest ? argmax{}(earlier, later) : argmin{}(earlier, later);
  }
};

constexpr auto all_types(upsweep_operator op) {
  return joined(entries<arg_either, std::uint64_t>(op, integers{}),
                entries<arg_either, std::uint64_t>(op, floats{}));
}

}  // namespace

std::span<entry const> positions() {
  static constexpr auto table = joined(all_types(UPSWEEP_ARGMIN), all_types(UPSWEEP_ARGMAX));
  return table;
}

}  // namespace upsweep::c_api
