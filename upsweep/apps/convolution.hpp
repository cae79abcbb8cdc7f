/// Convolution of 1-D arrays and images in three forms with the same bits: direct, tiled, and as a
/// matrix product.
///
/// All three add the products of an output in the order of the filter's elements, and distribute
/// blocks of 512 outputs over threads. Direct: one sum per output. Tiled: the sums of a block stay
/// in the L1 cache while the filter runs over it, so each step is one loop over neighbors. Matrix
/// product: the inputs of a block are copied into the columns of a matrix, which several filters
/// share (im2col: Chellapilla et al. 2006). It contains no scan; it only uses the executor.
/// docs/apps/convolution.md.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::apps {

/// The outputs that are kept in each dimension, of an array of n elements and a filter of m, with
/// the names of numpy.convolve: `full`, all n + m - 1; `same`, the middle max(n, m); `valid`, the
/// max(n, m) - min(n, m) + 1 outputs for which the shorter lies inside the longer.
enum class outputs_kept { valid, same, full };

/// The number of outputs of a dimension.
[[nodiscard]] constexpr std::size_t convolved_size(std::size_t n, std::size_t m,
                                                   outputs_kept kept) {
  std::size_t const longer = std::max(n, m), shorter = std::min(n, m);
  if (shorter == 0) return 0;
  return kept == outputs_kept::full   ? n + m - 1
         : kept == outputs_kept::same ? longer
                                      : longer - shorter + 1;
}

}  // namespace upsweep::apps

namespace upsweep::detail {

/// One dimension: output k is the sum over j < m of in[k + first - j] filter[j], inside n.
struct convolved_axis {
  std::size_t n, m, first;

  convolved_axis(std::size_t in, std::size_t filter, std::size_t out, apps::outputs_kept kept)
      : n(in), m(filter) {
    std::size_t const shorter = std::min(n, m);
    detail::expects(shorter > 0, "convolve: the array and the filter must not be empty");
    if (out != apps::convolved_size(n, m, kept))
      detail::fail("convolve: the output needs %zu elements in one dimension, but has %zu",
                   apps::convolved_size(n, m, kept), out);
    first = kept == apps::outputs_kept::full   ? 0
            : kept == apps::outputs_kept::same ? (shorter - 1) / 2
                                               : shorter - 1;
  }
  /// The filter's elements [begin, end) that meet the array at output k.
  [[nodiscard]] std::size_t begin(std::size_t k) const {
    return k + first < n ? 0 : k + first - n + 1;
  }
  [[nodiscard]] std::size_t end(std::size_t k) const { return std::min(m, k + first + 1); }
  /// Of the outputs [from, to), those at which the filter's element j meets the array.
  [[nodiscard]] std::size_t from(std::size_t j, std::size_t from) const {
    return std::max(from, j < first ? 0 : j - first);
  }
  [[nodiscard]] std::size_t to(std::size_t j, std::size_t to) const {
    return n + j < first ? 0 : std::min(to, n + j - first);
  }
};

template <nd_view V>
auto* address_in(V const& view, std::size_t r, std::size_t c) {
  return view.data_handle() + static_cast<std::ptrdiff_t>(r) * view.stride(0) +
         static_cast<std::ptrdiff_t>(c) * view.stride(1);
}
template <class R, nd_view V>
R element_in(V const& view, std::size_t r, std::size_t c) {
  return static_cast<R>(*address_in(view, r, c));
}

inline constexpr std::size_t convolved_block = 512;

/// sum[i] += factor * x[i * stride] for i < n, where `sum` is other memory.
template <class R, class T>
void add_products(R* __restrict sum, R factor, T const* x, std::ptrdiff_t stride, std::size_t n) {
  if (stride == 1)
    for (std::size_t i = 0; i < n; ++i)
      sum[i] = static_cast<R>(sum[i] + product(factor, static_cast<R>(x[i])));
  else
    for (std::size_t i = 0; i < n; ++i)
      sum[i] = static_cast<R>(
          sum[i] + product(factor, static_cast<R>(x[static_cast<std::ptrdiff_t>(i) * stride])));
}

/// to[i] = x[i * stride] for i < n.
template <class R, class T>
void copy_elements(R* __restrict to, T const* x, std::ptrdiff_t stride, std::size_t n) {
  if (stride == 1)
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<R>(x[i]);
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = static_cast<R>(x[static_cast<std::ptrdiff_t>(i) * stride]);
}

/// The array, the filter and the output of one convolution of images.
template <nd_view In, nd_view Filter, nd_view Out>
struct convolved {
  using R = typename Out::element_type;

  In const& in;
  Filter const& filter;
  Out const& out;
  convolved_axis rows, columns;

  convolved(In const& x, Filter const& f, Out const& y, apps::outputs_kept kept)
      : in(x),
        filter(f),
        out(y),
        rows(extent(x, 0), extent(f, 0), extent(y, 0), kept),
        columns(extent(x, 1), extent(f, 1), extent(y, 1), kept) {
    if (detail::share_memory(x, y)) detail::fail_overlap("convolve", false);
  }
  template <nd_view V>
  static std::size_t extent(V const& view, std::size_t d) {
    detail::expects(view.rank() == 2, "convolve: images and filters must have two dimensions");
    return detail::extent_of(view, d);
  }

  /// f(row, begin, end) for blocks of neighboring outputs.
  template <class E, class F>
  void for_blocks(E const& on, F const& f) const {
    std::size_t const width = extent(out, 1),
                      blocks = (width + convolved_block - 1) / convolved_block;
    detail::float_environment const ieee;
    detail::for_each_part(on, extent(out, 0) * blocks, convolved_block * rows.m * columns.m,
                          [&](std::size_t job) {
                            std::size_t const begin = job % blocks * convolved_block;
                            f(job / blocks, begin, std::min(width, begin + convolved_block));
                          });
  }
  void store(std::size_t r, std::size_t begin, std::size_t end, R const* sum) const {
    for (std::size_t c = begin; c < end; ++c) *address_in(out, r, c) = sum[c - begin];
  }
};

}  // namespace upsweep::detail

namespace upsweep::apps {

/// Direct convolution: out(r, c) = the sum of in(r - i, c - j) filter(i, j) over the elements of
/// the filter that overlap the image, in their row-major order, in the element type of out; `kept`
/// shifts and limits r and c. The filter is mirrored, as in mathematics; pass it reversed for a
/// correlation. Views are two-dimensional. `out` has convolved_size() outputs in each dimension and
/// must not overlap `in`. Throws precondition_error if an extent differs or is 0, and if they
/// overlap. Cost: O(size of the filter) per output.
template <nd_view In, nd_view Filter, nd_view Out, executor E = cpu>
void convolve(In const& in, Filter const& filter, Out const& out, outputs_kept kept,
              E const& on = {}) {
  using R = typename Out::element_type;
  detail::convolved<In, Filter, Out> const c(in, filter, out, kept);
  c.for_blocks(on, [&](std::size_t r, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      R sum{};
      auto const begin_j = static_cast<std::ptrdiff_t>(c.columns.begin(k)),
                 end_j = static_cast<std::ptrdiff_t>(c.columns.end(k));
      for (std::size_t i = c.rows.begin(r); i < c.rows.end(r); ++i) {
        auto const* const weight = detail::address_in(filter, i, 0);
        auto const* const x = detail::address_in(in, r + c.rows.first - i, 0) +
                              static_cast<std::ptrdiff_t>(k + c.columns.first) * in.stride(1);
        for (std::ptrdiff_t j = begin_j; j < end_j; ++j)
          sum = static_cast<R>(sum + detail::product(static_cast<R>(weight[j * filter.stride(1)]),
                                                     static_cast<R>(x[-j * in.stride(1)])));
      }
      *detail::address_in(out, r, k) = sum;
    }
  });
}

/// Tiled convolution: the same bits, with the elements of the filter in the outer loop of each
/// block, so neighboring outputs are computed together.
template <nd_view In, nd_view Filter, nd_view Out, executor E = cpu>
void convolve_tiled(In const& in, Filter const& filter, Out const& out, outputs_kept kept,
                    E const& on = {}) {
  using R = typename Out::element_type;
  detail::convolved<In, Filter, Out> const c(in, filter, out, kept);
  c.for_blocks(on, [&](std::size_t r, std::size_t begin, std::size_t end) {
    R sum[detail::convolved_block] = {};
    for (std::size_t i = c.rows.begin(r); i < c.rows.end(r); ++i)
      for (std::size_t j = 0; j < c.columns.m; ++j) {
        std::size_t const from = c.columns.from(j, begin), to = c.columns.to(j, end);
        if (from < to)
          detail::add_products(
              sum + (from - begin), detail::element_in<R>(filter, i, j),
              detail::address_in(in, r + c.rows.first - i, from + c.columns.first - j),
              static_cast<std::ptrdiff_t>(in.stride(1)), to - from);
      }
    c.store(r, begin, end, sum);
  });
}

/// Convolution as a matrix product: the same bits if the filters are finite. `filters` and `outs`
/// have three dimensions, of which the first counts filters: outs(f, r, c) by filters(f, i, j). The
/// inputs of each output are copied once, into a column, with zeros where the filter does not
/// overlap the image; then the matrix of filters is multiplied by it. Memory: 512 columns on each
/// thread.
template <nd_view In, nd_view Filters, nd_view Outs, executor E = cpu>
void convolve_as_matrix_product(In const& in, Filters const& filters, Outs const& outs,
                                outputs_kept kept, E const& on = {}) {
  using W = typename Filters::element_type;
  using R = typename Outs::element_type;
  detail::expects(filters.rank() == 3 && outs.rank() == 3 && filters.extent(0) == outs.extent(0) &&
                      filters.extent(0) > 0,
                  "convolve: filters and outputs must have three dimensions; give at least one "
                  "filter, and one output for each filter");
  auto const layer = []<class T>(auto const& views, std::size_t f, T*) {
    std::size_t const extents[] = {detail::extent_of(views, 1), detail::extent_of(views, 2)};
    std::ptrdiff_t const strides[] = {views.stride(1), views.stride(2)};
    return strided_view<T>(views.data_handle() + static_cast<std::ptrdiff_t>(f) * views.stride(0),
                           extents, strides);
  };
  auto const filter = [&](std::size_t f) { return layer(filters, f, static_cast<W*>(nullptr)); };
  auto const out = [&](std::size_t f) { return layer(outs, f, static_cast<R*>(nullptr)); };
  auto const first_filter = filter(0);
  auto const first_out = out(0);
  detail::convolved const c(in, first_filter, first_out, kept);
  c.for_blocks(on, [&](std::size_t r, std::size_t begin, std::size_t end) {
    std::size_t const width = end - begin, height = c.rows.m * c.columns.m;
    std::vector<R> matrix(height * width);
    for (std::size_t i = c.rows.begin(r); i < c.rows.end(r); ++i)
      for (std::size_t j = 0; j < c.columns.m; ++j) {
        std::size_t const from = c.columns.from(j, begin), to = c.columns.to(j, end);
        if (from >= to) continue;
        detail::copy_elements(
            &matrix[(i * c.columns.m + j) * width + (from - begin)],
            detail::address_in(in, r + c.rows.first - i, from + c.columns.first - j),
            static_cast<std::ptrdiff_t>(in.stride(1)), to - from);
      }
    for (std::size_t f = 0; f < detail::extent_of(filters, 0); ++f) {
      R sum[detail::convolved_block] = {};
      auto const weights = filter(f);
      for (std::size_t row = 0; row < height; ++row)
        detail::add_products(sum,
                             detail::element_in<R>(weights, row / c.columns.m, row % c.columns.m),
                             &matrix[row * width], 1, width);
      auto const to = out(f);
      for (std::size_t k = begin; k < end; ++k) *detail::address_in(to, r, k) = sum[k - begin];
    }
  });
}

/// 1-D convolution, tiled: out[k] = the sum of x[k - j] filter[j] over j, as numpy.convolve, with
/// the sums in this order. Contiguous ranges; errors as above.
template <elements X, elements Filter, elements Out, executor E = cpu>
  requires std::ranges::contiguous_range<X const> && std::ranges::contiguous_range<Filter const> &&
           std::ranges::contiguous_range<Out>
void convolve(X const& x, Filter const& filter, Out&& out, outputs_kept kept, E const& on = {}) {
  auto const row = [](auto const& range, auto* first) {
    return strided_view(first, {std::size_t{1}, std::size_t{std::ranges::size(range)}});
  };
  apps::convolve_tiled(row(x, std::ranges::data(x)), row(filter, std::ranges::data(filter)),
                       row(out, std::ranges::data(out)), kept, on);
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
