/// Scans on the processor: four engines that scan one tile (tree, object, fold, vector), and the
/// order in which threads apply them.
#pragma once

#include <upsweep/cpu/object_engine.hpp>
#include <upsweep/cpu/reduce.hpp>

#include <optional>
#include <utility>

namespace upsweep {

/// Where prefixes go: through the initial value into the sink.
template <class Sink, class Op, class A>
struct emitter {
  Sink const& out;
  Op const& op;
  A const* initial;  // may be null
  A const* first;    // the exclusive result at position 0

  void operator()(std::size_t position, A const& prefix) const {
    if (initial)
      out(position, op(*initial, prefix));
    else
      out(position, prefix);
  }
};

/// Any operator over accumulators that are small and copied as bytes. The up-sweep keeps the left
/// child of every inner node, in the places of the textbook's in-place algorithm: node[i] ends at
/// element i and covers as many elements as i + 1 has trailing zeros (as a power of two). The
/// down-sweep then applies the operator once for each of them.
template <scan_kind kind, class Source, class Emit, class Op>
class tree_engine {
 public:
  using A = typename Source::accumulator;

  static constexpr std::size_t parallel_cutoff = std::size_t{1} << 14;

  /// log2 of a tile: its nodes fill at most 8 KiB (serial: they stay in L1) or 64 KiB (parallel:
  /// fewer totals to exchange).
  [[nodiscard]] static int tile(bool parallel) {
    return floor_log2((parallel ? 65536 : 8192) / sizeof(A));
  }

  tree_engine(Source const& in, Emit const& emit, Op const& op, int largest, std::size_t n)
      : in_(in), emit_(emit), op_(op), node_(at_most(n, std::size_t{1} << largest)) {}

  /// The total of the block; the left children stay until down().
  A up(std::size_t position, int k) { return ascend(position, 0, k); }

  /// Emits the results of the block that up() has just seen, where `before` is the prefix up to it
  /// (null at position 0) and `after` the prefix at its end.
  void down(std::size_t position, int k, A const* before, A const& after) {
    if (before)
      descend(position, 0, k, *before, after);
    else
      descend_first(k, after);
  }

 private:
  A ascend(std::size_t position, std::size_t i, int k) {
    if (k == 0) return in_(position);
    if (k == leaf) return ascend_leaf<leaf, 0>(in_.from(position), &node_[i]);
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = ascend(position, i, k - 1);
    node_[i + half - 1].construct(left);
    return op_(left, ascend(position + half, i + half, k - 1));
  }

  /// ascend, completely unrolled.
  template <int K, int i, class Elements>
  [[gnu::always_inline]] A ascend_leaf(Elements const& x, uninitialized<A>* node) {
    if constexpr (K == 0) {
      return x(i);
    } else {
      constexpr int half = 1 << (K - 1);
      A const left = ascend_leaf<K - 1, i>(x, node);
      node[i + half - 1].construct(left);
      return op_(left, ascend_leaf<K - 1, i + half>(x, node));
    }
  }

  /// The block at position 0, which has no prefix.
  void descend_first(int k, A const& after) {
    if (k == 0) {
      if constexpr (kind == scan_kind::inclusive)
        emit_(0, after);
      else
        emit_.out(std::size_t{0}, *emit_.first);
      return;
    }
    std::size_t const half = std::size_t{1} << (k - 1);
    A const& left = node_[half - 1].value();
    descend_first(k - 1, left);
    descend(0, half, k - 1, left, after);
  }

  void descend(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
    if (k == 0) {
      emit_(position + i, kind == scan_kind::inclusive ? after : before);
    } else if (k != leaf) {
      std::size_t const half = std::size_t{1} << (k - 1);
      A const middle = op_(before, node_[i + half - 1].value());
      descend(position, i, k - 1, before, middle);
      descend(position, i + half, k - 1, middle, after);
    } else if (emit_.initial) {
      descend_leaf<leaf, 0>(&node_[i], before, after,
                            [w = emit_.out.from(position + i), this](int j, A const& prefix) {
                              w(j, op_(*emit_.initial, prefix));
                            });
    } else {
      descend_leaf<leaf, 0>(&node_[i], before, after, emit_.out.from(position + i));
    }
  }

  /// descend, completely unrolled.
  template <int K, int i, class Out>
  [[gnu::always_inline]] void descend_leaf(uninitialized<A> const* node, A const& before,
                                           A const& after, Out const& out) {
    if constexpr (K == 0) {
      out(i, kind == scan_kind::inclusive ? after : before);
    } else {
      constexpr int half = 1 << (K - 1);
      A const middle = op_(before, node[i + half - 1].value());
      descend_leaf<K - 1, i>(node, before, middle, out);
      descend_leaf<K - 1, i + half>(node, middle, after, out);
    }
  }

  static constexpr int leaf = 4;

  Source const& in_;
  Emit const& emit_;
  Op const& op_;
  uninitialized_array<A> node_;
};

/// True when a running value can take in the next element where it stands, whatever throws.
template <class Source>
inline constexpr bool folds_in_place =
    has_absorb<typename Source::operation, typename Source::accumulator,
               typename Source::transformed> ||
    std::is_move_assignable_v<typename Source::accumulator> ||
    std::is_nothrow_move_constructible_v<typename Source::accumulator>;

/// Exactly associative operators: the running value, element by element. Twice through a tile on
/// several threads, once on one.
template <scan_kind kind, class Source, class Emit, class Op>
class fold_engine {
 public:
  using A = typename Source::accumulator;
  static constexpr std::size_t parallel_cutoff = std::size_t{1} << 14;
  [[nodiscard]] static int tile(bool) { return 14; }

  fold_engine(Source const& in, Emit const& emit, Op const& op, int, std::size_t)
      : in_(in), emit_(emit), op_(op) {}

  A up(std::size_t position, int k) {
    A total = in_(position);
    in_.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  }
  void down(std::size_t position, int k, A const* before, A const&) {
    run(position, position + (std::size_t{1} << k), before);
  }

  /// Emits the results of [position, end), whose prefix up to it is `before` (null at position 0).
  /// The initial value enters once: for an exact operator, initial op (a op b) is (initial op a) op
  /// b.
  void run(std::size_t position, std::size_t end, A const* before) {
    if (before)
      return run(position, end, emit_.initial ? A(op_(*emit_.initial, *before)) : *before);
    if (emit_.initial) return run(position, end, A(*emit_.initial));
    A running = in_(position);
    if constexpr (kind == scan_kind::inclusive)
      emit_.out(position, running);
    else
      emit_.out(position, *emit_.first);
    run(position + 1, end, std::move(running));
  }

 private:
  void run(std::size_t position, std::size_t end, A running) {
    for (; position < end; ++position) {
      if constexpr (kind == scan_kind::inclusive) {
        in_.absorb_into(running, position, position + 1);
        emit_.out(position, std::as_const(running));
      } else {
        auto const x = in_.value(position);  // in place, the result takes its place
        emit_.out(position, std::as_const(running));
        in_.absorb_value(running, x, position);
      }
    }
  }

  Source const& in_;
  Emit const& emit_;
  Op const& op_;
};

/// Built-in operators over built-in types in contiguous memory: the vector kernels of the compiled
/// core.
template <scan_kind kind, class Source, class Emit, class Op>
class vector_engine {
 public:
  using A = typename Source::accumulator;
  /// 16 MiB of input, as much output again, and neither stays in the caches. Below, several threads
  /// would first have to fetch the lines of the output from each other's caches, at a tenth of the
  /// speed of memory (docs/design/0002-cpu.md).
  static constexpr std::size_t beyond_caches =
      (std::size_t{1} << 24) / sizeof(typename Source::element);
  static constexpr std::size_t parallel_cutoff = beyond_caches;

  /// log2 of 256 KiB of elements: the tile's second reading comes from L2.
  [[nodiscard]] static int tile(bool) {
    return floor_log2((std::size_t{1} << 18) / sizeof(typename Source::element));
  }

  vector_engine(Source const& in, Emit const& emit, Op const& op, int, std::size_t n)
      : in_(in), emit_(emit), op_(op) {
    bool const in_place =
        static_cast<void const*>(in.pointer(0)) == static_cast<void const*>(emit.out.pointer(0));
    stores_ = !in_place && n >= beyond_caches ? simd::stores::streamed : simd::stores::cached;
  }

  A up(std::size_t position, int k) { return block_total(in_, position, k, op_); }
  /// During the next down(), fetches the block of the same size at `position`: its reading overlaps
  /// with this one's writing.
  void expect(std::size_t position) { ahead_ = in_.pointer(position); }
  void down(std::size_t position, int k, A const* before, A const& after) {
    run(position, position + (std::size_t{1} << k), before, std::exchange(ahead_, nullptr));
    finish(position, k, after);
  }
  /// What up() and down() do, in one pass over memory. What is left for finish() is the last
  /// inclusive result.
  A pass(std::size_t position, int k, A const* before)
    requires simd::scan_gives_total<Op, typename Source::element>
  {
    A total;
    run(position, position + (std::size_t{1} << k), before, nullptr, &total);
    return total;
  }
  void finish(std::size_t position, int k, A const& after) {
    if constexpr (kind == scan_kind::inclusive) emit_(position + (std::size_t{1} << k) - 1, after);
  }
  void run(std::size_t position, std::size_t end, A const* before,
           typename Source::element const* ahead = nullptr, A* total = nullptr) {
    simd::scan<kind, Op>(in_.pointer(position), emit_.out.pointer(position), end - position, before,
                         emit_.initial, stores_, ahead, total);
    if constexpr (kind == scan_kind::exclusive)
      if (!before) emit_.out(position, *emit_.first);
  }

 private:
  Source const& in_;
  Emit const& emit_;
  Op const& op_;
  simd::stores stores_;
  typename Source::element const* ahead_ = nullptr;
};

/// Pushes [left.position(), end) to `left` and emits its results, on the calling thread.
template <class Engine, class Source, class Emit, class Op>
void scan_serially(Source const& in, Emit const& emit, std::size_t end, Op const& op,
                   carry<typename Source::accumulator>& left) {
  using A = typename Source::accumulator;
  constexpr bool one_pass =
      requires(Engine& engine) { engine.pass(std::size_t{}, int{}, left.prefix()); };
  int const largest = one_pass ? 62 : Engine::tile(false);
  Engine engine(in, emit, op, largest, end - left.position());
  block_sequence const blocks(left.position(), end, largest);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const [position, k] = blocks[b];
    if constexpr (one_pass) {
      left.push(k, engine.pass(position, k, left.prefix()), op);
      engine.finish(position, k, *left.prefix());
    } else {
      A total = engine.up(position, k);
      std::optional<A> before;
      if (left.prefix()) before.emplace(*left.prefix());
      left.push(k, std::move(total), op);
      engine.down(position, k, before ? &*before : nullptr, *left.prefix());
    }
  }
}

/// The same on `threads` threads. Each thread publishes its tile's total, pushes the totals of all
/// tiles up to its own to a carry of its own, and then scans the tile, whose elements (or nodes)
/// are still in its cache.
template <class Engine, class Source, class Emit, class Op>
void scan_in_parallel(Source const& in, Emit const& emit, std::size_t end, Op const& op,
                      int threads, carry<typename Source::accumulator>& left) {
  using A = typename Source::accumulator;
  std::size_t const n = end - left.position();
  int const largest = tile_log2(n, threads, Engine::tile(true));
  block_sequence const blocks(left.position(), end, largest);
  tile_board<A> board(blocks.size());
  carry<A> last;
  constexpr bool fetches_ahead = requires(Engine& engine) {
    engine.expect(std::size_t{});
  };  // then a tile is taken one tile early
  auto scan_tile = [&](Engine& engine, carry<A>& mine, std::size_t& seen, std::size_t tile,
                       std::optional<std::size_t> next) {
    auto const [position, k] = blocks[tile];
    A const total = engine.up(position, k);
    board.publish(tile, total);
    for (; seen < tile; ++seen) {
      A const* const earlier = board.total(seen);
      if (!earlier) return;
      mine.push(blocks[seen].k, *earlier, op);
    }
    std::optional<A> before;
    if (mine.prefix()) before.emplace(*mine.prefix());
    mine.push(k, total, op);
    seen = tile + 1;
    if constexpr (fetches_ahead)
      if (next && blocks[*next].k == k) engine.expect(blocks[*next].position);
    engine.down(position, k, before ? &*before : nullptr, *mine.prefix());
    if (tile + 1 == blocks.size()) last = mine;
  };
  auto work = [&](int) {
    auto tile = board.take();
    if (!tile) return;
    try {
      Engine engine(in, emit, op, largest, n);
      carry<A> mine(left);
      std::size_t seen = 0;
      while (tile) {
        std::optional<std::size_t> next;
        if constexpr (fetches_ahead) next = board.take();
        scan_tile(engine, mine, seen, *tile, next);
        tile = fetches_ahead ? next : board.take();
      }
    } catch (...) {
      board.fail(*tile);
    }
  };
  threads::run(threads, work);
  board.rethrow();
  left = last;
}

/// Which engine scans from `Source` to `Sink`.
template <scan_kind kind, class Source, class Sink, class Emit, class Op>
auto choose_engine() {
  using A = typename Source::accumulator;
  if constexpr (compiled::scans<Source, Sink>)
    return std::type_identity<vector_engine<kind, Source, Emit, Op>>{};
  else if constexpr (is_exact<Op, A> && folds_in_place<Source>)
    return std::type_identity<fold_engine<kind, Source, Emit, Op>>{};
  else if constexpr (large_accumulator<A> || !std::is_trivially_copy_constructible_v<A> ||
                     !std::is_trivially_move_constructible_v<A> ||
                     !std::is_trivially_destructible_v<A>)
    return std::type_identity<object_engine<kind, Source, Emit, Op>>{};
  else
    return std::type_identity<tree_engine<kind, Source, Emit, Op>>{};
}

/// Pushes a chunk of n elements to `left` and emits its results, on up to `threads` threads (0: all
/// available).
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(Source const& in, Sink const& out, std::size_t n, Op const& op, int threads,
                   A const* initial, A const* first, carry<A>& left) {
  emitter<Sink, Op, A> const emit{out, op, initial, first};
  using Engine =
      typename decltype(choose_engine<kind, Source, Sink, emitter<Sink, Op, A>, Op>())::type;
  int const count = threads::team_size(n, Engine::parallel_cutoff, Sink::packed ? 1 : threads);
  std::size_t const end = left.position() + n;
  if (count > 1)
    scan_in_parallel<Engine>(in, emit, end, op, count, left);
  else
    scan_serially<Engine>(in, emit, end, op, left);
}

/// Scans a whole array of n elements, on up to `threads` threads (0: all available).
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(Source const& in, Sink const& out, std::size_t n, Op const& op, int threads,
             A const* initial, A const* first) {
  emitter<Sink, Op, A> const emit{out, op, initial, first};
  using Engine =
      typename decltype(choose_engine<kind, Source, Sink, emitter<Sink, Op, A>, Op>())::type;
  int const count = threads::team_size(n, Engine::parallel_cutoff, Sink::packed ? 1 : threads);
  if constexpr (requires(Engine& engine) { engine.run(std::size_t{}, n, first); }) {
    if (count <= 1) return Engine(in, emit, op, Engine::tile(false), n).run(0, n, nullptr);
  }
  carry<A> left;
  if (count > 1)
    scan_in_parallel<Engine>(in, emit, n, op, count, left);
  else
    scan_serially<Engine>(in, emit, n, op, left);
}

}  // namespace upsweep
