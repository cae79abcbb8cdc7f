/// Outputs that take results register by register in memory order, once for each SIMD target: with
/// ordinary stores, or with streaming stores that bypass the caches.

#if defined(UPSWEEP_SIMD_STREAMING) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_STREAMING
#undef UPSWEEP_SIMD_STREAMING
#else
#define UPSWEEP_SIMD_STREAMING
#endif

#include <upsweep/host/simd/lanes.inl>

#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

/// Ordinary stores, from `out` on.
class cached_output {
 public:
  HWY_INLINE explicit cached_output(void* out) : out_(static_cast<unsigned char*>(out)) {}

  template <class D>
  HWY_INLINE void put(D d, hn::Vec<D> v) {
    hn::StoreU(v, d, next<hn::TFromD<D>>(hn::MaxLanes(d)));
  }
  /// Where to write the next `count` elements.
  template <class T>
  HWY_INLINE T* next(std::size_t count) {
    T* const here = reinterpret_cast<T*>(out_);
    out_ += count * sizeof(T);
    return here;
  }
  HWY_INLINE void finish() {}

 private:
  unsigned char* out_;
};

#if UPSWEEP_SIMD_VECTORS

/// Streaming stores of full registers, from `out` on. They must be aligned, but arrays rarely are.
/// So every register is rotated by the misalignment, and each aligned line is blended from two
/// consecutive registers: two instructions. (Going through a buffer of whole lines in L1 took
/// nearly twice as long.) The line that contains `out` must already have been written up to `out`.
template <class Lane>
class streamed_output {
 public:
  HWY_INLINE explicit streamed_output(void* out) {
    D const d;
    // Lanes of the line before `out`.
    std::size_t const past_line = reinterpret_cast<std::uintptr_t>(out) % sizeof(V) / sizeof(U);
    line_ = static_cast<U*>(out) - past_line;
    V const lane = hn::Iota(d, 0);
    V const shift = hn::Set(d, static_cast<U>(past_line));
    from_previous_ = hn::Lt(lane, shift);
    rotation_ =
        hn::IndicesFromVec(d, hn::And(hn::Sub(lane, shift), hn::Set(d, static_cast<U>(lanes - 1))));
    previous_ = last_ = hn::Load(d, line_);
    end_ = static_cast<U*>(out);
  }

  template <class Other>
  HWY_INLINE void put(Other, hn::Vec<Other> v) {
    D const d;
    last_ = hn::BitCast(d, v);
    V const rotated = hn::TableLookupLanes(last_, rotation_);
    hn::Stream(hn::IfThenElse(from_previous_, previous_, rotated), d, line_);
    previous_ = rotated;
    line_ += lanes;
    end_ += lanes;
  }

  /// The last line has only part of the last register, so the whole register is stored once more.
  HWY_INLINE void finish() {
    hn::StoreU(last_, D(), end_ - lanes);
    hwy::FlushStream();
  }

 private:
  using U = hwy::MakeUnsigned<Lane>;
  using D = hn::ScalableTag<U>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());

  U* line_;
  U* end_;
  V previous_, last_;
  hn::Mask<D> from_previous_;
  decltype(hn::IndicesFromVec(D(), V())) rotation_;
};

#endif

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
