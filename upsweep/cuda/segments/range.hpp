/// The part of the input that one warp has: segments, whole or not.
#pragma once

#include <upsweep/cuda/segments/call.hpp>
#include <upsweep/cuda/segments/side.hpp>

#include <cstddef>

namespace upsweep::device {

/// What one range has of a segment, in one lane. Positions count from the range's first element.
struct own_segment {
  std::size_t begin = 0;                ///< of the segment, in the whole input
  unsigned at = 0, size = 0;            ///< of the elements in the range
  bool is_whole = false, ends = false;  ///< all elements are here; the last one is
};

/// The range of a warp.
template <class Shape, class Borders>
class own_range {
 public:
  /// Before it are `work` elements and ends of segments, and in it `size`.
  __device__ own_range(Borders const& borders, std::size_t n, std::size_t count, std::size_t work,
                       std::size_t size, unsigned lane)
      : borders_(borders), n_(n) {
    std::size_t const all = n + count;
    tile_side sides[2];
    find_sides<Shape::chunk>(borders, n, count, {work, work + size < all ? work + size : all},
                             sides, lane);
    auto const& [left, right] = sides;
    first_ = left.border;
    begin_ = left.begin;
    segment_ = left.segment;
    if (right.segment < left.segment || right.segment - left.segment > size ||
        right.border < left.border)
      return;  // the offsets are wrong
    size_ = static_cast<unsigned>(right.border - left.border);
    ends_ = static_cast<unsigned>(right.segment - left.segment);
    count_ = ends_ + (right.begin < right.position ? 1 : 0);
    if (right.end <= right.border) ends_ = count_;
  }
  /// The first element.
  [[nodiscard]] __device__ std::size_t first() const { return first_; }
  /// Segments with an element or their end here.
  [[nodiscard]] __device__ unsigned count() const { return count_; }
  /// The number of segment j in the whole input.
  [[nodiscard]] __device__ std::size_t number(unsigned j) const { return segment_ + j; }
  /// Segment j; without elements if there is none.
  [[nodiscard]] __device__ own_segment segment(unsigned j) const {
    own_segment s;
    if (j >= count_) return s;
    bool const is_rest = j == 0 && begin_ < first_;  // of what earlier ranges have begun
    unsigned const end = place_of(number(j) + 1);
    s.at = is_rest ? 0 : place_of(number(j));
    s.begin = is_rest ? begin_ : first_ + s.at;
    s.size = end > s.at ? end - s.at : 0;
    s.ends = j < ends_;
    s.is_whole = s.ends && !is_rest;
    return s;
  }

 private:
  /// Where segment k begins, or a border of this range if outside.
  [[nodiscard]] __device__ unsigned place_of(std::size_t k) const {
    std::size_t const at = borders_(k, n_);
    return at < first_ ? 0 : at - first_ < size_ ? static_cast<unsigned>(at - first_) : size_;
  }

  Borders const& borders_;
  std::size_t n_, first_, begin_, segment_;
  unsigned size_ = 0, count_ = 0, ends_ = 0;  ///< the first ends_ of the segments end here
};

/// Numbers for `count` parts in each lane, those of lane 0 first.
class numbered_parts {
 public:
  __device__ numbered_parts(unsigned count, unsigned lane) : first_(count) {
#pragma unroll
    for (unsigned k = 1; k < 32; k *= 2) {
      unsigned const before = simt::shuffle_up(whole_warp, first_, k);
      if (lane >= k) first_ += before;
    }
    all_ = simt::shuffle(whole_warp, first_, 31);
    first_ -= count;
  }
  [[nodiscard]] __device__ unsigned all() const { return all_; }
  /// The number of this lane's first part.
  [[nodiscard]] __device__ unsigned first() const { return first_; }
  /// The lane that has the part with this number, less than all().
  [[nodiscard]] __device__ unsigned lane_of(unsigned number) const {
    unsigned lane = 0;
#pragma unroll
    for (unsigned k = 16; k > 0; k /= 2)
      if (simt::shuffle(whole_warp, first_, static_cast<int>(lane + k)) <= number) lane += k;
    return lane;
  }

 private:
  unsigned first_, all_;
};

}  // namespace upsweep::device
