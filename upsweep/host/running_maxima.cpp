/// Running maxima with their positions: a pass over the rows of some columns.
#include <upsweep/host/running_maxima.hpp>

#include <upsweep/core/number_types.hpp>
#include <upsweep/host/registers.hpp>

#include <algorithm>

namespace upsweep::host {
namespace {

constexpr std::size_t together = 64;  // columns

/// Some columns; `most` is a constant that they do not exceed.
template <std::size_t most, class E>
void run_columns(running_maxima const& c, std::size_t first, std::size_t columns) {
  if constexpr (most == 1) columns = 1;
  E const* x = static_cast<E const*>(c.x) + first;
  E* value = static_cast<E*>(c.values) + first;
  std::int64_t* position = c.positions + first;
  E largest[most];
  std::int64_t found[most] = {};
  std::copy_n(x, columns, largest);
  for (std::size_t r = 0; r < c.rows; ++r) {
    for (std::size_t k = 0; k < columns; ++k) {
      bool const wins = x[k] >= largest[k] || x[k] != x[k];
      value[k] = largest[k] = wins ? x[k] : largest[k];
      position[k] = found[k] = wins ? static_cast<std::int64_t>(r) : found[k];
    }
    x += c.columns, value += c.columns, position += c.columns;
  }
}

template <class E>
void run_all(cpu const& on, running_maxima const& c) {
  std::size_t const parts = (c.columns + together - 1) / together,
                    width = std::min(c.columns, together);
  on.for_each_part(c.matrices * parts, c.rows * width, [&](std::size_t job) {
    std::size_t const begin = job % parts * together,
                      first = job / parts * c.rows * c.columns + begin;
    if (c.columns == 1) return run_columns<1, E>(c, first, 1);
    run_columns<together, E>(c, first, std::min(c.columns - begin, together));
  });
}

}  // namespace

void run(cpu const& on, running_maxima const& call) {
  using enum simd::lane_type;
  if (call.rows == 0) return;
  switch (call.type) {
#ifdef UPSWEEP_HAS_FLOAT16
    case f16:
      return run_all<float16>(on, call);
#endif
    case bf16:
      return run_all<bfloat16>(on, call);
    case f32:
      return run_all<float>(on, call);
    case f64:
      return run_all<double>(on, call);
    default:
      detail::expects(false, "running maxima are of real elements");
  }
}

}  // namespace upsweep::host
