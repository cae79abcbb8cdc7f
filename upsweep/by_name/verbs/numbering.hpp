/// A hash table that numbers keys in the order in which they first appear.
/// Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::dynamic {

/// Linear probing, at most half full. Words are keys, or hashes of keys that `same` tells apart.
class numbering {
 public:
  /// The number of a key; same(number) says whether a key with the same word is that one.
  template <class Same>
  std::uint32_t operator()(std::uint64_t word, Same const& same) {
    std::size_t at = place_of(word);
    for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].word == word && same(slots_[at].number - 1)) return slots_[at].number - 1;
    slots_[at] = {word, ++size_};
    if (2 * std::size_t{size_} > slots_.size()) grow();
    return size_ - 1;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct slot {
    std::uint64_t word;
    std::uint32_t number;  // plus 1; 0: free
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t word) const {
    return ((word ^ word >> 32) * 0x9e3779b97f4a7c15u) >> shift_;
  }
  void grow() {
    auto const full = std::exchange(slots_, std::vector<slot>(2 * slots_.size()));
    --shift_;
    for (slot const& s : full)
      if (s.number != 0) {
        std::size_t at = place_of(s.word);
        while (slots_[at].number != 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = s;
      }
  }

  std::vector<slot> slots_ = std::vector<slot>(256);
  int shift_ = 56;
  std::uint32_t size_ = 0;
};

}  // namespace upsweep::dynamic
