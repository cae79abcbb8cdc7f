/// Sets as bits, each kept under its number: two operands are joined in n / 64 steps.
#include <lab/proof/disjoint_sets.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace upsweep::lab {

namespace {

constexpr std::uint64_t mask = 0xffff'ffff;
constexpr std::uint64_t set_mark = 0xb617'd04e, twice_mark = 0xc94f'a12b,
                        foreign = 0xd1e8'57b3'6c0f'94a2;

constexpr std::uint64_t marked(std::uint64_t mark, std::size_t number) {
  return mark << 32 | number;
}

}  // namespace

disjoint_sets::word disjoint_sets::add(bits made) {
  sets_.push_back(std::move(made));
  return marked(set_mark, sets_.size() - 1);
}

disjoint_sets::bits const* disjoint_sets::set_of(word x) const {
  bool const is_set = x >> 32 == set_mark && (x & mask) < sets_.size();
  return is_set ? &sets_[x & mask] : nullptr;
}

disjoint_sets::word disjoint_sets::single(std::size_t element) {
  bits made(element / 64 + 1);
  made.back() = std::uint64_t{1} << element % 64;
  return add(std::move(made));
}

disjoint_sets::word disjoint_sets::join(word a, word b) {
  if (a == empty) return b;
  if (b == empty) return a;
  for (word const x : {a, b})
    if (x >> 32 == twice_mark || x == foreign) return x;
  bits const *x = set_of(a), *y = set_of(b);
  if (x == nullptr || y == nullptr) return foreign;
  if (x->size() < y->size()) std::swap(x, y);
  bits made = *x;
  for (std::size_t i = 0; i < y->size(); ++i) {
    if (std::uint64_t const common = made[i] & (*y)[i]; common != 0)
      return marked(twice_mark, 64 * i + static_cast<std::size_t>(std::countr_zero(common)));
    made[i] |= (*y)[i];
  }
  return add(std::move(made));
}

std::string disjoint_sets::difference(word x, std::size_t n) const {
  if (x == empty) return n == 0 ? "" : "is the identity";
  if (x >> 32 == twice_mark) return fmt::format("contains element {} twice", x & mask);
  bits const* const set = set_of(x);
  if (set == nullptr) return "contains a value that is not an element";
  for (std::size_t i = 0; i < std::max(n, 64 * set->size()); ++i) {
    bool const is_in = i / 64 < set->size() && ((*set)[i / 64] >> i % 64 & 1) != 0;
    if (is_in != (i < n)) return fmt::format("{} element {}", is_in ? "contains" : "lacks", i);
  }
  return {};
}

}  // namespace upsweep::lab
