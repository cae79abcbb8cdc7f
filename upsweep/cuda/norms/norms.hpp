/// Functions of lines with the bits of the CPU: softmax, norms, variances and gradients.
/// One read of each element and of each gradient, one store of each result · 1 launch
/// Of lines that are too long for a block, a read for each reduction besides · 2 or 3 launches
/// docs/design/0020-lines-on-a-gpu.md
///
/// A block has a line in registers. Of a longer line it has a part: the first kernels leave the
/// totals of parts, from which the later ones compute the numbers of the line.
#pragma once

#include <upsweep/core/line_formulas.hpp>
#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/norms/block.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace upsweep::device {

using namespace upsweep::detail::line_formulas;

inline constexpr unsigned line_items = 8;                ///< of a thread
inline constexpr unsigned line_chunk = 32 * line_items;  ///< of a warp

/// Elements of `count` lines one after another, each of `size`; `parts` of them for a block each.
template <class E, class A>
struct line_call {
  E const* x;
  E const* gradient;  ///< of the results
  E const* weight;    ///< of the elements of each line, or null
  A* numbers;         ///< [2, count]: shifts and scales, which gradients read
  E* out;
  std::size_t count, size;
  line_given<A> given;
  bool vectors;        ///< all lines are aligned to 16 bytes
  unsigned parts = 1;  ///< of a line
  A* totals[2] = {};   ///< of parts, `room` for each line: of the first reduction and of the second
};
/// Where a line's totals are: those of whole parts, then of the blocks of the last one.
inline constexpr unsigned line_room(unsigned parts) {
  return parts + 13;
}

/// The part of a line that a block of `threads` has.
template <class E, class A>
class line_part {
  static constexpr unsigned items = vector_items<E>(line_items), rows = line_items / items;

 public:
  using sum = block_sum<items, rows, A>;

  __device__ line_part(line_call<E, A> const& call, std::size_t line, unsigned part,
                       unsigned threads)
      : call_(call), line_(line), first_(std::size_t{part} * threads * line_items) {
    std::size_t const left = call.size - first_;
    count_ = left < threads * line_items ? static_cast<unsigned>(left) : threads * line_items;
  }
  /// The number of elements.
  [[nodiscard]] __device__ unsigned count() const { return count_; }

  /// Elements of `from`, a pointer to the first line; of those after the end, any.
  __device__ void load(E const* from, E (&x)[line_items]) const {
    element_input<E const*> const in{from, call_.vectors};
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      E row[items] = {};
      in.template load<items>(at(r), call_.size, row);
#pragma unroll
      for (unsigned j = 0; j < items; ++j) x[r * items + j] = row[j];
    }
  }
  __device__ void load_line(E const* from, E (&x)[line_items]) const {
    load(from + line_ * call_.size, x);
  }
  __device__ void store(A const (&y)[line_items]) const {
    E* const out = call_.out + line_ * call_.size;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A row[items];
#pragma unroll
      for (unsigned j = 0; j < items; ++j) row[j] = y[r * items + j];
      if constexpr (items > 1) {
        if (call_.vectors && at(r) + items <= call_.size) {
          simt::pointer_cast<vector_of<E, items>>(out + at(r))[0] = packed_elements<E>(row);
          continue;
        }
      }
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (at(r) + j < call_.size) out[at(r) + j] = static_cast<E>(row[j]);
    }
  }
  /// Whether element i of the thread is before the end of the line.
  [[nodiscard]] __device__ bool has(unsigned i) const {
    return at(i / items) + i % items < call_.size;
  }

 private:
  /// The position of row r of the thread in the line.
  [[nodiscard]] __device__ std::size_t at(unsigned r) const {
    unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return first_ + warp * line_chunk + (r * 32 + lane) * items;
  }

  line_call<E, A> const& call_;
  std::size_t line_, first_;
  unsigned count_;
};

/// What a block does with a line or a part of it.
template <class F, class E, class A>
class line_work {
  static constexpr unsigned n = line_items;
  /// 16-bit elements are kept as numbers, others as they are, unless their exponentials are.
  using number_or_element = std::conditional_t<sizeof(E) == 2, A, E>;
  using kept = std::conditional_t<F::has_exponential, A, number_or_element>;

 public:
  __device__ line_work(line_call<E, A> const& call, std::size_t line, unsigned part,
                       unsigned threads)
      : call_(call), part_(call, line, part, threads), line_(line) {
    part_.load_line(call.x, x_);
    if constexpr (F::is_gradient && !F::of_lines) part_.load_line(call.gradient, g_);
    if constexpr (F::is_gradient) {
      numbers_.shift = call.numbers[line];
      numbers_.scale = call.numbers[call.count + line];
    }
  }
  [[nodiscard]] __device__ line_part<E, A> const& part() const { return part_; }
  [[nodiscard]] __device__ line_numbers<A>& numbers() { return numbers_; }

  /// The largest element of the thread.
  [[nodiscard]] __device__ A largest() const {
    A largest = -std::numeric_limits<A>::infinity();
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      if (part_.has(i)) largest = larger_or_nan(largest, static_cast<A>(x_[i]));
    return largest;
  }
  /// The elements themselves, as terms of the first reduction.
  __device__ void elements(A (&terms)[n]) const {
#pragma unroll
    for (unsigned i = 0; i < n; ++i) terms[i] = static_cast<A>(x_[i]);
  }
  /// From now on the shift is known.
  __device__ void keep() {
#pragma unroll
    for (unsigned i = 0; i < n; ++i) {
      if constexpr (F::has_exponential)
        kept_[i] = exponential(F::exponent(static_cast<A>(x_[i]), numbers_));
      else
        kept_[i] = static_cast<number_or_element>(x_[i]);
    }
    if constexpr (F::is_gradient && F::is_weighted) weigh_gradients();
  }
  __device__ void terms(A (&terms)[n]) const {
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      terms[i] = F::term(static_cast<A>(kept_[i]), gradient(i), numbers_, call_.given);
  }
  __device__ void store() const {
    A results[n];
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      results[i] = F::result(static_cast<A>(kept_[i]), gradient(i), numbers_, call_.given);
    if constexpr (F::is_weighted && !F::is_gradient)
      if (call_.weight != nullptr) {
        E weight[n];
        part_.load(call_.weight, weight);
#pragma unroll
        for (unsigned i = 0; i < n; ++i)
          results[i] = upsweep::detail::product(results[i], static_cast<A>(weight[i]));
      }
    part_.store(results);
  }
  /// Leaves the numbers for the gradients, by one thread of the line.
  __device__ void store_numbers() const {
    call_.numbers[line_] = numbers_.shift;
    call_.numbers[call_.count + line_] = numbers_.scale;
  }

 private:
  [[nodiscard]] __device__ A gradient(unsigned i) const {
    if constexpr (!F::is_gradient)
      return A{};
    else if constexpr (F::of_lines)
      return static_cast<A>(call_.gradient[line_]);
    else if constexpr (F::is_weighted)
      return weighted_[i];
    else
      return static_cast<A>(g_[i]);
  }
  __device__ void weigh_gradients() {
#pragma unroll
    for (unsigned i = 0; i < n; ++i) weighted_[i] = static_cast<A>(g_[i]);
    if (call_.weight == nullptr) return;
    E weight[n];
    part_.load(call_.weight, weight);
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      weighted_[i] = upsweep::detail::product(weighted_[i], static_cast<A>(weight[i]));
  }

  line_call<E, A> const& call_;
  line_part<E, A> part_;
  std::size_t line_;
  line_numbers<A> numbers_{};
  E x_[n], g_[n];
  kept kept_[n];
  A weighted_[n];
};

/// Of lines of at most as many elements as 1024 threads take, a block for each.
template <class F, class E, class A>
__global__ void __launch_bounds__(1024) whole_lines(line_call<E, A> call) {
  using sum = typename line_part<E, A>::sum;
  __shared__ block_memory<A> memory[2];
  wait_for_earlier_work();
  line_work<F, E, A> work(call, blockIdx.x, 0, blockDim.x);
  unsigned const count = work.part().count();
  A terms[line_items];
  line_numbers<A>& numbers = work.numbers();
  if constexpr (F::first == first_reduction::max) {
    numbers.shift = block_max(work.largest(), memory[0]);
  } else if constexpr (F::first == first_reduction::sum) {
    work.elements(terms);
    numbers.shift = sum(terms, count, memory[0]).value() / call.given.size;
  }
  work.keep();
  if constexpr (F::has_terms) {
    work.terms(terms);
    F::finish(sum(terms, count, memory[1]).value(), numbers, call.given);
  }
  if constexpr (F::has_results) work.store();
  if (!F::is_gradient && threadIdx.x == 0) work.store_numbers();
}

/// The sum of a line from the totals of its parts, of which a block of `threads` has each.
template <class E, class A>
__device__ A sum_of_parts(line_call<E, A> const& call, A const* totals, unsigned threads,
                          block_memory<A>& memory) {
  using parts_sum = block_sum<1, 1, A>;
  using part_sum = typename line_part<E, A>::sum;
  std::size_t const size = std::size_t{threads} * line_items;
  auto const whole = static_cast<unsigned>(call.size / size);
  A total[1] = {threadIdx.x < whole ? totals[threadIdx.x] : A{}};
  auto sum = parts_sum(total, whole, memory).appended_to(typename parts_sum::prefix(A{}, false));
  unsigned const blocks = part_sum::blocks_of(static_cast<unsigned>(call.size % size));
  for (unsigned k = 0; k < blocks; ++k) sum.append(totals[whole + k], plus{});
  return sum.value();
}
template <class E, class A>
__device__ A max_of_parts(line_call<E, A> const& call, A const* maxima, block_memory<A>& memory) {
  return block_max(
      threadIdx.x < call.parts ? maxima[threadIdx.x] : -std::numeric_limits<A>::infinity(), memory);
}

/// Of longer lines, a block of `threads` for each part: the first reduction, the second, and the
/// results are a launch each. A line has at most as many parts as a block has threads.
enum class line_phase { first, second, results };
template <class F, line_phase phase, unsigned threads, class E, class A>
__global__ void __launch_bounds__(threads) parts_of_lines(line_call<E, A> call) {
  using enum line_phase;
  using sum = typename line_part<E, A>::sum;
  __shared__ block_memory<A> memory[2];
  wait_for_earlier_work();
  std::size_t const line = blockIdx.x / call.parts;
  unsigned const part = blockIdx.x % call.parts;
  line_work<F, E, A> work(call, line, part, threads);
  line_numbers<A>& numbers = work.numbers();
  A* totals[2];
  for (unsigned k = 0; k < 2; ++k) totals[k] = call.totals[k] + line * line_room(call.parts);
  // The totals of this part, after those of the parts before it.
  auto const leave = [&](A(&terms)[line_items], A* to) {
    sum(terms, work.part().count(), memory[1]).each_block([&](unsigned k, A const& total) {
      to[part + k] = total;
    });
  };
  A terms[line_items];
  if constexpr (phase == first) {
    if constexpr (F::first == first_reduction::max) {
      A const largest = block_max(work.largest(), memory[1]);
      if (threadIdx.x == 0) totals[0][part] = largest;
    } else {
      work.elements(terms);
      leave(terms, totals[0]);
    }
    return;
  }
  if constexpr (F::first == first_reduction::max)
    numbers.shift = max_of_parts(call, totals[0], memory[0]);
  else if constexpr (F::first == first_reduction::sum)
    numbers.shift = sum_of_parts(call, totals[0], threads, memory[0]) / call.given.size;
  if constexpr (phase == second) {
    work.keep();
    work.terms(terms);
    leave(terms, totals[1]);
    return;
  }
  if constexpr (F::has_terms)
    F::finish(sum_of_parts(call, totals[1], threads, memory[1]), numbers, call.given);
  if constexpr (F::has_results) {
    work.keep();
    work.store();
  }
  if (!F::is_gradient && part == 0 && threadIdx.x == 0) work.store_numbers();
}

}  // namespace upsweep::device
