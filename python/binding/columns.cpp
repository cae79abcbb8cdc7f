/// Running sums of many neighbouring lines: the combine tree over rows, whose elements are added
/// side by side. The totals of blocks of rows are kept as the digits of a binary counter.
#include <python/binding/columns.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::python {
namespace {

using summed_types = dynamic::types<float, double, std::int64_t, std::uint64_t>;

constexpr std::size_t width = 128;  // columns at a time: all totals stay in the first cache
constexpr std::size_t leaf = 8;     // rows that are added in registers

template <class T>
T plus_of(T a, T b) {
  if constexpr (std::is_integral_v<T>)  // wraps
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

/// Running sums of columns. What is kept of the rows so far: for each digit of their number, the
/// total of its block, and the prefix at its end.
template <class T>
class column_scans {
 public:
  explicit column_scans(std::size_t columns) : columns_(columns) {}

  /// The prefix of the rows in front of row `at`, or null if that is the first.
  [[nodiscard]] T const* in_front(std::size_t at) const {
    return at == 0 ? nullptr : prefix_[lowest_digit(at)].data();
  }
  /// Appends the aligned block of 2^k rows at row `at`, whose total is in `block`, and stores the
  /// prefix at its end.
  void push(int k, std::size_t at, std::array<T, width>& block, T* out) {
    for (; at >> k & 1; ++k) {
      auto const& earlier = total_[static_cast<std::size_t>(k)];
      for (std::size_t c = 0; c < columns_; ++c) block[c] = plus_of(earlier[c], block[c]);
    }
    auto const digit = static_cast<std::size_t>(k);
    T const* const before = in_front(at >> k << k);
    for (std::size_t c = 0; c < columns_; ++c) {
      T const sum = before ? plus_of(before[c], block[c]) : block[c];
      total_[digit][c] = block[c];
      prefix_[digit][c] = sum;
      out[c] = sum;
    }
  }

 private:
  static std::size_t lowest_digit(std::size_t n) {
    return static_cast<std::size_t>(std::countr_zero(n));
  }

  std::size_t columns_;
  std::array<std::array<T, width>, 64> total_, prefix_;
};

/// Seven running sums of a column of eight elements, and their total. `before` is in front of them.
template <bool has_before, class T>
T scan_leaf(T before, T const (&x)[leaf], T (&out)[leaf - 1]) {
  auto const behind = [before](T sum) { return has_before ? plus_of(before, sum) : sum; };
  T const of_2 = plus_of(x[0], x[1]), of_4 = plus_of(of_2, plus_of(x[2], x[3])),
          middle = plus_of(x[4], x[5]);
  out[0] = behind(x[0]);
  out[1] = behind(of_2);
  out[2] = plus_of(out[1], x[2]);
  out[3] = behind(of_4);
  out[4] = plus_of(out[3], x[4]);
  out[5] = plus_of(out[3], middle);
  out[6] = plus_of(out[5], x[6]);
  return plus_of(of_4, plus_of(middle, plus_of(x[6], x[7])));
}

template <class T>
void scan_block(axis_lines const& x, axis_lines const& out, std::size_t o, std::size_t i,
                std::size_t columns) {
  column_scans<T> scans(columns);
  std::array<T, width> block;
  auto const* const from = reinterpret_cast<T const*>(x.line(o, i));
  auto* const to = reinterpret_cast<T*>(out.line(o, i));
  auto const row = [&](std::size_t r) { return from + static_cast<std::ptrdiff_t>(r) * x.stride; };
  auto const row_out = [&](std::size_t r) {
    return to + static_cast<std::ptrdiff_t>(r) * out.stride;
  };
  std::size_t r = 0;
  for (; r + leaf <= x.size; r += leaf) {
    T const* rows[leaf];
    T* results[leaf];
    for (std::size_t j = 0; j < leaf; ++j) {
      rows[j] = row(r + j);
      results[j] = row_out(r + j);
    }
    T const* const before = scans.in_front(r);
    auto const scan_rows = [&]<bool has_before>(std::bool_constant<has_before>) {
      for (std::size_t c = 0; c < columns; ++c) {
        T mine[leaf], sums[leaf - 1];
        for (std::size_t j = 0; j < leaf; ++j) mine[j] = rows[j][c];
        block[c] = scan_leaf<has_before>(has_before ? before[c] : T{}, mine, sums);
        for (std::size_t j = 0; j + 1 < leaf; ++j) results[j][c] = sums[j];
      }
    };
    before ? scan_rows(std::true_type()) : scan_rows(std::false_type());
    scans.push(3, r, block, results[leaf - 1]);
  }
  for (; r < x.size; ++r) {
    std::copy_n(row(r), columns, block.begin());
    scans.push(0, r, block, row_out(r));
  }
}

/// Whether the operator is a sum of such elements, whose results have their type.
bool is_plain_sum(dynamic::call_entry const& e) {
  return e.op == catalog::id::sum && e.element == e.result &&
         dynamic::dispatch(
             summed_types{}, e.element, []<class T>() { return true; }, [] { return false; });
}
/// Whether neighbouring lines are neighbours in memory.
bool has_columns(axis_lines const& x) {
  return x.stride_inner == 1 && x.inner >= 2 && !x.contiguous();
}

}  // namespace

bool scans_columns(dynamic::call_entry const& e, axis_lines const& x, axis_lines const& out) {
  return is_plain_sum(e) && has_columns(x) && has_columns(out);
}

void scan_columns(cpu const& on, dynamic::dtype t, axis_lines const& x, axis_lines const& out) {
  std::size_t const blocks = (x.inner + width - 1) / width;
  dynamic::dispatch(
      summed_types{}, t,
      [&]<class T>() {
        on.for_each_part(x.outer * blocks, width * x.size, [&](std::size_t job) {
          std::size_t const o = job / blocks, i = job % blocks * width;
          scan_block<T>(x, out, o, i, std::min(width, x.inner - i));
        });
      },
      [] { detail::fail("_core: no running sums of columns of this type"); });
}

}  // namespace upsweep::python
