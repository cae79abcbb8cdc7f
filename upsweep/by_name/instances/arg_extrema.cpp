/// Positions of the extremes, without the values, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace upsweep::dynamic {
namespace {

/// argmin and argmax as one operator, so that the scans of each type are instantiated once for
/// both.
struct arg_either : detail::arg_extremum<detail::given_rule> {
  explicit constexpr arg_either(catalog::id op)
      : detail::arg_extremum<detail::given_rule>{
            {{.largest = op == catalog::id::argmax, .last = false}}} {}
};

}  // namespace

template <class Op>
  requires(is_in<Op, arg_extrema_operators>)
struct shared_operator<Op> {
  using type = arg_either;
};
template <class Op, class T>
struct stored_result<Op, indexed<T>> {
  using type = std::uint64_t;
};

template struct calls_of<arg_extrema_operators>;

namespace {

/// argmin, argmax, argmin-last and argmax-last, compiled once for all four.
using any_arg_extremum = detail::arg_extremum<detail::given_rule>;
template <class Op, class T>
stream_pointer make_stream(stream_options const& how) {
  return std::make_unique<stream_of<any_arg_extremum, T>>(any_arg_extremum{{Op::rule()}},
                                                          std::nullopt, how);
}
template <class... Op, class... T>
constexpr auto rows_of(types<Op...>, types<T...>) {
  std::array<stream_row, sizeof...(Op) * sizeof...(T)> all{};
  std::size_t at = 0;
  auto const append = [&]<class O>(std::type_identity<O>) {
    ((all[at++] = row_of_stream<any_arg_extremum, T>(catalog::id_of<O>, make_stream<O, T>)), ...);
  };
  (append(std::type_identity<Op>{}), ...);
  return all;
}
constexpr auto streams = rows_of(types<argmin, argmax, argmin_last, argmax_last>{},
                                 types<std::int64_t, std::uint64_t, double>{});

}  // namespace

stream_rows streams_of_arg_extrema() {
  return streams;
}

}  // namespace upsweep::dynamic
