/// Decoupled look-back as a replacement for ours in the same kernel, to measure the choice alone.
/// Merrill & Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/scan/scan_ring.hpp>

namespace upsweep::device {

/// Each tile overwrites its total by its inclusive prefix as soon as that is known. A tile combines
/// the totals of its predecessors back to the nearest one with a prefix. The grouping of a sum
/// therefore depends on timing.
///
/// The interface is that of `lookback`. A prefix has the highest bit of its epoch set, so there can
/// be 2^31 launches.
template <class A, class Op>
class decoupled_lookback {
 public:
  using memory = boxed<A>*;
  static constexpr unsigned memory_size = 1;

  __device__ decoupled_lookback(tile_totals<A> totals, unsigned lane, A const& before, bool there,
                                memory)
      : totals_(totals),
        prefixes_{totals.words, totals.epoch ^ 0x80000000U},
        lane_(lane),
        before_(before, there) {}

  __device__ tile_prefixes<A, Op> around(unsigned tile, A const& own, Op const& op) const {
    prefix_of<A, Op> const before =
        tile == 0 ? before_ : prefix_of<A, Op>(prefix_before(tile, own, op), true);
    prefix_of<A, Op> after = before;
    after.append(own, op);
    if (lane_ == 0) prefixes_.publish(tile, after.value());
    return {before, after};
  }

 private:
  /// The exclusive prefix of `tile` > 0, in every lane. It reads windows of 32 tiles; lane 0 reads
  /// the nearest one.
  __device__ A prefix_before(unsigned tile, A const& own, Op const& op) const {
    A before = own;
    for (unsigned end = tile;; end -= 32) {
      auto found = totals_.tagged(own);
      bool const exists = lane_ < end;
      bool is_there = !exists;
      unsigned prefixes = 0,
               nearer = 0;  // lanes with a prefix, and lanes before the first of them
      for (;;) {
        totals_.look(end - 1 - lane_, is_there ? 0 : 1, found);
        bool const has_prefix = exists && prefixes_.missing(found) == 0;
        is_there = is_there || has_prefix ||
                   (totals_.missing(found) == 0 && lane_ + 1 != end);  // tile 0 needs its prefix
        prefixes = __ballot_sync(whole_warp, has_prefix);
        nearer = (prefixes & (0 - prefixes)) - 1;
        if ((__ballot_sync(whole_warp, !is_there) & nearer) == 0) break;
        look_again();
      }
      A window = found.value();
#pragma unroll
      for (unsigned step = 1; step < 32; step *= 2) {
        A const earlier = simt::shuffle_down(whole_warp, window, step);
        if (lane_ + step < 32 && ((nearer << 1 | 1) >> (lane_ + step) & 1) != 0)
          window = op(earlier, window);
      }
      window = simt::shuffle(whole_warp, window, 0);
      before = end == tile ? window : op(window, before);
      if (prefixes != 0) return before;
    }
  }

  tile_totals<A> totals_, prefixes_;
  unsigned lane_;
  prefix_of<A, Op> before_;
};

struct decoupled_parts : ring_parts {
  template <class A, class Op>
  using lookback_of = decoupled_lookback<A, Op>;
};

}  // namespace upsweep::device
