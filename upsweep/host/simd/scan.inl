/// The scan of one tile in the tree's order, once for each SIMD target.
///
/// Blocks are processed in groups of four (more made the loop 1.5 times slower in DRAM). The prefix
/// of the next group comes from a binary counter of group totals, which are kept broadcast in
/// registers, so the loop extracts no lanes. The rest at the end uses smaller and smaller blocks.

#if defined(UPSWEEP_SIMD_SCAN) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SCAN
#undef UPSWEEP_SIMD_SCAN
#else
#define UPSWEEP_SIMD_SCAN
#endif

#include <upsweep/host/simd/blocks.inl>
#include <upsweep/host/simd/kernels.hpp>
#include <upsweep/host/simd/streaming.inl>

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

template <class Op, class Codec>
class tile_scan {
 public:
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  using lane = typename Codec::lane;

#if UPSWEEP_SIMD_VECTORS
  using block = vector_block<Op, Codec, hn::ScalableTag<lane>>;
  using small_block = vector_block<Op, Codec, hn::CappedTag<lane, 16 / sizeof(lane)>>;
  // A pair needs twice the registers.
  static constexpr std::size_t blocks_in_group = sizeof(scalar) > sizeof(lane) ? 2 : 4;
#else
  using block = scalar_block<Op, Codec, 4>;
  using small_block = scalar_block<Op, Codec, 3>;
  static constexpr std::size_t blocks_in_group = 1;
#endif
  using value = typename block::value;
  using raised = typename block::raised;
  static constexpr std::size_t group = blocks_in_group * block::elements;

  /// `prefix` and `initial` may be null.
  HWY_INLINE tile_scan(scan_kind kind, scalar const* prefix, scalar const* initial)
      : inclusive_(kind == scan_kind::inclusive),
        has_prefix_(prefix != nullptr),
        initial_(initial) {
    if (prefix)
      prefix_ = *prefix;
    else if constexpr (Op::has_neutral)
      prefix_ = Op::template neutral<scalar>();
  }

  /// Returns the total of the tile if it is available at no cost: if n is a power of two and at
  /// least `group`, or the tile is the first.
  HWY_INLINE scalar run(memory const* x, memory* out, std::size_t n, stores where,
                        memory const* ahead) {
    bool const is_first = !has_prefix_;
    scalar total{};
    std::size_t done = 0;
    if constexpr (!Op::has_neutral)
      if (!has_prefix_) done = run_start(x, out, n);
    if (n - done >= group) {
      group_state state;
      begin(state, done);
      state.ahead = ahead;
      std::size_t const groups = (n - done) / group;
      run_all_groups(x + done, out + done, groups, where, state);
      done += groups * group;
      prefix_ = block::first(state.prefix);
      total = block::first(state.total[log2_floor(groups)]);
    }
    run_rest(x + done, out + done, n - done);
    return is_first ? prefix_ : total;
  }

 private:
  /// The binary counter: for each digit of the number of groups so far, the total and the exclusive
  /// prefix of its groups.
  struct group_state {
    std::size_t count = 0;
    bool inclusive;
    bool from_start = false;  // the tile has no prefix
    value prefix;             // of the next group
    value initial;
    value const* initial_if_any;
    memory const* ahead;  // may be null
    value total[58];
    value before[58];
    HWY_INLINE group_state() {}
  };

  HWY_INLINE static int log2_floor(std::size_t n) { return 63 - __builtin_clzll(n); }

  HWY_INLINE static value push(group_state& s, value total) {
    int k = 0;
    value before = s.prefix;
    for (std::size_t digits = s.count; digits & 1; digits >>= 1, ++k) {
      total = block::combine(s.total[k], total);
      before = s.before[k];
    }
    s.total[k] = total;
    ++s.count;
    if constexpr (!Op::has_neutral)
      if (s.from_start && (s.count & (s.count - 1)) == 0) return total;
    s.before[k] = before;
    return block::combine(before, total);
  }

  HWY_INLINE void begin(group_state& s, std::size_t done) {
    s.inclusive = inclusive_;
    s.prefix = block::spread(prefix_);
    if (done != 0) {  // by run_start
      s.from_start = true;
      s.count = 1;
      s.total[0] = s.prefix;
    }
    if (initial_) s.initial = block::spread(*initial_);
    s.initial_if_any = initial_ ? &s.initial : nullptr;
  }

  /// The prefixes of a group's blocks, followed by that of the next group.
  HWY_INLINE static void find_prefixes(group_state& s, raised const (&u)[blocks_in_group],
                                       value (&p)[blocks_in_group + 1]) {
    p[0] = s.prefix;
    value total = u[0].total;
    if constexpr (blocks_in_group > 1) {
      p[1] = block::combine(p[0], total);
      total = block::combine(total, u[1].total);
    }
    if constexpr (blocks_in_group > 2) {
      p[2] = block::combine(p[0], total);
      p[3] = block::combine(p[2], u[2].total);
      total = block::combine(total, block::combine(u[2].total, u[3].total));
    }
    s.prefix = push(s, total);
    p[blocks_in_group] = s.prefix;
  }

  /// Prefetches one group of this thread's next tile into L2, so that reading it overlaps with
  /// writing this tile.
  HWY_INLINE static void prefetch_group(group_state& s) {
    if (!s.ahead) return;
    constexpr int to_l2 = 2;
    for (std::size_t byte = 0; byte < group * sizeof(memory); byte += 64)
      __builtin_prefetch(reinterpret_cast<unsigned char const*>(s.ahead) + byte, 0, to_l2);
    s.ahead += group;
  }

  /// Interleaves the up-sweep of the next group with the down-sweep of this one, block by block, to
  /// hide latencies.
  template <class Output, class Flag, std::size_t... i>
  HWY_NOINLINE static void run_groups(memory const* x, memory* out, std::size_t groups,
                                      group_state& s, Flag inclusive, std::index_sequence<i...>) {
    constexpr std::size_t b = block::elements;
    value const* const initial = s.initial_if_any;
    Output output(out);
    raised u[] = {block::up(x + i * b)...};
    value p[blocks_in_group + 1];
    for (bool more = true; more;) {
      find_prefixes(s, u, p);
      prefetch_group(s);
      x += group;
      more = --groups != 0;
      ((block::down(u[i], p[i], p[i + 1], initial, inclusive, output),
        more ? void(u[i] = block::up(x + i * b)) : void()),
       ...);
    }
    output.finish();
  }
  template <class Output>
  HWY_INLINE static void run_groups(memory const* x, memory* out, std::size_t groups,
                                    group_state& s) {
    constexpr std::make_index_sequence<blocks_in_group> blocks;
    if (s.inclusive)
      run_groups<Output>(x, out, groups, s, std::true_type(), blocks);
    else
      run_groups<Output>(x, out, groups, s, std::false_type(), blocks);
  }

  /// Elements of 8 and 16 bits are never streamed: for them the kernel is slower than memory.
  HWY_INLINE static void run_all_groups(memory const* x, memory* out, std::size_t groups,
                                        [[maybe_unused]] stores where, group_state& s) {
#if UPSWEEP_SIMD_VECTORS
    if constexpr (sizeof(memory) >= sizeof(lane)) {
      if (where == stores::streamed && groups > 1) {
        run_groups<cached_output>(x, out, 1,
                                  s);  // writes the start of streamed_output's first line
        return run_groups<streamed_output<lane>>(x + group, out + group, groups - 1, s);
      }
    }
#endif
    run_groups<cached_output>(x, out, groups, s);
  }

  /// Without a prefix and a neutral value: scans the first group, or all elements if they are
  /// fewer. Each run is as long as all runs before it, so that every run after the first has a
  /// prefix and starts at a multiple of its size. Returns the number of elements scanned.
  HWY_INLINE std::size_t run_start(memory const* x, memory* out, std::size_t n) {
    constexpr std::size_t first = small_block::elements;
    if (n < first) {
      run_digits<log2_of(first) - 1>(x, out, n);
      return n;
    }
    run_digit<log2_of(first)>(x, out);
    std::size_t done = first;
    while (done < group && done < n) {
      std::size_t const more = n - done < done ? n - done : done;
      run_rest(x + done, out + done, more);
      done += more;
    }
    return done;
  }

  /// The last elements, fewer than a group.
  HWY_INLINE void run_rest(memory const* x, memory* out, std::size_t n) {
    if constexpr (blocks_in_group > 1) run_blocks<block>(x, out, n);
    if constexpr (small_block::elements < block::elements) run_blocks<small_block>(x, out, n);
    run_digits<log2_of(small_block::elements) - 1>(x, out, n);
  }

  /// Scans as many whole blocks as there are, at most three.
  template <class Block>
  HWY_INLINE void run_blocks(memory const*& x, memory*& out, std::size_t& n) {
    if (n < Block::elements) return;
    auto prefix = Block::spread(prefix_);
    auto const initial = Block::spread(initial_ ? *initial_ : prefix_);
    auto even_prefix = prefix, even_total = prefix;
    cached_output output(out);
    for (bool odd = false; n >= Block::elements; odd = !odd) {
      auto const u = Block::up(x);
      auto const next = odd ? Block::combine(even_prefix, Block::combine(even_total, u.total))
                            : Block::combine(prefix, u.total);
      even_prefix = prefix;
      even_total = u.total;
      Block::down(u, prefix, next, initial_ ? &initial : nullptr, inclusive_, output);
      prefix = next;
      x += Block::elements;
      out += Block::elements;
      n -= Block::elements;
    }
    prefix_ = Block::first(prefix);
  }

  /// Scans n < 2^(K+1) elements, a block for each set bit of n.
  template <int K>
  HWY_INLINE void run_digits(memory const* x, memory* out, std::size_t n) {
    if (n >> K & 1) {
      run_digit<K>(x, out);
      x += std::size_t{1} << K;
      out += std::size_t{1} << K;
    }
    if constexpr (K > 0) run_digits<K - 1>(x, out, n);
  }

  template <int K>
  HWY_INLINE void run_digit(memory const* x, memory* out) {
    using digit = scalar_block<Op, Codec, K>;
    auto const u = digit::up(x);
    cached_output output(out);
    if constexpr (!Op::has_neutral) {
      if (!has_prefix_) {
        has_prefix_ = true;
        prefix_ = u.total;
        return digit::template down<false>(u, prefix_, u.total, initial_, inclusive_, output);
      }
    }
    scalar const next = Op::on_scalars(prefix_, u.total);
    digit::down(u, prefix_, next, initial_, inclusive_, output);
    prefix_ = next;
  }

  bool inclusive_;
  bool has_prefix_;
  scalar prefix_;
  scalar const* initial_;
};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
