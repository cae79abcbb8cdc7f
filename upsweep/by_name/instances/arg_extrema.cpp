/// Positions of the extremes, without the values, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
stream_pointer make(stream_options const& how) {
  return std::make_unique<stream_of<any_arg_extremum, T>>(any_arg_extremum{{Op::rule()}},
                                                          std::nullopt, how);
}
constexpr auto streams =
    table_of_streams(types<argmin, argmax, argmin_last, argmax_last>{}, []<class Op, class T>() {
      return row_of_stream<any_arg_extremum, T>(catalog::id_of<Op>, make<Op, T>);
    });

}  // namespace

template <>
std::span<stream_row const> streams_of<arg_extrema_operators>::rows() {
  return streams;
}

}  // namespace upsweep::dynamic
