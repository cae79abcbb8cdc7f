/// What the generated calls of forms.py name: ranges of every kind, functions, operators.
#pragma once

#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <iterator>
#include <list>
#include <ranges>
#include <span>
#include <vector>

namespace forms {

/// Elements in every kind of container.
template <class T, std::size_t n>
struct kinds {
  std::vector<T> vector;
  std::vector<T> const& constant = vector;
  std::array<T, n> array{};
  T plain[n]{};
  std::deque<T> deque;
  std::list<T> list;

  kinds(std::array<T, n> const& x)
      : vector(x.begin(), x.end()), array(x), deque(x.begin(), x.end()), list(x.begin(), x.end()) {
    std::ranges::copy(x, plain);
  }
  kinds(kinds const&) = delete;
  kinds& operator=(kinds const&) = delete;
};

/// A new type for each call that must be refused: a fault of a type is reported once.
template <int call>
struct own_vector : std::vector<long> {
  using std::vector<long>::vector;
};
template <int call>
struct own_list : std::list<long> {
  using std::list<long>::list;
};
template <int call>
struct own_number {
  long number = 0;
  own_number() = default;
  template <class T>
  own_number(T) {}
};

struct fixture {
  kinds<int, 6> x{{1, 2, 3, 4, 5, 6}}, x2{{1, 0, 2, 0, 3, 0}};
  kinds<int, 4> offsets{{0, 2, 2, 6}};
  kinds<int, 6> keys{{7, 7, 8, 8, 8, 7}}, flags{{1, 0, 0, 1, 1, 0}};
  kinds<long, 6> y{{}}, y2{{}};
  kinds<long, 3> totals{{}};
  kinds<int, 3> keys_out{{}};
  kinds<int, 6> places{{}};
  kinds<int, 7> counts{{}};
  upsweep::strided_view<int> matrix{x.array.data(), {2, 3}};
  upsweep::strided_view<long> rows{y.array.data(), {2}}, scanned{y.array.data(), {2, 3}};
};

inline constexpr auto f = [](int v) { return 2 * v; };
inline constexpr auto g = [](int v, int w) { return v * w; };
inline constexpr auto keep = [](int v) { return v % 2 == 1; };
inline constexpr auto drop = [](int v) { return v > 4; };
inline constexpr upsweep::max op;
inline constexpr upsweep::same same;
inline constexpr upsweep::descending less;
inline constexpr upsweep::even bins{0, 6};
inline constexpr long fill = 9;

}  // namespace forms
