/// A fine-grained multithreaded core on the SIMT machine: a block is the core, a thread a tasklet,
/// shared memory its local memory.
///
/// Tasklets synchronize by handshakes between neighbors and by a barrier of all tasklets,
/// __syncthreads(). Modeled: the ordering of accesses, element accesses to main and local memory,
/// applications and the longest chain of them, and the polls of a waiting tasklet. Not modeled:
/// pipeline slots, DMA transfers, cycles. The counters of warps (efficiency, wavefronts, sectors)
/// mean nothing here.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// A core with the parameters of the sources: 16 tasklets (11 fill its pipeline), each with `cache`
/// elements of local memory, which it fills `rounds` times.
struct core_shape {
  static constexpr int tasklets = 16;
  static constexpr int cache = 16;
  static constexpr int rounds = 4;
  static constexpr int share =
      tasklets * cache * rounds;  ///< elements of main memory that one core scans
};

/// The messages from each tasklet to its right neighbor.
template <class T>
struct mailbox {
  unsigned (&notified)[core_shape::tasklets];  ///< per tasklet: the number of its notifications
  T (&message)[core_shape::tasklets];          ///< per tasklet: the value of its last notification
};

/// Clears the calling tasklet's flag: local memory is uninitialized at the start. A barrier must
/// follow.
template <class T>
__device__ void handshake_init(mailbox<T> box) {
  box.notified[threadIdx.x] = 0u;
}

/// Wakes the right neighbor, which may then read `value`. A message may be replaced only after the
/// neighbor has read it.
template <class T>
__device__ void handshake_notify(mailbox<T> box, T value) {
  box.message[threadIdx.x] = value;
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> flag(box.notified[threadIdx.x]);
  // Release: a reader that sees the notification sees the message.
  flag.fetch_add(1u, ::cuda::memory_order_release);
}

/// Waits until the left neighbor has notified for the `round`-th time, counted from 1, and returns
/// its message.
template <class T>
__device__ T handshake_wait_for_left(mailbox<T> box, unsigned round) {
  unsigned const left = threadIdx.x - 1;
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> flag(box.notified[left]);
  while (flag.load(::cuda::memory_order_acquire) < round) {
  }
  return box.message[left];
}

/// How many of the n elements lie in [first, first + cache).
__device__ constexpr unsigned cached(std::size_t first, std::size_t n) {
  if (first >= n) return 0;
  return n - first < core_shape::cache ? static_cast<unsigned>(n - first)
                                       : unsigned{core_shape::cache};
}

/// The inclusive scan of the calling core's share of `in`, starting from `carry` if `carried` is
/// true. Returns, in the last tasklet, the carry of the next core.
template <class T, class Op>
__device__ T scan_share(T const* in, T* out, std::size_t n, bool carried, T carry, mailbox<T> box,
                        T (&local)[core_shape::tasklets * core_shape::cache], Op op) {
  constexpr unsigned tasklets = core_shape::tasklets, cache = core_shape::cache,
                     rounds = core_shape::rounds;
  unsigned const t = threadIdx.x, base = t * cache;
  T through = carry;
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t const first = ((std::size_t{blockIdx.x} * rounds + round) * tasklets + t) * cache;
    unsigned const count = cached(first, n);
    for (unsigned j = 0; j < count; ++j) local[base + j] = in[first + j];
    for (unsigned j = 1; j < count; ++j) local[base + j] = op(local[base + j - 1], local[base + j]);

    bool const alone = t == 0 && round == 0 && !carried;  // these elements have no prefix
    T before = carry;
    if (t > 0)
      before = handshake_wait_for_left(box, round + 1);
    else if (round > 0)
      before = box.message[tasklets - 1];  // written before the barrier
    through = before;
    if (count > 0) {
      T const total = local[base + count - 1];
      through = alone ? total : op(before, total);
    }
    handshake_notify(box, through);
    for (unsigned j = 0; j < count; ++j) {
      T const sum = local[base + j];
      out[first + j] = alone ? sum : op(before, sum);
    }
    __syncthreads();  // every message has been read
  }
  return through;
}

}  // namespace upsweep::textbook
