/// The instantiations behind compiled.hpp.
#include <upsweep/cpu/compiled.hpp>
#include <upsweep/cpu/scan.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstdint>

namespace upsweep::compiled {
namespace {

template <class Op, class T>
using plain_source = source<T const*, as_is, Op, false>;
template <class Op, class T>
using plain_sink = sink<T*, Op, false>;

}  // namespace

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
void scan(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial, accumulator_t<Op, T> const* first) {
  Op const op{};
  scan_on<kind>(plain_source<Op, T>(x, n, as_is{}, op), plain_sink<Op, T>(out, n, op), n, op, threads, initial, first);
}

template <scan_kind kind, class Op, class T>
void scan_chunk(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial,
                accumulator_t<Op, T> const* first, carry<accumulator_t<Op, T>>& left) {
  Op const op{};
  std::size_t const base = left.position();
  scan_chunk_on<kind>(plain_source<Op, T>(x, n, as_is{}, op, base), plain_sink<Op, T>(out, n, op, base), n, op, threads, initial,
                      first, left);
}

}  // namespace upsweep::compiled
