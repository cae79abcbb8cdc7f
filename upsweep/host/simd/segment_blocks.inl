/// One segment at a time: what sums and scans of a segment whose neighbors have other lengths
/// share. Its elements are cut into blocks, of which each is a vector; the last one is masked.
///
/// The prefix that ends with lane l of a block combines the prefix before the block with one
/// aligned block of 2^k lanes for each bit k of l + 1, the largest first: log2(lanes) additions for
/// all lanes at once, in which lanes without that bit add -0, which changes nothing.

#if defined(UPSWEEP_SIMD_SEGMENT_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SEGMENT_BLOCKS
#undef UPSWEEP_SIMD_SEGMENT_BLOCKS
#else
#define UPSWEEP_SIMD_SEGMENT_BLOCKS
#endif

#include <upsweep/host/simd/lanes.inl>

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32
HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

/// The most elements of a segment that the kernels take alone.
inline constexpr std::size_t most_alone = 256;

template <class T>
class segment_blocks {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr std::size_t n = hn::MaxLanes(D());

  HWY_INLINE segment_blocks() : prefix_(hn::Set(D(), T(-0.0))) {}

  /// The prefix before the next block, in all lanes; -0 of nothing.
  HWY_INLINE V prefix() const { return prefix_; }
  /// The prefixes that end with the lanes of block j; the last lane's is not found, unless the
  /// prefix after the block is appended.
  HWY_INLINE V prefixes(std::size_t j, V x) {
    V sums[rounds + 1];
    total_of<0>(x, sums);
    V const ends = append_ends<rounds - 1>(prefix_, sums);
    append(j, sums[rounds]);
    V const all = hn::IfThenElse(lane_mask(n - 1), prefix_, ends);
    // A signaling NaN that stands alone stays one.
    return j == 0 ? hn::IfThenElse(lane_mask(0), x, all) : all;
  }
  /// Passes block j.
  HWY_INLINE void pass(std::size_t j, V x) {
    V sums[rounds + 1];
    total_of<0>(x, sums);
    append(j, sums[rounds]);
  }

  /// The lanes of v one higher, and `first` in the first.
  HWY_INLINE static V moved_up(V v, V first) {
    D const d;
    hn::RebindToUnsigned<D> const du;
    auto const lower = hn::Sub(hn::Iota(du, Word{0}), hn::Set(du, Word{1}));
    auto const index = hn::And(lower, hn::Set(du, static_cast<Word>(n - 1)));
    return with_first(hn::TableLookupLanes(v, hn::IndicesFromVec(d, index)), first);
  }
  HWY_INLINE static V with_first(V v, V first) { return hn::IfThenElse(lane_mask(0), first, v); }

  /// Calls block.template run<is_last>(j, left) for each block j of a segment of `size` > 0
  /// elements, with the number of those that are left. The first blocks have code of their own.
  template <std::size_t j = 0, class Block>
  HWY_INLINE static void for_each(std::size_t left, Block& block) {
    constexpr std::size_t unrolled = 8;
    if constexpr (j < unrolled) {
      if (left <= n) {
        block.template run<true>(j, left);
      } else {
        block.template run<false>(j, left);
        for_each<j + 1>(left - n, block);
      }
    } else {
      std::size_t i = j;
      for (; left > n; left -= n) block.template run<false>(i++, left);
      block.template run<true>(i, left);
    }
  }

 private:
  static constexpr int rounds = std::countr_zero(n), levels = 10;
  using Word = hn::TFromD<hn::RebindToUnsigned<D>>;

  /// For each lane l: whether l + 1 has bit k, and where the aligned block of 2^k lanes is that
  /// ends with that bit.
  struct ends {
    alignas(64) Word has[rounds][n] = {}, first[rounds][n] = {};
    constexpr ends() {
      for (std::size_t k = 0; k < rounds; ++k)
        for (std::size_t l = 0; l < n; ++l) {
          has[k][l] = (l + 1) >> k & 1 ? ~Word{0} : Word{0};
          first[k][l] = static_cast<Word>((l + 1) >> (k + 1) << (k + 1));
        }
    }
  };
  static constexpr ends end_table = ends();

  HWY_INLINE static auto lane_mask(std::size_t lane) {
    hn::RebindToUnsigned<D> const d;
    return hn::RebindMask(D(), hn::Eq(hn::Iota(d, Word{0}), hn::Set(d, static_cast<Word>(lane))));
  }

  /// sums[k]: in each lane the total of its aligned block of 2^k lanes.
  template <int k>
  HWY_INLINE static void total_of(V x, V (&sums)[rounds + 1]) {
    sums[k] = x;
    if constexpr (k < rounds)
      total_of<k + 1>(hn::Add(x, swap<static_cast<int>(sizeof(T)) << k>(D(), x)), sums);
  }
  template <int k>
  HWY_INLINE static V append_ends(V to, V const (&sums)[rounds + 1]) {
    D const d;
    hn::RebindToUnsigned<D> const du;
    V block = sums[k];
    if constexpr (k > 0)
      block = hn::TableLookupLanes(block, hn::IndicesFromVec(d, hn::Load(du, end_table.first[k])));
    auto const has = hn::RebindMask(d, hn::MaskFromVec(hn::Load(du, end_table.has[k])));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    to = hn::IfThenElse(has, hn::Add(to, block), to);  // one instruction
#else
    to = hn::Add(to, hn::IfThenElse(has, block, hn::Set(d, T(-0.0))));
#endif
    if constexpr (k > 0)
      return append_ends<k - 1>(to, sums);
    else
      return to;
  }
  HWY_INLINE void append(std::size_t j, V total) {
    V before = prefix_;
    int k = 0;
    for (std::size_t digits = j; digits & 1; digits >>= 1, ++k) {
      total = hn::Add(total_[k], total);
      before = before_[k];
    }
    total_[k] = total;
    before_[k] = before;
    prefix_ = hn::Add(before, total);
  }

  V prefix_;
  V total_[levels], before_[levels];  // of the blocks so far: a binary counter
};

/// The elements of the last block, of which there are `left`.
template <class T>
HWY_INLINE auto load_last(T const* x, std::size_t left) {
  hn::ScalableTag<T> const d;
  return hn::MaskedLoad(hn::FirstN(d, left), d, x);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
