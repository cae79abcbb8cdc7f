/// The definitions behind compiled.hpp, included only by the files of this folder, which
/// instantiate them for one family of operators each.
#pragma once

#include <upsweep/cpu/compiled.hpp>
#include <upsweep/cpu/scan.hpp>

namespace upsweep::compiled {
template <class Op, class T>
using plain_source = source<T const*, as_is, Op, false>;
template <class Op, class T>
using plain_sink = sink<T*, Op, false>;

template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, int threads, mode m) {
  Op const op{};
  return reduce_on(plain_source<Op, T>(x, n, as_is{}, op), n, op, threads, m);
}

template <class Op, class T>
void reduce_chunk(T const* x, std::size_t n, int threads, carry<accumulator_t<Op, T>>& left) {
  Op const op{};
  reduce_chunk_on(plain_source<Op, T>(x, n, as_is{}, op, left.position()), n, op, threads, left);
}

template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial,
          accumulator_t<Op, T> const* first) {
  Op const op{};
  scan_on<kind>(plain_source<Op, T>(x, n, as_is{}, op), plain_sink<Op, T>(out, n, op), n, op,
                threads, initial, first);
}

template <scan_kind kind, class Op, class T>
void scan_chunk(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial,
                accumulator_t<Op, T> const* first, carry<accumulator_t<Op, T>>& left) {
  Op const op{};
  std::size_t const base = left.position();
  scan_chunk_on<kind>(plain_source<Op, T>(x, n, as_is{}, op, base),
                      plain_sink<Op, T>(out, n, op, base), n, op, threads, initial, first, left);
}

}  // namespace upsweep::compiled

// An explicit instantiation cannot be written as a template, so these two are macros, for the .cpp
// files beside this one.
#define UPSWEEP_COMPILE_REDUCE(Op, T)                                                      \
  template accumulator_t<Op, T> compiled::reduce<Op, T>(T const*, std::size_t, int, mode); \
  template void compiled::reduce_chunk<Op, T>(T const*, std::size_t, int,                  \
                                              carry<accumulator_t<Op, T>>&);

#define UPSWEEP_COMPILE_SCAN(kind, Op, T)                                                        \
  template void compiled::scan<kind, Op, T>(                                                     \
      T const*, T*, std::size_t, int, accumulator_t<Op, T> const*, accumulator_t<Op, T> const*); \
  template void compiled::scan_chunk<kind, Op, T>(                                               \
      T const*, T*, std::size_t, int, accumulator_t<Op, T> const*, accumulator_t<Op, T> const*,  \
      carry<accumulator_t<Op, T>>&);

#define UPSWEEP_COMPILE(Op, T)                      \
  UPSWEEP_COMPILE_REDUCE(Op, T)                     \
  UPSWEEP_COMPILE_SCAN(scan_kind::inclusive, Op, T) \
  UPSWEEP_COMPILE_SCAN(scan_kind::exclusive, Op, T)

#define UPSWEEP_COMPILE_INTEGERS(Op)  \
  UPSWEEP_COMPILE(Op, char)           \
  UPSWEEP_COMPILE(Op, signed char)    \
  UPSWEEP_COMPILE(Op, unsigned char)  \
  UPSWEEP_COMPILE(Op, short)          \
  UPSWEEP_COMPILE(Op, unsigned short) \
  UPSWEEP_COMPILE(Op, int)            \
  UPSWEEP_COMPILE(Op, unsigned)       \
  UPSWEEP_COMPILE(Op, long)           \
  UPSWEEP_COMPILE(Op, unsigned long)  \
  UPSWEEP_COMPILE(Op, long long)      \
  UPSWEEP_COMPILE(Op, unsigned long long)

#define UPSWEEP_COMPILE_FLOATS(Op) \
  UPSWEEP_COMPILE(Op, float)       \
  UPSWEEP_COMPILE(Op, double)
