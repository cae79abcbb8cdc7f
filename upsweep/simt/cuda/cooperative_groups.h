/// Cooperative groups: tiles of a warp or of a block, threads that are together, and parts of them.
#pragma once

#include "words/groups.h"
#include "words/transaction_barriers.h"

namespace cooperative_groups {

namespace details {

/// The nth set bit.
UPSWEEP_EMULATED_WORD unsigned lane_of(unsigned mask, unsigned n) {
  for (; n > 0; --n) mask &= mask - 1;
  return static_cast<unsigned>(__builtin_ctz(mask));
}
UPSWEEP_EMULATED_WORD unsigned own_lane() {
  return upsweep_emulated_lane();
}
/// `size` lanes, beginning at a multiple of it, of those that exist.
UPSWEEP_EMULATED_WORD unsigned mask_of_tile(unsigned size) {
  unsigned const first = own_lane() / size * size;
  unsigned const left = count(blockDim) - details::thread_rank() / 32 * 32;
  unsigned const exist = left >= 32 ? 0xffffffffU : (1U << left) - 1;
  return (size >= 32 ? 0xffffffffU : (1U << size) - 1) << first & exist;
}

}  // namespace details

/// Lanes of one warp, whose ranks are in the order of lanes.
class lane_group {
 public:
  UPSWEEP_EMULATED_WORD explicit lane_group(unsigned mask = 0, unsigned meta = 0,
                                            unsigned meta_size = 1)
      : mask_(mask), meta_(meta), meta_size_(meta_size) {}

  UPSWEEP_EMULATED_WORD void sync() const { __syncwarp(mask_); }
  UPSWEEP_EMULATED_WORD unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1U << details::own_lane()) - 1)));
  }
  UPSWEEP_EMULATED_WORD unsigned num_threads() const {
    return static_cast<unsigned>(__popc(mask_));
  }
  UPSWEEP_EMULATED_WORD unsigned size() const { return num_threads(); }
  UPSWEEP_EMULATED_WORD unsigned meta_group_rank() const { return meta_; }
  UPSWEEP_EMULATED_WORD unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  UPSWEEP_EMULATED_WORD T shfl(T value, int rank) const {
    unsigned const source = details::lane_of(mask_, static_cast<unsigned>(rank) % num_threads());
    return __shfl_sync(mask_, value, static_cast<int>(source));
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_up(T value, unsigned distance) const {
    unsigned const me = thread_rank(), from = me < distance ? me : me - distance;
    return __shfl_sync(mask_, value, static_cast<int>(details::lane_of(mask_, from)));
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_down(T value, unsigned distance) const {
    unsigned const me = thread_rank(), last = num_threads() - 1;
    unsigned const from = me + distance > last ? me : me + distance;
    return __shfl_sync(mask_, value, static_cast<int>(details::lane_of(mask_, from)));
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_xor(T value, unsigned lanes) const {
    unsigned const me = thread_rank(), from = (me ^ lanes) < num_threads() ? me ^ lanes : me;
    return __shfl_sync(mask_, value, static_cast<int>(details::lane_of(mask_, from)));
  }
  UPSWEEP_EMULATED_WORD int any(int predicate) const { return __any_sync(mask_, predicate); }
  UPSWEEP_EMULATED_WORD int all(int predicate) const { return __all_sync(mask_, predicate); }
  UPSWEEP_EMULATED_WORD unsigned ballot(int predicate) const {
    return ranks_of(__ballot_sync(mask_, predicate));
  }
  template <class T>
  UPSWEEP_EMULATED_WORD unsigned match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  template <class T>
  UPSWEEP_EMULATED_WORD unsigned match_all(T value, int& same) const {
    return ranks_of(__match_all_sync(mask_, value, &same));
  }
  UPSWEEP_EMULATED_WORD unsigned upsweep_mask() const { return mask_; }

 private:
  /// Lanes as ranks in the group.
  UPSWEEP_EMULATED_WORD unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1)
      ranks |= (lanes >> __builtin_ctz(rest) & 1) << rank++;
    return ranks;
  }

  unsigned mask_, meta_, meta_size_;
};

class coalesced_group : public lane_group {
 public:
  using lane_group::lane_group;
};
UPSWEEP_EMULATED_WORD coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// `size` threads of a warp. Its words work on lanes, as those of a warp do.
template <unsigned size_, class Parent = void>
class thread_block_tile : public lane_group {
 public:
  UPSWEEP_EMULATED_WORD thread_block_tile()
      : lane_group(details::mask_of_tile(size_), details::thread_rank() / size_,
                   (details::count(blockDim) + size_ - 1) / size_) {}
  template <class OtherParent>
  UPSWEEP_EMULATED_WORD thread_block_tile(thread_block_tile<size_, OtherParent> const& other)
      : lane_group(other) {}

  UPSWEEP_EMULATED_WORD static constexpr unsigned num_threads() { return size_; }
  UPSWEEP_EMULATED_WORD static constexpr unsigned size() { return size_; }
  UPSWEEP_EMULATED_WORD unsigned thread_rank() const { return details::own_lane() % size_; }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl(T value, int rank) const {
    return __shfl_sync(upsweep_mask(), value, rank, size_);
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_up(T value, unsigned distance) const {
    return __shfl_up_sync(upsweep_mask(), value, distance, size_);
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_down(T value, unsigned distance) const {
    return __shfl_down_sync(upsweep_mask(), value, distance, size_);
  }
  template <class T>
  UPSWEEP_EMULATED_WORD T shfl_xor(T value, unsigned lanes) const {
    return __shfl_xor_sync(upsweep_mask(), value, static_cast<int>(lanes), size_);
  }
};

namespace details {

/// A slot for a value of each thread of the block.
template <class T>
UPSWEEP_EMULATED_WORD T* exchanged_values() {
  __shared__ T values_of_threads[1024];
  return values_of_threads;
}

}  // namespace details

/// Threads of several warps. What they exchange goes through shared memory.
template <unsigned size_, class Parent>
  requires(size_ > 32)
class thread_block_tile<size_, Parent> {
 public:
  thread_block_tile() = default;
  template <class OtherParent>
  UPSWEEP_EMULATED_WORD thread_block_tile(thread_block_tile<size_, OtherParent> const&) {}

  UPSWEEP_EMULATED_WORD static void sync() {
    using namespace ::upsweep::emulated;
    constexpr unsigned before = 32 - 2048 / size_;  // barriers of smaller tiles: 16 of 64, ...
    part::wait(part::named + before + meta_group_rank(), size_);
  }
  UPSWEEP_EMULATED_WORD static unsigned thread_rank() { return details::thread_rank() % size_; }
  UPSWEEP_EMULATED_WORD static constexpr unsigned num_threads() { return size_; }
  UPSWEEP_EMULATED_WORD static constexpr unsigned size() { return size_; }
  UPSWEEP_EMULATED_WORD static unsigned meta_group_rank() { return details::thread_rank() / size_; }
  UPSWEEP_EMULATED_WORD static unsigned meta_group_size() {
    return details::count(blockDim) / size_;
  }

  template <class T>
  UPSWEEP_EMULATED_WORD T shfl(T value, int rank) const {
    T* const values = details::exchanged_values<T>() + meta_group_rank() * size_;
    values[thread_rank()] = value;
    sync();
    T const result = values[static_cast<unsigned>(rank) % size_];
    sync();
    return result;
  }
  UPSWEEP_EMULATED_WORD int any(int predicate) const { return votes(predicate) != 0; }
  UPSWEEP_EMULATED_WORD int all(int predicate) const { return votes(!predicate) == 0; }

 private:
  /// How many warps have a lane with the predicate.
  UPSWEEP_EMULATED_WORD unsigned votes(int predicate) const {
    int const mine = __any_sync(details::mask_of_tile(32), predicate);
    unsigned warps = 0;
    for (unsigned rank = 0; rank < size_; rank += 32)
      warps += shfl(mine, static_cast<int>(rank)) != 0 ? 1 : 0;
    return warps;
  }
};

/// Threads of any group whose type does not say which.
class thread_group {
 public:
  UPSWEEP_EMULATED_WORD thread_group(thread_block) : is_block_(true) {}
  UPSWEEP_EMULATED_WORD thread_group(lane_group const& g) : lanes_(g), is_block_(false) {}

  UPSWEEP_EMULATED_WORD void sync() const {
    if (is_block_)
      __syncthreads();
    else
      lanes_.sync();
  }
  UPSWEEP_EMULATED_WORD unsigned thread_rank() const {
    return is_block_ ? details::thread_rank() : lanes_.thread_rank();
  }
  UPSWEEP_EMULATED_WORD unsigned num_threads() const {
    return is_block_ ? details::count(blockDim) : lanes_.num_threads();
  }
  UPSWEEP_EMULATED_WORD unsigned size() const { return num_threads(); }

 private:
  lane_group lanes_;
  bool is_block_;
};

template <unsigned size, class Group>
UPSWEEP_EMULATED_WORD thread_block_tile<size, Group> tiled_partition(Group const&) {
  static_assert(size >= 1 && (size & (size - 1)) == 0, "a tile's size is a power of two");
  static_assert(size <= 512, "a tile has at most 512 threads");
  return {};
}
UPSWEEP_EMULATED_WORD thread_group tiled_partition(thread_group const&, unsigned size) {
  return lane_group(details::mask_of_tile(size), details::thread_rank() / size);
}
UPSWEEP_EMULATED_WORD coalesced_group tiled_partition(coalesced_group const& group, unsigned size) {
  unsigned const me = group.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = group.upsweep_mask(); rest != 0; rest &= rest - 1, ++rank)
    if (rank / size == me) mask |= rest & (0 - rest);
  return coalesced_group(mask, me, (group.num_threads() + size - 1) / size);
}
template <class Group>
UPSWEEP_EMULATED_WORD coalesced_group labeled_partition(Group const& group, int label) {
  return coalesced_group(__match_any_sync(group.upsweep_mask(), label));
}
template <class Group>
UPSWEEP_EMULATED_WORD coalesced_group binary_partition(Group const& group, bool label) {
  unsigned const yes = __ballot_sync(group.upsweep_mask(), label);
  return coalesced_group(label ? yes : group.upsweep_mask() & ~yes, label ? 0 : 1, 2);
}

template <class Group>
UPSWEEP_EMULATED_WORD void sync(Group const& group) {
  group.sync();
}
template <class Group, class F, class... Arguments>
UPSWEEP_EMULATED_WORD void invoke_one(Group const& group, F&& f, Arguments&&... arguments) {
  if (group.thread_rank() == 0) f(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class F, class... Arguments>
UPSWEEP_EMULATED_WORD auto invoke_one_broadcast(Group const& group, F&& f,
                                                Arguments&&... arguments) {
  decltype(f(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = f(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}
/// Room for tiles of several warps, which the emulator does not need.
template <unsigned size>
struct block_tile_memory {};
template <unsigned size>
UPSWEEP_EMULATED_WORD thread_block this_thread_block(block_tile_memory<size>&) {
  return {};
}

}  // namespace cooperative_groups
