/// What PTX instructions become: loads, stores, atomics, fences, asynchronous copies, mbarriers.
#pragma once

#include "../barriers.h"
#include "../intrinsics.h"
#include "../transaction_barriers.h"
#include "../vectors.h"

#include <cstddef>
#include <cstdint>

namespace upsweep::emulated::ptx {

using emulated::fence;
using emulated::order;
using emulated::scope;

// An address in a register: a generic one, or an offset in shared memory.
template <class T>
UPSWEEP_EMULATED_WORD char* at(T* place, long long offset = 0) {
  return const_cast<char*>(reinterpret_cast<char const volatile*>(place)) + offset;
}
UPSWEEP_EMULATED_WORD char* at(unsigned long place, long long offset = 0) {
  return reinterpret_cast<char*>(place) + offset;
}
UPSWEEP_EMULATED_WORD char* at(unsigned long long place, long long offset = 0) {
  return reinterpret_cast<char*>(place) + offset;
}
/// A 32-bit address can only be shared memory's.
UPSWEEP_EMULATED_WORD char* at(unsigned place, long long offset = 0) {
  return static_cast<char*>(upsweep_emulated_shared_begin()) + place + offset;
}
UPSWEEP_EMULATED_WORD char* at_shared(unsigned long place, long long offset = 0) {
  return static_cast<char*>(upsweep_emulated_shared_begin()) + place + offset;
}
template <class T>
UPSWEEP_EMULATED_WORD char* at_shared(T* place, long long offset = 0) {
  return at_shared(reinterpret_cast<unsigned long>(place), offset);
}
template <class T, class Address>
UPSWEEP_EMULATED_WORD T to_shared(Address generic) {
  return static_cast<T>(__cvta_generic_to_shared((void const*)generic));
}
template <class T, class Offset>
UPSWEEP_EMULATED_WORD T from_shared(Offset offset) {
  return (T)__cvta_shared_to_generic(static_cast<std::size_t>(offset));
}

template <class T>
UPSWEEP_EMULATED_WORD T load(void const* p) {
  return *static_cast<T const*>(p);
}
template <class T>
UPSWEEP_EMULATED_WORD T load_volatile(void const* p) {
  return *static_cast<T const volatile*>(p);
}
template <class T>
UPSWEEP_EMULATED_WORD T load_relaxed(void const* p, scope s) {
  return atomic_load(static_cast<T const*>(p), order::relaxed, s);
}
template <class T>
UPSWEEP_EMULATED_WORD T load_acquire(void const* p, scope s) {
  return atomic_load(static_cast<T const*>(p), order::acquire, s);
}
template <class T, class V>
UPSWEEP_EMULATED_WORD void store(void* p, V value) {
  *static_cast<T*>(p) = static_cast<T>(value);
}
template <class T, class V>
UPSWEEP_EMULATED_WORD void store_volatile(void* p, V value) {
  *static_cast<T volatile*>(p) = static_cast<T>(value);
}
template <class T, class V>
UPSWEEP_EMULATED_WORD void store_relaxed(void* p, V value, scope s) {
  atomic_store(static_cast<T*>(p), static_cast<T>(value), order::relaxed, s);
}
template <class T, class V>
UPSWEEP_EMULATED_WORD void store_release(void* p, V value, scope s) {
  atomic_store(static_cast<T*>(p), static_cast<T>(value), order::release, s);
}

/// Two or four elements, which are one access.
template <class T, std::size_t n>
struct __attribute__((aligned(sizeof(T) * n))) several {
  T element[n];
};
template <class T, std::size_t n, class... Results>
UPSWEEP_EMULATED_WORD void hand_out(several<T, n> const& v, Results&... results) {
  std::size_t i = 0;
  ((results = static_cast<Results>(v.element[i++])), ...);
}
template <class T, class... Results>
UPSWEEP_EMULATED_WORD void load_vector(void const* p, Results&... results) {
  hand_out(*static_cast<several<T, sizeof...(results)> const*>(p), results...);
}
template <class T, class... Results>
UPSWEEP_EMULATED_WORD void load_vector_volatile(void const* p, Results&... results) {
  load_vector<T>(p, results...);
}
template <class T, class... Results>
UPSWEEP_EMULATED_WORD void load_vector_relaxed(void const* p, scope s, Results&... results) {
  using vector = several<T, sizeof...(results)>;
  hand_out(atomic_load(static_cast<vector const*>(p), order::relaxed, s), results...);
}
template <class T, class... Results>
UPSWEEP_EMULATED_WORD void load_vector_acquire(void const* p, scope s, Results&... results) {
  using vector = several<T, sizeof...(results)>;
  hand_out(atomic_load(static_cast<vector const*>(p), order::acquire, s), results...);
}
template <class T, class... Values>
UPSWEEP_EMULATED_WORD void store_vector(void* p, Values... values) {
  several<T, sizeof...(values)> const v{{static_cast<T>(values)...}};
  *static_cast<several<T, sizeof...(values)>*>(p) = v;
}
template <class T, class... Values>
UPSWEEP_EMULATED_WORD void store_vector_volatile(void* p, Values... values) {
  store_vector<T>(p, values...);
}
template <class T, class... Values>
UPSWEEP_EMULATED_WORD void store_vector_relaxed(void* p, scope s, Values... values) {
  using vector = several<T, sizeof...(values)>;
  atomic_store(static_cast<vector*>(p), vector{{static_cast<T>(values)...}}, order::relaxed, s);
}
template <class T, class... Values>
UPSWEEP_EMULATED_WORD void store_vector_release(void* p, scope s, Values... values) {
  using vector = several<T, sizeof...(values)>;
  atomic_store(static_cast<vector*>(p), vector{{static_cast<T>(values)...}}, order::release, s);
}

#define UPSWEEP_EMULATED_PTX_ATOMIC(name, f)                                  \
  template <class T, class V>                                                 \
  UPSWEEP_EMULATED_WORD T atomic_##name(void* p, V value, order o, scope s) { \
    return fetch<f>(static_cast<T*>(p), static_cast<T>(value), o, s);         \
  }
UPSWEEP_EMULATED_PTX_ATOMIC(add, emulated::add)
UPSWEEP_EMULATED_PTX_ATOMIC(min, smaller)
UPSWEEP_EMULATED_PTX_ATOMIC(max, larger)
UPSWEEP_EMULATED_PTX_ATOMIC(and, and_with)
UPSWEEP_EMULATED_PTX_ATOMIC(or, or_with)
UPSWEEP_EMULATED_PTX_ATOMIC(xor, xor_with)
UPSWEEP_EMULATED_PTX_ATOMIC(inc, increment_below)
UPSWEEP_EMULATED_PTX_ATOMIC(dec, decrement_to)
UPSWEEP_EMULATED_PTX_ATOMIC(exch, replace)
#undef UPSWEEP_EMULATED_PTX_ATOMIC
template <class T, class E, class V>
UPSWEEP_EMULATED_WORD T atomic_cas(void* p, E expected, V value, order o, scope s) {
  return compare_and_swap(static_cast<T*>(p), static_cast<T>(expected), static_cast<T>(value), o,
                          s);
}

UPSWEEP_EMULATED_WORD void fence(scope s) {
  emulated::fence(s, order::acq_rel);
}
/// `threads` is the number of threads that meet; 0: those of the block.
UPSWEEP_EMULATED_WORD void barrier_sync(unsigned number, unsigned threads = 0) {
  unsigned const all = blockDim.x * blockDim.y * blockDim.z;
  if (number >= part::named) upsweep_emulated_misuse("a block has barriers 0 to 15");
  if (number == 0 && (threads == 0 || threads == all))
    __syncthreads();
  else
    part::wait(number, threads == 0 ? all : threads);
}
UPSWEEP_EMULATED_WORD void barrier_arrive(unsigned number, unsigned threads) {
  if (number >= part::named) upsweep_emulated_misuse("a block has barriers 0 to 15");
  static_cast<void>(part::arrive(number, threads));
}

UPSWEEP_EMULATED_WORD void cp_async(void* to, void const* from, unsigned bytes,
                                    unsigned from_bytes) {
  UPSWEEP_EMULATED_NEEDS(80, "cp.async");
  upsweep_emulated_start_copy(to, from, bytes, from_bytes);
}
UPSWEEP_EMULATED_WORD void cp_async(void* to, void const* from, unsigned bytes) {
  cp_async(to, from, bytes, bytes);
}
UPSWEEP_EMULATED_WORD void cp_async_commit_group() {
  upsweep_emulated_commit_copies();
}
UPSWEEP_EMULATED_WORD void cp_async_wait_group(int groups) {
  upsweep_emulated_wait_for_copies(groups);
}
UPSWEEP_EMULATED_WORD void cp_async_wait_all() {
  upsweep_emulated_wait_for_copies(-1);
}

UPSWEEP_EMULATED_WORD transaction::state* barrier_at(void* p) {
  return static_cast<transaction::state*>(p);
}
/// The copies are executed here, before the arrival that they cause.
UPSWEEP_EMULATED_WORD void cp_async_mbarrier_arrive_noinc(void* barrier) {
  upsweep_emulated_wait_for_copies(-1);
  transaction::arrive(barrier_at(barrier));
}
/// One arrival more is expected, and made.
UPSWEEP_EMULATED_WORD void cp_async_mbarrier_arrive(void*) {
  upsweep_emulated_wait_for_copies(-1);
}
UPSWEEP_EMULATED_WORD void mbarrier_init(void* barrier, unsigned count) {
  UPSWEEP_EMULATED_NEEDS(80, "mbarrier");
  transaction::init(barrier_at(barrier), count);
}
UPSWEEP_EMULATED_WORD void mbarrier_inval(void*) {}
UPSWEEP_EMULATED_WORD std::uint64_t mbarrier_arrive(void* barrier, unsigned count = 1) {
  return transaction::arrive(barrier_at(barrier), count);
}
UPSWEEP_EMULATED_WORD std::uint64_t mbarrier_arrive_expect_tx(void* barrier, unsigned bytes) {
  UPSWEEP_EMULATED_NEEDS(90, "mbarrier.arrive.expect_tx");
  return transaction::arrive_and_expect(barrier_at(barrier), bytes);
}
UPSWEEP_EMULATED_WORD void mbarrier_expect_tx(void* barrier, unsigned bytes) {
  UPSWEEP_EMULATED_NEEDS(90, "mbarrier.expect_tx");
  transaction::expect(barrier_at(barrier), bytes);
}
UPSWEEP_EMULATED_WORD bool mbarrier_test_wait(void* barrier, std::uint64_t state) {
  return transaction::is_complete_since(barrier_at(barrier), state);
}
UPSWEEP_EMULATED_WORD bool mbarrier_test_wait_parity(void* barrier, unsigned parity) {
  return transaction::is_complete(barrier_at(barrier), parity);
}
/// Executed at once, by the thread that asks for it.
UPSWEEP_EMULATED_WORD void cp_async_bulk(void* to, void const* from, unsigned bytes,
                                         void* barrier) {
  UPSWEEP_EMULATED_NEEDS(90, "cp.async.bulk");
  if (bytes % 16 != 0) upsweep_emulated_misuse("a bulk copy has a multiple of 16 bytes");
  upsweep_emulated_copy(to, from, bytes);
  transaction::complete(barrier_at(barrier), bytes);
}

}  // namespace upsweep::emulated::ptx
