/// What one rank contributes: chunks of a field are read into the first cache, multiplied and
/// masked there, and added to a superaccumulator.
#include <upsweep/c_api/ranks/tally.hpp>

#include <upsweep/core/rounding.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace upsweep::c_api {

namespace {

namespace threads = host::threads;
constexpr std::int64_t chunk = array_reader::chunk;
/// From this length on rows are read where they are.
constexpr std::int64_t long_row = 512;

/// The arrays of a field. Weights are the values themselves for squares.
struct parts {
  array_reader values, mask, weights;
  bool has_mask, has_weights;

  explicit parts(upsweep_field const& f)
      : values(f.values), has_mask(is_there(f.mask)), has_weights(is_there(f.weights)) {
    if (has_mask) mask = array_reader(f.mask, values.size());
    if (has_weights) weights = array_reader(f.weights, values.size());
  }

  /// Reads n reals from number `first` on, with -0, which changes no sum, for those that the mask
  /// excludes. Returns how many it does not. `marks` has room for the mask.
  std::size_t read(std::int64_t first, std::size_t n, double* x, std::uint8_t* marks) const {
    values.read(first, n, x);
    if (!has_mask) return n;
    mask.read_mask(first, n, marks);
    return host::simd::keep(x, marks, n, -0.0);
  }
};

/// Adds the elements [first, last) of reals without weights. Returns whether all are finite.
bool add_reals(parts const& f, std::int64_t first, std::int64_t last, tally& to) {
  detail::superaccumulator<double> sum;
  alignas(64) double x[chunk];
  alignas(64) std::uint8_t mask[chunk];
  bool const direct =
      f.values.type() == UPSWEEP_F64 && !f.has_mask && f.values.rows_are_contiguous();
  for (std::int64_t i = first; i < last;) {
    std::int64_t left = 0;
    char const* const row = f.values.at(i, left);
    left = std::min(left, last - i);
    if (direct && (left >= long_row || left == last - i)) {
      exact_sum{}.absorb_range(sum, reinterpret_cast<double const*>(row),
                               static_cast<std::size_t>(left));
      to.n += left;
      i += left;
      continue;
    }
    auto const n = static_cast<std::size_t>(std::min(chunk, last - i));
    to.n += static_cast<std::int64_t>(f.read(i, n, x, mask));
    exact_sum{}.absorb_range(sum, x, n);
    i += static_cast<std::int64_t>(n);
  }
  to.add(sum);
  return (sum.notes() & (sum.nan | sum.positive_infinity | sum.negative_infinity)) == 0;
}

/// Counts what is not finite among the elements. Only called if there is some.
void count_special(parts const& f, std::int64_t first, std::int64_t last, tally& to) {
  double x[chunk];
  std::uint8_t mask[chunk];
  for (std::int64_t i = first; i < last; i += chunk) {
    auto const n = static_cast<std::size_t>(std::min(chunk, last - i));
    f.read(i, n, x, mask);
    for (std::size_t j = 0; j < n; ++j) to.note_special(x[j]);
  }
}

/// Adds products of which some are not numbers, or too small or too large for two.
void add_rare_products(double const* x, double const* y, std::size_t n,
                       detail::superaccumulator<double>& sum, tally& to) {
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(x[j]) || !std::isfinite(y[j]))
      to.note_special(x[j] * y[j]);
    else if (x[j] == 0 || y[j] == 0)
      sum.absorb(x[j] * y[j]);
    else
      to.add_product(x[j], y[j]);
  }
  to.make_canonical();  // else 2^31 additions may overflow
}

/// n doubles from number `first` on: where they are, if they are contiguous, otherwise a copy.
double const* doubles_at(array_reader const& from, std::int64_t first, std::size_t n,
                         double* copy) {
  std::int64_t left = 0;
  char const* const row = from.at(first, left);
  if (from.type() == UPSWEEP_F64 && from.rows_are_contiguous() &&
      left >= static_cast<std::int64_t>(n))
    return reinterpret_cast<double const*>(row);
  from.read(first, n, copy);
  return copy;
}

/// Adds the products of the elements [first, last) and their weights.
void add_products(parts const& f, std::int64_t first, std::int64_t last, tally& to) {
  detail::superaccumulator<double> sum;
  alignas(64) double x[chunk], y[chunk], product[chunk], error[chunk];
  alignas(64) std::uint8_t mask[chunk];
  for (std::int64_t i = first; i < last; i += chunk) {
    auto const n = static_cast<std::size_t>(std::min(chunk, last - i));
    std::size_t kept = n;
    double const *values = x, *weights = y;
    if (f.has_mask) {
      f.values.read(i, n, x);
      f.weights.read(i, n, y);
      f.mask.read_mask(i, n, mask);
      kept = host::simd::keep(x, mask, n, -0.0);
      host::simd::keep(y, mask, n, 1.0);
    } else {
      values = doubles_at(f.values, i, n, x);
      weights = doubles_at(f.weights, i, n, y);
    }
    to.n += static_cast<std::int64_t>(kept);
    bool has_errors = false;
    if (host::simd::multiply_exactly(values, weights, n, product, error, has_errors)) {
      exact_sum{}.absorb_range(sum, product, n);
      if (has_errors) exact_sum{}.absorb_range(sum, error, n);
    } else {
      add_rare_products(values, weights, n, sum, to);
    }
  }
  to.add(sum);
}

/// Adds integers, or their products with weights.
void add_integers(parts const& f, std::int64_t first, std::int64_t last, tally& to) {
  std::int64_t x[chunk], y[chunk];
  std::uint8_t mask[chunk];
  for (std::int64_t i = first; i < last; i += chunk) {
    auto const n = static_cast<std::size_t>(std::min(chunk, last - i));
    f.values.read(i, n, x);
    if (f.has_weights) f.weights.read(i, n, y);
    if (f.has_mask) f.mask.read_mask(i, n, mask);
    int128 sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (f.has_mask && mask[j] == 0) continue;
      ++to.n;
      if (!f.has_weights) {
        sum += x[j];
        continue;
      }
      to.add_integer(int128{x[j]} * y[j]);
    }
    to.add_integer(sum);
    to.make_canonical();  // else 2^31 additions may overflow
  }
  to.other = 1;
}

void add_range(parts const& f, std::int64_t first, std::int64_t last, tally& to) {
  detail::float_environment const environment;
  if (!to.is_real()) {
    add_integers(f, first, last, to);
  } else if (f.has_weights) {
    add_products(f, first, last, to);
  } else if (!add_reals(f, first, last, to)) {
    count_special(f, first, last, to);
  }
}

int threads_of_environment() {
  char const* const text = std::getenv("OMP_NUM_THREADS");
  int const n = text ? std::atoi(text) : 1;  // the first of a list
  return std::clamp(n, 1, threads::most);
}

}  // namespace

tally tally_of(upsweep_field const& field, int requested) {
  parts const f(field);
  tally all(field.values.type);
  if (f.values.size() == 0) return all;
  // Elements after which waking another thread pays, and that one takes at a time.
  constexpr std::size_t cutoff = std::size_t{1} << 17, share = std::size_t{1} << 16;
  auto const n = static_cast<std::size_t>(f.values.size());
  if (requested < 0 && n >= cutoff) requested = threads_of_environment();
  int const team = n < cutoff ? 1 : threads::team_size(n, cutoff, requested);
  if (team == 1) {
    add_range(f, 0, f.values.size(), all);
  } else {
    std::vector<tally> parts_of(static_cast<std::size_t>(team), all);
    std::atomic<std::size_t> next = 0;
    auto work = [&](int worker) noexcept {
      tally& mine = parts_of[static_cast<std::size_t>(worker)];
      for (std::size_t i; (i = next.fetch_add(share)) < n;)
        add_range(f, static_cast<std::int64_t>(i),
                  static_cast<std::int64_t>(std::min(n, i + share)), mine);
    };
    threads::run(team, work);
    for (auto const& part : parts_of) all.add(part);
  }
  all.make_canonical();
  return all;
}

}  // namespace upsweep::c_api
