/// Compares numbers exactly, also beyond 2^53.
#include <cli/engine/order_of_texts.hpp>

#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>
#include <upsweep/ops/order.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace upsweep::cli {

bool place_of_number::precedes(place_of_number const& other) const {
  if (detail::order::precedes(value, other.value)) return true;
  return value == other.value && whole < other.whole;
}

place_of_number place_of(std::string_view number) {
  place_of_number place;
  static_cast<void>(io::parse_number(number, io::dtype::f64, &place.value));
  std::int64_t small = 0;
  std::uint64_t large = 0;
  if (std::abs(place.value) < 0x1p53 || !std::isfinite(place.value)) return place;
  if (io::parse_number(number, io::dtype::i64, &small) == io::parsed::good)
    place.whole = small;
  else if (io::parse_number(number, io::dtype::u64, &large) == io::parsed::good)
    place.whole = large;
  else if (std::abs(place.value) < 0x1p126)
    place.whole = static_cast<int128>(place.value);
  return place;
}

bool comes_before(std::string_view a, std::string_view b) {
  bool const a_is = io::is_number(a), b_is = io::is_number(b);
  if (a_is != b_is) return a_is;
  if (!a_is) return a < b;
  auto const x = place_of(a), y = place_of(b);
  return x.precedes(y) || (!y.precedes(x) && a < b);
}

bool is_compared_as_text(std::string_view column) noexcept {
  return column.starts_with("text(");
}

io::data_error strings_in_order::error(std::string_view text, std::string_view place) const {
  return io::data_error(fmt::format("{}'{}' in column '{}' has no order as text: {}.", place,
                                    io::shown(text), column_, io::order_hint(text)));
}

}  // namespace upsweep::cli
