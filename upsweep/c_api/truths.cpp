/// The logical operators of the C interface; a truth value is a byte, 0 or 1.
#include <upsweep/c_api/table.hpp>

namespace upsweep::c_api {
namespace {

/// logical_and, logical_or and logical_xor as one operator, so that one instantiation for each type
/// serves all three.
struct truth_table {
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  unsigned rows;  // bit 2 * earlier + later is the result

  explicit constexpr truth_table(upsweep_operator op)
      : rows(op == UPSWEEP_LOGICAL_AND  ? 0b1000u
             : op == UPSWEEP_LOGICAL_OR ? 0b1110u
                                        : 0b0110u) {}
  [[nodiscard]] constexpr bool identity() const { return rows == 0b1000u; }
  [[nodiscard]] constexpr bool operator()(bool earlier, bool later) const {
    return ((rows >> (2u * earlier + 1u * later)) & 1u) != 0;
  }
};

constexpr auto all_types(upsweep_operator op) {
  auto const integers = entries<truth_table, std::uint8_t>(op, unsigned_integers{});
  auto all =
      joined(for_signed(integers), integers, entries<truth_table, std::uint8_t>(op, floats{}));
  for (entry& e : all) e.result = UPSWEEP_U8;  // for_signed takes the result of U8 for its own type
  return all;
}

}  // namespace

std::span<entry const> truths() {
  static constexpr auto table =
      joined(all_types(UPSWEEP_LOGICAL_AND), all_types(UPSWEEP_LOGICAL_OR),
             all_types(UPSWEEP_LOGICAL_XOR));
  return table;
}

}  // namespace upsweep::c_api
