/// Sums of many neighbouring lines: the combine tree over rows, whose elements are added side by
/// side. The totals of blocks of rows are kept as the digits of a binary counter.
#include <python/binding/columns.hpp>

#include <algorithm>
#include <array>

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

template <class T>
class column_sums {
 public:
  explicit column_sums(std::size_t columns) : columns_(columns) {}

  /// Appends the aligned block of 2^k rows whose total is in `block`, at row `at`.
  void push(int k, std::size_t at, std::array<T, width>& block) {
    for (; at >> k & 1; ++k)
      for (std::size_t c = 0; c < columns_; ++c)
        block[c] = plus_of(total_[static_cast<std::size_t>(k)][c], block[c]);
    std::copy_n(block.begin(), columns_, total_[static_cast<std::size_t>(k)].begin());
  }
  /// The fold of the blocks of n rows, the largest first, into `sum`.
  void finish(std::size_t n, T const* initial, T* sum) const {
    bool first = true;
    for (std::size_t k = 64; k-- > 0;)
      if (n >> k & 1) {
        for (std::size_t c = 0; c < columns_; ++c)
          sum[c] = first ? total_[k][c] : plus_of(sum[c], total_[k][c]);
        first = false;
      }
    for (std::size_t c = 0; c < columns_; ++c) {
      if (first)
        sum[c] = initial ? *initial : T{};
      else if (initial)
        sum[c] = plus_of(*initial, sum[c]);
    }
  }

 private:
  std::size_t columns_;
  std::array<std::array<T, width>, 64> total_;  // of block k while bit k of the row is set
};

template <class T>
void sum_block(axis_lines const& x, std::size_t o, std::size_t i, std::size_t columns,
               T const* initial, T* to) {
  column_sums<T> sums(columns);
  std::array<T, width> block;
  auto const* const first = reinterpret_cast<T const*>(x.line(o, i));
  auto const row = [&](std::size_t r) { return first + static_cast<std::ptrdiff_t>(r) * x.stride; };
  std::size_t r = 0;
  for (; r + leaf <= x.size; r += leaf) {
    T const *const r0 = row(r), *const r1 = row(r + 1), *const r2 = row(r + 2),
                   *const r3 = row(r + 3), *const r4 = row(r + 4), *const r5 = row(r + 5),
                   *const r6 = row(r + 6), *const r7 = row(r + 7);
    for (std::size_t c = 0; c < columns; ++c)
      block[c] = plus_of(plus_of(plus_of(r0[c], r1[c]), plus_of(r2[c], r3[c])),
                         plus_of(plus_of(r4[c], r5[c]), plus_of(r6[c], r7[c])));
    sums.push(3, r, block);
  }
  for (; r < x.size; ++r) {
    std::copy_n(row(r), columns, block.begin());
    sums.push(0, r, block);
  }
  sums.finish(x.size, initial, to);
}

}  // namespace

bool sums_columns(dynamic::call_entry const& e, axis_lines const& x) {
  bool const typed =
      e.element == e.result &&
      dynamic::dispatch(
          summed_types{}, e.element, []<class T>() { return true; }, [] { return false; });
  return typed && e.op == catalog::id::sum && x.stride_inner == 1 && x.inner >= 8 &&
         !x.contiguous();
}

void sum_columns(cpu const& on, dynamic::dtype t, axis_lines const& x, void const* initial,
                 void* to) {
  std::size_t const blocks = (x.inner + width - 1) / width;
  dynamic::dispatch(
      summed_types{}, t,
      [&]<class T>() {
        on.for_each_line(x.outer * blocks, width * x.size, [&](std::size_t job, cpu const&) {
          std::size_t const o = job / blocks, i = job % blocks * width;
          sum_block<T>(x, o, i, std::min(width, x.inner - i), static_cast<T const*>(initial),
                       static_cast<T*>(to) + o * x.inner + i);
        });
      },
      [] { detail::fail("_core: no sums of columns of this type"); });
}

}  // namespace upsweep::python
