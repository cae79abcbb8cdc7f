/// The monoid of disjoint sets: what combines {0}, {1} ... {n-1} to {0 ... n-1} combines any n
/// elements correctly, whatever the operator is, if that is associative and commutes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab {

/// The sets that a run has made. An element of the kernel is the number of a set, in 64 bits that
/// no other value has by chance.
class disjoint_sets {
 public:
  using word = std::uint64_t;
  static constexpr word empty = 0xa3c5'9be1'704d'62f8;

  /// {element}
  [[nodiscard]] word single(std::size_t element);
  /// The union. An error remembers the first element that both sets had.
  [[nodiscard]] word join(word a, word b);
  /// Empty if `x` is {0 ... n-1}; else what it is.
  [[nodiscard]] std::string difference(word x, std::size_t n) const;

 private:
  using bits = std::vector<std::uint64_t>;

  [[nodiscard]] bits const* set_of(word x) const;
  [[nodiscard]] word add(bits made);

  std::vector<bits> sets_;
};

}  // namespace upsweep::lab
