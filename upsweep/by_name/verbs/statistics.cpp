/// Means, variances and medians of segments and windows.
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/windowed.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::dynamic {
namespace {

/// Moments of those elements that are not NaN.
struct moments_of_present : moments {
  [[nodiscard]] static constexpr detail::moments_of lift(double x) {
    return x == x ? detail::moments_of{1, x, 0.0} : detail::moments_of{};
  }
};

/// The same of elements of any size.
struct wide_moments_of_present : wide_range<moments> {
  [[nodiscard]] total lift(double x) const {
    return x == x ? wide_range<moments>::lift(x) : identity();
  }
};
using wide_moments = wide_state<moments, detail::moments_of>;

void store(std::span<detail::moments_of const> from, moment_arrays const& out) {
  for (std::size_t k = 0; k < from.size(); ++k) {
    out.means[k] = from[k].mean;
    if (out.spreads) out.spreads[k] = from[k].m2;
    if (out.counts) out.counts[k] = from[k].count;
  }
}

/// Whether squares of the elements' distances may leave the range.
bool has_element_to_scale(std::span<double const> x) {
  return !std::all_of(x.begin(), x.end(), detail::needs_no_scale<moments, double>);
}

/// Turns sums of squared distances into spreads. count_of(k) elements have the moments k; where
/// these may be out of range, and there is a `wide`, those of wide[k] are used instead.
template <class Count>
void finish(std::size_t n, Count const& count_of, wide_moments const* wide,
            moment_arrays const& out) {
  for (std::size_t k = 0; k < n; ++k) {
    double& to = out.spreads[k];
    to = wide && spread::may_be_out_of_range(to)
             ? out.wanted.of(wide[k])
             : out.wanted.of(detail::moments_of{count_of(k), out.means[k], to});
  }
}

/// The moments of `size` consecutive elements, from each element on.
struct moments_of_blocks {
  std::uint64_t size;
  std::vector<double> means, squares;
};

/// out[i] = the moments of the elements of a[i] and b[i] together. The sizes do not change, so
/// that the loop has no division.
void join(std::uint64_t a_size, double const* a_means, double const* a_squares,
          std::uint64_t b_size, double const* b_means, double const* b_squares, std::size_t n,
          double* means, double* squares) {
  for (std::size_t i = 0; i < n; ++i) {
    detail::moments_of const both =
        moments{}({a_size, a_means[i], a_squares[i]}, {b_size, b_means[i], b_squares[i]});
    means[i] = both.mean;
    squares[i] = both.m2;
  }
}

/// The moments of the `count` windows from x[0] on, along the combine tree: blocks of 2^j elements
/// are joined from two of half the size, and a window from its blocks, the largest first.
void join_windows(double const* x, std::size_t count, std::size_t width, double* means,
                  double* squares) {
  std::size_t n = count + width - 1;
  moments_of_blocks block{1, {x, x + n}, std::vector<double>(n)}, next = block;
  std::vector<moments_of_blocks> kept;  // the blocks of a window, the smallest first
  for (std::size_t rest = width; rest > 0; rest >>= 1) {
    if (rest & 1) kept.push_back(block);
    if (rest == 1) break;
    n -= block.size;
    join(block.size, block.means.data(), block.squares.data(), block.size,
         block.means.data() + block.size, block.squares.data() + block.size, n, next.means.data(),
         next.squares.data());
    next.size = 2 * block.size;
    std::swap(block, next);
  }
  std::copy_n(kept.back().means.begin(), count, means);
  std::copy_n(kept.back().squares.begin(), count, squares);
  std::uint64_t size = kept.back().size;
  for (std::size_t k = kept.size() - 1; k-- > 0;) {
    join(size, means, squares, kept[k].size, kept[k].means.data() + size,
         kept[k].squares.data() + size, count, means, squares);
    size += kept[k].size;
  }
}

/// Calls f(begin, end, executor) for parts of so many windows, on all threads.
template <class F>
void for_each_part_of(cpu const& on, std::size_t count, std::size_t width, F const& f) {
  std::size_t const part = std::max<std::size_t>(2048, 2 * width);
  on.for_each_line((count + part - 1) / part, part, [&](std::size_t k, cpu const&) {
    detail::float_environment const ieee;
    f(k * part, std::min(count, (k + 1) * part));
  });
}

/// The numbers of a window in their total order.
template <class T>
class sorted_window {
 public:
  explicit sorted_window(std::size_t width) { words_.reserve(width); }

  void insert(T x) {
    if (x != x) return void(++missing_);
    auto const word = detail::ordered_bits(x);
    words_.insert(std::upper_bound(words_.begin(), words_.end(), word), word);
  }
  void erase(T x) {
    if (x != x) return void(--missing_);
    words_.erase(std::lower_bound(words_.begin(), words_.end(), detail::ordered_bits(x)));
  }
  /// The same with one move of what is between them.
  void replace(T old, T x) {
    if (x != x || old != old) return erase(old), insert(x);
    auto const from = detail::ordered_bits(old), to = detail::ordered_bits(x);
    auto const at = std::lower_bound(words_.begin(), words_.end(), from);
    if (from < to) {
      auto const end = std::lower_bound(at, words_.end(), to);
      std::copy(at + 1, end, at);
      *(end - 1) = to;
    } else {
      auto const begin = std::upper_bound(words_.begin(), at, to);
      std::copy_backward(begin, at, at + 1);
      *begin = to;
    }
  }
  [[nodiscard]] double median(bool without_missing) const {
    if (words_.empty() || (missing_ > 0 && !without_missing)) return detail::not_a_number<double>;
    std::size_t const n = words_.size();
    auto const number = [&](std::size_t k) { return detail::from_ordered_bits<T>(words_[k]); };
    return detail::interpolated(detail::rank_neighbors<T>{number((n - 1) / 2), number(n / 2)},
                                n % 2 == 0 ? 0.5 : 0);
  }

 private:
  std::vector<detail::bits_of_size<sizeof(T)>> words_;
  std::size_t missing_ = 0;
};

template <class T>
void windowed_medians_of(cpu const& on, T const* in, windows const& x, double* out) {
  std::size_t const ahead = x.from_first ? 0 : x.width - 1;  // result i is that up to in[i + ahead]
  for_each_part_of(on, x.count(), x.width, [&](std::size_t begin, std::size_t end) {
    sorted_window<T> window(x.width);
    std::size_t const last = begin + ahead;
    for (std::size_t i = last + 1 > x.width ? last + 1 - x.width : 0; i < last; ++i)
      window.insert(in[i]);
    for (std::size_t k = begin; k < end; ++k) {
      std::size_t const i = k + ahead;
      if (k > begin && i >= x.width)
        window.replace(in[i - x.width], in[i]);
      else
        window.insert(in[i]);
      out[k] = window.median(x.without_missing);
    }
  });
}

}  // namespace

detail::moments_of moments_over(cpu const& on, std::span<double const> x) {
  return upsweep::reduce(on, x, moments{});
}

double spread_of(cpu const& on, std::span<double const> x, detail::moments_of const& m,
                 spread wanted) {
  if (!spread::may_be_out_of_range(m.m2) || !has_element_to_scale(x)) return wanted.of(m);
  return wanted.of(upsweep::reduce(on, x, wide_range<moments>{}));
}

void segment_moments(cpu const& on, double const* in, std::size_t n, std::uint64_t const* borders,
                     std::size_t count, moment_arrays const& out) {
  auto const x = elements_at<double>(in, n);
  auto const run = [&](auto* found, auto const& op) {
    upsweep::reduce_segments(on, x, std::span(borders, count + 1), std::span(found, count), op);
  };
  auto const found = detail::memory_for<detail::moments_of>(count);
  run(found.get(), moments{});
  store({found.get(), count}, out);
  if (!out.spreads) return;
  bool const is_wide = has_element_to_scale(x);
  auto const wide = detail::memory_for<wide_moments>(is_wide ? count : 0);
  if (is_wide) run(wide.get(), wide_range<moments>{});
  finish(
      count, [&](std::size_t k) { return found.get()[k].count; }, is_wide ? wide.get() : nullptr,
      out);
}

void windowed_moments(cpu const& on, windows const& x, moment_arrays const& out) {
  detail::float_environment const ieee;
  auto const in = elements_at<double>(x.in, x.n);
  bool const gaps =
      x.without_missing && std::any_of(in.begin(), in.end(), [](double v) { return v != v; });
  std::size_t const partial = x.from_first ? std::min(x.n, x.width - 1) : 0,
                    whole = x.count() - partial;
  // The windows of the first elements, and all others if `count` is theirs as well.
  auto const run = [&](std::size_t count, auto* found, auto const& op) {
    inclusive_scan(on, in.first(partial), std::span(found, partial), op);
    if (count > partial) upsweep::windowed(on, in, x.width, std::span(found + partial, whole), op);
  };
  std::size_t const count = gaps ? x.count() : partial;
  auto const found = detail::memory_for<detail::moments_of>(count);
  gaps ? run(count, found.get(), moments_of_present{}) : run(count, found.get(), moments{});
  store({found.get(), count}, out);
  if (!gaps) {
    auto const squares = detail::memory_for<double>(out.spreads ? 0 : whole);
    double* const to = out.spreads ? out.spreads + partial : squares.get();
    for_each_part_of(on, whole, x.width, [&](std::size_t begin, std::size_t end) {
      join_windows(x.in + begin, end - begin, x.width, out.means + partial + begin, to + begin);
      if (out.counts) std::fill(out.counts + partial + begin, out.counts + partial + end, x.width);
    });
  }
  if (!out.spreads) return;
  bool const is_wide = has_element_to_scale(in);
  auto const wide = detail::memory_for<wide_moments>(is_wide ? x.count() : 0);
  if (is_wide && gaps) run(x.count(), wide.get(), wide_moments_of_present{});
  if (is_wide && !gaps) run(x.count(), wide.get(), wide_range<moments>{});
  finish(
      x.count(), [&](std::size_t k) { return k < count ? found.get()[k].count : x.width; },
      is_wide ? wide.get() : nullptr, out);
}

void windowed_medians(cpu const& on, windows const& x, double* out) {
  windowed_medians_of(on, x.in, x, out);
}
void windowed_medians(cpu const& on, std::int64_t const* in, windows const& x, double* out) {
  windowed_medians_of(on, in, x, out);
}
void windowed_medians(cpu const& on, std::uint64_t const* in, windows const& x, double* out) {
  windowed_medians_of(on, in, x, out);
}

}  // namespace upsweep::dynamic
