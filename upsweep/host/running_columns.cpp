/// Running maxima: a pass over the rows of some columns. Logarithms of running sums of
/// exponentials: of some columns side by side, some rows at a time.
#include <upsweep/host/running_columns.hpp>

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/lane_tiles.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::host {
namespace {

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
  constexpr std::size_t together = 64;
  std::size_t const parts = (c.columns + together - 1) / together,
                    width = std::min(c.columns, together);
  on.for_each_part(c.matrices * parts, c.rows * width, [&](std::size_t job) {
    std::size_t const begin = job % parts * together,
                      first = job / parts * c.rows * c.columns + begin;
    if (c.columns == 1) return run_columns<1, E>(c, first, 1);
    run_columns<together, E>(c, first, std::min(c.columns - begin, together));
  });
}

constexpr std::size_t most = 16, part = 64;  // columns and rows, whose numbers stay in L1

/// Some rows of `columns` columns, each row after the other.
class some_rows {
 public:
  explicit some_rows(std::size_t columns) : columns_(columns) {
    std::fill_n(maxima_, columns, -detail::infinity<double>);
  }

  /// Takes the elements of a row, whose columns are `stride` bytes apart.
  template <class E>
  void put(std::size_t row, std::byte const* from, std::ptrdiff_t stride) {
    double* const x = falls_ + row * columns_;
    for (std::size_t c = 0; c < columns_; ++c)
      x[c] = *reinterpret_cast<E const*>(from + static_cast<std::ptrdiff_t>(c) * stride);
  }
  /// Stores the results of a row, those of the elements that it took.
  template <class E>
  void get(std::size_t row, std::byte* to, std::ptrdiff_t stride) const {
    double const *m = maxima_ + (row + 1) * columns_, *log = sums_ + row * columns_;
    for (std::size_t c = 0; c < columns_; ++c)
      *reinterpret_cast<E*>(to + static_cast<std::ptrdiff_t>(c) * stride) =
          static_cast<E>(m[c] + log[c]);
  }
  /// Computes the results of so many rows that were put.
  void run(std::size_t rows) {
    std::size_t const n = rows * columns_;
    in_widest_registers<registers::avx2>([&]() UPSWEEP_INLINED {
      for (std::size_t r = 0; r < rows; ++r) find_exponents(r);
    });
    simd::map_elements(simd::element_function::exp, falls_, falls_, n);
    in_widest_registers<registers::avx2>([&]() UPSWEEP_INLINED { find_maps(n); });
    simd::lane_matrix const a = matrix(falls_), b = matrix(sums_);
    simd::anchored_recurrence(simd::lane_type::f64, rows, columns_, a, b, b, state_);
    simd::map_elements(simd::element_function::log, sums_, sums_, n);
  }
  /// The last row becomes the one before the next.
  void move_on(std::size_t rows) { std::copy_n(maxima_ + rows * columns_, columns_, maxima_); }

 private:
  /// The maxima of a row and the exponents of its elements, which take one exponential each: of how
  /// far one is below the maximum or, if it is a new one, of how far the maximum before it is.
  UPSWEEP_INLINED void find_exponents(std::size_t row) {
    double const* before = maxima_ + row * columns_;
    double *now = maxima_ + (row + 1) * columns_, *x = falls_ + row * columns_;
    for (std::size_t c = 0; c < columns_; ++c) {
      double const m = x[c] > before[c] ? x[c] : before[c];  // not NaN, which remains in the sums
      double const lower = m == before[c] ? x[c] : before[c];
      x[c] = lower == m ? 0 : lower - m;  // also of infinities
      now[c] = m;
    }
  }
  UPSWEEP_INLINED void find_maps(std::size_t n) {
    double const *before = maxima_, *now = maxima_ + columns_;
    for (std::size_t i = 0; i < n; ++i) {
      bool const is_new = now[i] != before[i];
      sums_[i] = is_new ? 1 : falls_[i];
      falls_[i] = is_new ? falls_[i] : 1;
    }
  }
  simd::lane_matrix matrix(double* first) const {
    return {reinterpret_cast<std::byte*>(first),
            static_cast<std::ptrdiff_t>(columns_ * sizeof(double)), sizeof(double)};
  }

  std::size_t columns_;
  double maxima_[(part + 1) * most];  // beginning with those before the first row
  double falls_[part * most];         // the elements, exponentials, and coefficients
  double sums_[part * most];          // the terms, sums, and logarithms
  double value_[most] = {}, totals_[2 * detail::anchored_digits][most];
  simd::lane_state state_{reinterpret_cast<std::byte*>(value_),
                          reinterpret_cast<std::byte*>(totals_), sizeof(totals_[0]), 0};
};

/// Of `columns` columns, which begin at x and out.
template <class E>
void run_columns(std::size_t rows, std::size_t columns, simd::lane_matrix const& x,
                 simd::lane_matrix const& out) {
  simd::tokens_of_lanes in(x, columns, rows, sizeof(E)), to(out, columns, rows, sizeof(E));
  some_rows here(columns);
  for (std::size_t begin = 0; begin < rows; begin += part) {
    std::size_t const n = std::min(part, rows - begin);
    for (std::size_t r = 0; r < n; ++r) here.put<E>(r, in.read(begin + r), in.stride());
    here.run(n);
    for (std::size_t r = 0; r < n; ++r) here.get<E>(r, to.write(begin + r), to.stride());
    here.move_on(n);
  }
  to.flush();
}

template <class E>
void run_all(cpu const& on, running_log_sums const& c) {
  // Lines, which are matrices of one column, are the columns of one matrix.
  bool const are_lines = c.columns == 1;
  std::size_t const columns = are_lines ? c.matrices : c.columns, size = c.rows * c.columns,
                    threads = static_cast<std::size_t>(on.width(c.matrices * size)),
                    width = std::clamp<std::size_t>(columns / threads, 1, most),
                    parts = (columns + width - 1) / width;
  auto const token = static_cast<std::ptrdiff_t>(c.columns * sizeof(E)),
             lane = static_cast<std::ptrdiff_t>((are_lines ? c.rows : 1) * sizeof(E));
  on.for_each_line(
      are_lines ? parts : c.matrices * parts, c.rows * width, [&](std::size_t job, cpu const&) {
        std::size_t const begin = job % parts * width,
                          first = job / parts * size + begin * (are_lines ? c.rows : 1) +
                                  (c.reverse ? (c.rows - 1) * c.columns : 0);
        auto const matrix_at = [&](void const* memory) {
          auto* const at = static_cast<std::byte*>(const_cast<void*>(memory)) + first * sizeof(E);
          return simd::lane_matrix{at, c.reverse ? -token : token, lane};
        };
        run_columns<E>(c.rows, std::min(width, columns - begin), matrix_at(c.x), matrix_at(c.out));
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

void run(cpu const& on, running_log_sums const& call) {
  if (call.matrices * call.rows * call.columns == 0) return;
  switch (call.type) {
    case simd::lane_type::f32:
      return run_all<float>(on, call);
    case simd::lane_type::f64:
      return run_all<double>(on, call);
    default:
      detail::expects(false, "logarithms of running sums are of float or double");
  }
}

}  // namespace upsweep::host
