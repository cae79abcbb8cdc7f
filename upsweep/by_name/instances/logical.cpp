/// Logical operators, by name; a bool is a byte, 0 or 1.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::dynamic {
namespace {

/// logical_and, logical_or and logical_xor as one operator, so that the scans of each type are
/// instantiated once for all three.
struct truth_table {
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  detail::logical what;

  explicit constexpr truth_table(catalog::id op)
      : what(op == catalog::id::all   ? detail::logical::all
             : op == catalog::id::any ? detail::logical::any
                                      : detail::logical::parity) {}
  [[nodiscard]] constexpr bool identity() const { return what == detail::logical::all; }
  [[nodiscard]] constexpr bool operator()(bool earlier, bool later) const {
    // Bit 2 * earlier + later is the result.
    unsigned const rows = what == detail::logical::all   ? 0b1000u
                          : what == detail::logical::any ? 0b1110u
                                                         : 0b0110u;
    return ((rows >> (2u * earlier + 1u * later)) & 1u) != 0;
  }
  std::size_t scan_range(bool& a, bool const* x, bool* out, std::size_t n, bool inclusive) const {
    return detail::scan_logical(what, a, x, out, n, inclusive);
  }
};

}  // namespace

template <class Op>
  requires(is_in<Op, logical_operators>)
struct shared_operator<Op> {
  using type = truth_table;
};
template <class Op>
struct stored_result<Op, bool> {
  using type = std::uint8_t;
};

template struct calls_of<logical_operators>;
template struct streams_of<logical_operators>;

}  // namespace upsweep::dynamic
