/// Linear recurrences in the tree of anchored blocks, once for each SIMD target: plain loops over
/// lanes, which the compiler vectorizes. A token costs one composition of maps on average, and one
/// product and sum for its result.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/anchored_recurrence.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/lane_tiles.hpp>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

template <class T>
struct complex_number {
  T re = 0, im = 0;
  friend HWY_INLINE complex_number operator+(complex_number l, complex_number r) {
    return {l.re + r.re, l.im + r.im};
  }
};

/// out = x y + plus, a product and a sum for each lane, each rounded; `plus` may be null. out may
/// be any of the others.
template <class T>
void multiply(T const* x, T const* y, T const* plus, T* out, std::size_t lanes) {
  if (plus)
    for (std::size_t l = 0; l < lanes; ++l) out[l] = x[l] * y[l] + plus[l];
  else
    for (std::size_t l = 0; l < lanes; ++l) out[l] = x[l] * y[l];
}

/// The product of complex numbers as it is written. The sums are loops of their own, because g++
/// before 12.3 fuses these products with their sums whatever -ffp-contract says
/// (gcc.gnu.org/PR107647).
template <class T>
void multiply(complex_number<T> const* x, complex_number<T> const* y, complex_number<T> const* plus,
              complex_number<T>* out, std::size_t lanes) {
  T products[4][most_lanes];
  for (std::size_t l = 0; l < lanes; ++l) {
    products[0][l] = x[l].re * y[l].re;
    products[1][l] = x[l].im * y[l].im;
    products[2][l] = x[l].re * y[l].im;
    products[3][l] = x[l].im * y[l].re;
  }
  asm volatile("" : : "r"(&products[0][0]) : "memory");
  for (std::size_t l = 0; l < lanes; ++l) {
    complex_number<T> const product{products[0][l] - products[1][l],
                                    products[2][l] + products[3][l]};
    out[l] = plus ? product + plus[l] : product;
  }
}

template <class T>
HWY_INLINE T conjugate(T x) {
  return x;
}
template <class T>
HWY_INLINE complex_number<T> conjugate(complex_number<T> x) {
  return {x.re, -x.im};
}

/// Elements of type E in the memory of a matrix, numbers N in rows of lanes.
template <class E, class N>
class block_of_lanes {
 public:
  explicit block_of_lanes(std::size_t lanes) : lanes_(lanes) {}
  block_of_lanes(std::size_t lanes, lane_state const& state) : lanes_(lanes) {
    if (state.value == nullptr) return;
    std::memcpy(result_[detail::anchored_digits], state.value, lanes * sizeof(N));
    for (int k = 0; k < detail::anchored_digits; ++k)
      if ((state.position >> k & 1u) != 0) {
        std::memcpy(total_a_[k], row(state, 2 * k), lanes * sizeof(N));
        std::memcpy(total_b_[k], row(state, 2 * k + 1), lanes * sizeof(N));
      }
    detail::restore_anchored(state.position, [&](int k, int before) HWY_ATTR {
      apply(result_[before], total_a_[k], total_b_[k], result_[k]);
    });
  }

  /// Stores the state after so many tokens of the block.
  void save(lane_state& state, std::size_t position) const {
    std::memcpy(state.value, result_[detail::anchored_digits], lanes_ * sizeof(N));
    for (int k = 0; k < detail::anchored_digits; ++k)
      if ((position >> k & 1u) != 0) {
        std::memcpy(row(state, 2 * k), total_a_[k], lanes_ * sizeof(N));
        std::memcpy(row(state, 2 * k + 1), total_b_[k], lanes_ * sizeof(N));
      }
    state.position = position;
  }

  /// Appends a token to m < 256 others without results. Of 256 the map is stored.
  void append_total(std::size_t m, std::byte const* a, std::ptrdiff_t a_lane, bool conjugated,
                    std::byte const* b, std::ptrdiff_t b_lane, N* of_h, N* of_b) {
    conjugated ? load_conjugate(a, a_lane) : load(a, a_lane, a_);
    load(b, b_lane, b_);
    detail::append_anchored(
        m, [&](int k) HWY_ATTR { compose(total_a_[k], total_b_[k]); },
        [&](int k, int) HWY_ATTR {
          bool const is_whole = k == detail::anchored_digits;
          std::memcpy(is_whole ? of_h : total_a_[k], a_, lanes_ * sizeof(N));
          std::memcpy(is_whole ? of_b : total_b_[k], b_, lanes_ * sizeof(N));
        });
  }

  /// The result of a block of m < 256 tokens.
  [[nodiscard]] N const* result(std::size_t m) const {
    return result_[m == 0 ? detail::anchored_digits : detail::trailing_zeros(m)];
  }

  /// Appends a token to a block of m < 256 tokens and stores its h.
  void append(std::size_t m, std::byte const* a, std::ptrdiff_t a_lane, std::byte const* b,
              std::ptrdiff_t b_lane, std::byte* h, std::ptrdiff_t h_lane) {
    load(a, a_lane, a_);
    append(m, b, b_lane, h, h_lane);
  }
  /// The same with the conjugate of a.
  void append_conjugate(std::size_t m, std::byte const* a, std::ptrdiff_t a_lane,
                        std::byte const* b, std::ptrdiff_t b_lane, std::byte* h,
                        std::ptrdiff_t h_lane) {
    load_conjugate(a, a_lane);
    append(m, b, b_lane, h, h_lane);
  }
  /// Stores h conj(y), where the elements y are in memory or rounded from `numbers`.
  void store_product(std::byte const* h, std::ptrdiff_t h_lane, std::byte const* y,
                     std::ptrdiff_t y_lane, N const* numbers, std::byte* to,
                     std::ptrdiff_t to_lane) {
    load(h, h_lane, a_);
    if (numbers)
      for (std::size_t l = 0; l < lanes_; ++l) b_[l] = N(E(numbers[l]));
    else
      load(y, y_lane, b_);
    for (std::size_t l = 0; l < lanes_; ++l) b_[l] = conjugate(b_[l]);
    multiply(a_, b_, static_cast<N const*>(nullptr), a_, lanes_);
    store(a_, to, to_lane);
  }

 private:
  /// Appends a token whose coefficients are in a_.
  void append(std::size_t m, std::byte const* b, std::ptrdiff_t b_lane, std::byte* h,
              std::ptrdiff_t h_lane) {
    load(b, b_lane, b_);
    detail::append_anchored(
        m, [&](int k) HWY_ATTR { compose(total_a_[k], total_b_[k]); },
        [&](int k, int before) HWY_ATTR {
          apply(result_[before], a_, b_, result_[k]);
          if (k < detail::anchored_digits) {
            std::memcpy(total_a_[k], a_, lanes_ * sizeof(N));
            std::memcpy(total_b_[k], b_, lanes_ * sizeof(N));
          }
          store(result_[k], h, h_lane);
        });
  }
  static std::byte* row(lane_state const& state, int number) {
    return state.totals + number * state.row;
  }
  /// (a_, b_) = the map (a, b), then (a_, b_).
  void compose(N const* a, N const* b) {
    multiply(a_, b, b_, b_, lanes_);
    multiply(a_, a, static_cast<N const*>(nullptr), a_, lanes_);
  }
  void apply(N const* before, N const* a, N const* b, N* h) const {
    multiply(a, before, b, h, lanes_);
  }
  /// The conjugates of a token's coefficients to a_.
  void load_conjugate(std::byte const* a, std::ptrdiff_t stride) {
    load(a, stride, a_);
    for (std::size_t l = 0; l < lanes_; ++l) a_[l] = conjugate(a_[l]);
  }
  void load(std::byte const* from, std::ptrdiff_t stride, N* HWY_RESTRICT to) const {
    if (stride == sizeof(E)) {
      auto const* const x = reinterpret_cast<E const*>(from);
      for (std::size_t l = 0; l < lanes_; ++l) to[l] = N(x[l]);
    } else {
      for (std::size_t l = 0; l < lanes_; ++l)
        to[l] = N(*reinterpret_cast<E const*>(from + static_cast<std::ptrdiff_t>(l) * stride));
    }
  }
  void store(N const* from, std::byte* to, std::ptrdiff_t stride) const {
    for (std::size_t l = 0; l < lanes_; ++l)
      *reinterpret_cast<E*>(to + static_cast<std::ptrdiff_t>(l) * stride) = E(from[l]);
  }

  std::size_t lanes_;
  N a_[most_lanes], b_[most_lanes];
  N total_a_[detail::anchored_digits][most_lanes], total_b_[detail::anchored_digits][most_lanes];
  N result_[detail::anchored_digits + 1][most_lanes];
};

template <class E, class N>
void recurrence_of(std::size_t tokens, std::size_t lanes, lane_matrix const& in_a,
                   lane_matrix const& in_b, lane_matrix const& out_h, lane_state& state) {
  tokens_of_lanes a(in_a, lanes, tokens, sizeof(E)), b(in_b, lanes, tokens, sizeof(E)),
      h(out_h, lanes, tokens, sizeof(E));
  block_of_lanes<E, N> block(lanes, state);
  std::size_t m = state.position;
  for (std::size_t t = 0; t < tokens; ++t) {
    block.append(m, a.read(t), a.stride(), b.read(t), b.stride(), h.write(t), h.stride());
    m = (m + 1) % detail::anchored_size;
  }
  h.flush();
  block.save(state, m);
}

template <class E, class N>
void gradients_of(std::size_t tokens, std::size_t lanes, lane_matrix const& in_a,
                  lane_matrix const& in_b, lane_matrix const& out_h,
                  lane_gradients const& gradients, lane_state& state) {
  bool const is_last = gradients.start.value != nullptr;
  tokens_of_lanes a_before({in_a.at(0, 0) - in_a.token, in_a.token, in_a.lane}, lanes, tokens,
                           sizeof(E)),
      b(in_b, lanes, tokens, sizeof(E)), h(out_h, lanes, tokens, sizeof(E)),
      of_next({gradients.of.at(1, 0), gradients.of.token, gradients.of.lane}, lanes,
              tokens - is_last, sizeof(E)),
      of_a(gradients.of_a, lanes, tokens, sizeof(E));
  block_of_lanes<E, N> const recurrence(lanes, gradients.start);
  block_of_lanes<E, N> block(lanes, state);
  std::size_t m = state.position;
  for (std::size_t t = 0; t < tokens; ++t) {
    std::byte* const to = h.write(t);
    if (t == 0 && gradients.factor)
      block.append_conjugate(m, gradients.factor, sizeof(E), b.read(t), b.stride(), to, h.stride());
    else
      block.append_conjugate(m, a_before.read(t), a_before.stride(), b.read(t), b.stride(), to,
                             h.stride());
    N const* const first =
        is_last && t + 1 == tokens ? recurrence.result(gradients.start.position) : nullptr;
    block.store_product(to, h.stride(), first ? nullptr : of_next.read(t), of_next.stride(), first,
                        of_a.write(t), of_a.stride());
    m = (m + 1) % detail::anchored_size;
  }
  h.flush();
  of_a.flush();
  block.save(state, m);
}

template <class E, class N>
void totals_of(std::size_t lanes, lane_matrix const& in_a, lane_matrix const& in_b, bool gradients,
               std::byte* of_h, std::byte* of_b) {
  constexpr std::size_t tokens = detail::anchored_size;
  lane_matrix const from = {gradients ? in_a.first - in_a.token : in_a.first, in_a.token,
                            in_a.lane};
  tokens_of_lanes a(from, lanes, tokens, sizeof(E)), b(in_b, lanes, tokens, sizeof(E));
  block_of_lanes<E, N> block(lanes);
  for (std::size_t t = 0; t < tokens; ++t)
    block.append_total(t, a.read(t), a.stride(), gradients, b.read(t), b.stride(),
                       reinterpret_cast<N*>(of_h), reinterpret_cast<N*>(of_b));
}

template <class N>
void values_of(std::size_t blocks, std::size_t lanes, std::byte* of_h, std::byte const* of_b,
               std::byte* value) {
  N now[most_lanes], next[most_lanes];
  std::memcpy(now, value, lanes * sizeof(N));
  for (std::size_t k = 0; k < blocks; ++k) {
    auto* const map = reinterpret_cast<N*>(of_h) + k * lanes;
    multiply(map, now, reinterpret_cast<N const*>(of_b) + k * lanes, next, lanes);
    std::memcpy(map, now, lanes * sizeof(N));
    std::memcpy(now, next, lanes * sizeof(N));
  }
  std::memcpy(value, now, lanes * sizeof(N));
}

/// Calls run.operator()<E, N>() with the types of elements and of numbers.
template <class F>
void of_type(lane_type type, F const& run) {
  switch (type) {
    case lane_type::f16:
#ifdef UPSWEEP_HAS_FLOAT16
      return run.template operator()<float16, float>();
#else
      return;
#endif
    case lane_type::bf16:
      return run.template operator()<bfloat16, float>();
    case lane_type::f32:
      return run.template operator()<float, float>();
    case lane_type::f64:
      return run.template operator()<double, double>();
    case lane_type::c64:
      return run.template operator()<complex_number<float>, complex_number<float>>();
    case lane_type::c128:
      return run.template operator()<complex_number<double>, complex_number<double>>();
  }
}

/// Without gradients, `gradients` is null.
void recurrence_of_type(lane_type type, std::size_t tokens, std::size_t lanes, lane_matrix const& a,
                        lane_matrix const& b, lane_matrix const& h, lane_gradients const* gradients,
                        lane_state& state) {
  of_type(type, [&]<class E, class N>() HWY_ATTR {
    if (gradients)
      gradients_of<E, N>(tokens, lanes, a, b, h, *gradients, state);
    else
      recurrence_of<E, N>(tokens, lanes, a, b, h, state);
  });
}

void totals_of_type(lane_type type, std::size_t lanes, lane_matrix const& a, lane_matrix const& b,
                    bool gradients, std::byte* of_h, std::byte* of_b) {
  of_type(type, [&]<class E, class N>()
                    HWY_ATTR { totals_of<E, N>(lanes, a, b, gradients, of_h, of_b); });
}
void values_of_type(lane_type type, std::size_t blocks, std::size_t lanes, std::byte* of_h,
                    std::byte const* of_b, std::byte* value) {
  of_type(type,
          [&]<class E, class N>() HWY_ATTR { values_of<N>(blocks, lanes, of_h, of_b, value); });
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {

HWY_EXPORT(recurrence_of_type);
HWY_EXPORT(totals_of_type);
HWY_EXPORT(values_of_type);

void anchored_recurrence(lane_type type, std::size_t tokens, std::size_t lanes,
                         lane_matrix const& a, lane_matrix const& b, lane_matrix const& h,
                         lane_state& state) {
  HWY_DYNAMIC_DISPATCH(recurrence_of_type)(type, tokens, lanes, a, b, h, nullptr, state);
}
void anchored_gradients(lane_type type, std::size_t tokens, std::size_t lanes, lane_matrix const& a,
                        lane_matrix const& b, lane_matrix const& h, lane_gradients const& gradients,
                        lane_state& state) {
  HWY_DYNAMIC_DISPATCH(recurrence_of_type)(type, tokens, lanes, a, b, h, &gradients, state);
}

void anchored_totals(lane_type type, std::size_t lanes, lane_matrix const& a, lane_matrix const& b,
                     bool gradients, std::byte* of_h, std::byte* of_b) {
  HWY_DYNAMIC_DISPATCH(totals_of_type)(type, lanes, a, b, gradients, of_h, of_b);
}
void anchored_values(lane_type type, std::size_t blocks, std::size_t lanes, std::byte* of_h,
                     std::byte const* of_b, std::byte* value) {
  HWY_DYNAMIC_DISPATCH(values_of_type)(type, blocks, lanes, of_h, of_b, value);
}

}  // namespace upsweep::host::simd
#endif
