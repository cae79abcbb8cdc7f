/// The smallest and the largest element of one rank, by keys that ranks can compare as integers.
#include <upsweep/c_api/ranks/tally.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace upsweep::c_api {

namespace {

template <class T>
void store(T x, void* out) {
  *static_cast<T*>(out) = x;
}

}  // namespace

extremum extremum_of(upsweep_field const& field, upsweep_array const* index, bool largest) {
  constexpr std::int64_t chunk = array_reader::chunk;
  array_reader const values(field.values);
  bool const has_mask = is_there(field.mask), is_real = c_api::is_real(field.values.type);
  array_reader const mask(has_mask ? field.mask : field.values, values.size());
  array_reader const numbers(index ? *index : field.values, values.size());
  extremum best;
  best.counts.type = field.values.type;
  double x[chunk];
  std::int64_t key[chunk], number[chunk];
  std::uint8_t keep[chunk];
  for (std::int64_t first = 0; first < values.size(); first += chunk) {
    auto const n = static_cast<std::size_t>(std::min(chunk, values.size() - first));
    if (is_real) {
      values.read(first, n, x);
      for (std::size_t i = 0; i < n; ++i) key[i] = key_of(x[i], largest);
    } else {
      values.read(first, n, key);
      for (std::size_t i = 0; i < n; ++i) key[i] = key_of(key[i], largest);
    }
    std::fill_n(keep, n, std::uint8_t{1});
    if (has_mask) mask.read_mask(first, n, keep);
    if (index) numbers.read(first, n, number);
    for (std::size_t i = 0; i < n; ++i) {
      if (keep[i] == 0) continue;
      ++best.counts.n;
      if (is_real && !std::isfinite(x[i])) best.counts.note_special(x[i]);
      std::int64_t const at = index ? number[i] : first + static_cast<std::int64_t>(i);
      // The greatest integer has the key of no element: its position decides.
      if (key[i] > best.key || (key[i] == best.key && at >= best.position)) continue;
      best.key = key[i];
      best.position = at;
    }
  }
  return best;
}

void write_key(std::int64_t key, upsweep_type type, bool largest, void* out) {
  bool const is_nan = is_real(type) && key == nan_key;
  if (largest && !is_nan) key = ~key;
  if (type == UPSWEEP_I64) return store(key, out);
  if (type == UPSWEEP_I32) return store(static_cast<std::int32_t>(key), out);
  double const x = is_nan ? std::numeric_limits<double>::quiet_NaN()
                          : std::bit_cast<double>(key < 0 ? key ^ INT64_MAX : key);
  if (type == UPSWEEP_F64) return store(x, out);
  store(static_cast<float>(x), out);
}

}  // namespace upsweep::c_api
