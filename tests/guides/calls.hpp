/// show(): results of calls as docs/guides write them, and the headers that the calls of C++ need.
#pragma once

#ifndef GUIDES_PEER  // tools/guide_peers.py compiles the calls of other libraries
#include <upsweep/apps/group_totals.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

inline void show_one(std::string const& text) {
  append(text.c_str());
}
inline void show_one(char const* text) {
  append(text);
}
inline void show_one(bool value) {
  append(value ? "1" : "0");
}
template <class T>
  requires std::is_arithmetic_v<T>
void show_one(T value) {
  char text[64];
  *std::to_chars(text, text + sizeof text, value).ptr = 0;
  append(text);
}
template <std::ranges::range R>
void show_one(R const& values) {
  for (std::ranges::range_value_t<R> const& value : values) show_one(value);
}
template <class A, class B>
void show_one(std::pair<A, B> const& both) {
  show_one(both.first);
  show_one(both.second);
}
template <class... T>
void show(T const&... results) {
  (show_one(results), ...);
}
