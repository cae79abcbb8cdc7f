/// For the checkers of exercises: what a run is asked to do, device memory, operators whose
/// applications are counted, and expectations. docs/exercises.md shows how to write a checker.
///
/// `upsweep grade` compiles it for the emulator; nvcc compiles it too, and then the program prints
/// the lines that the grader would read:  ./a.out CASE SEED SIZE...
///
/// `upsweep prove` defines UPSWEEP_CHECK_INTERVALS: every operator then joins intervals, and
/// element i of a run is [i, i + 1).
#pragma once

#include <cuda_runtime.h>
#ifdef UPSWEEP_CHECK_INTERVALS
#include "upsweep_intervals.h"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" {
/// Takes a line about the run; returns 0 if nobody reads it. Defined by the tool.
int upsweep_check_say(char const* line) __attribute__((weak));
/// Whether the emulator has found nothing wrong so far.
int upsweep_check_is_clean(void) __attribute__((weak));
}

namespace check {

/// One line for the grader; its fields are separated by tabs.
inline void say(std::string const& line) {
  if (upsweep_check_say != nullptr && upsweep_check_say(line.c_str()) != 0) return;
  std::printf("%s\n", line.c_str());
}
inline std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\t' || c == '\n') c = ' ';
  return text;
}

/// An element as a message shows it. Overload it for user-defined types.
template <class T>
std::string text_of(T const& x) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(x));
    return text;
  } else {
    return std::to_string(x);
  }
}

/// An array in device memory; `name` is what messages call it.
template <class T>
class device {
 public:
  device(char const* name, std::size_t count) : count_(count) {
#ifdef __NVCC__
    (void)name;
    (void)cudaMalloc(&data_, count * sizeof(T));
#else
    void* place = nullptr;
    (void)upsweep_emulated_allocate(&place, count * sizeof(T), sizeof(T), name, 0);
    data_ = static_cast<T*>(place);
#endif
  }
  device(char const* name, std::vector<T> const& values) : device(name, values.size()) {
    (void)cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~device() { (void)cudaFree(data_); }
  device(device const&) = delete;
  device& operator=(device const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  /// A copy on the host.
  std::vector<T> values() const {
    std::vector<T> all(count_);
    (void)cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// One run of a case at one size.
class run {
 public:
  std::size_t const n;  ///< the size

  run(std::string which, std::size_t size, std::uint64_t seed)
      : n(size), case_(std::move(which)), state_(seed * 0xd1342543de82ef95u) {}

  /// Whether the run is of the case that exercise.json calls `name`.
  bool is(char const* name) const { return case_ == name; }

  /// The next random number; SplitMix64.
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) >> 8;
  }
  /// `count` random integers from `low` to `high`, as elements of type T.
  template <class T>
  std::vector<T> numbers(std::size_t count, long long low, long long high) {
    std::vector<T> all(count);
    auto const values = static_cast<std::uint64_t>(high - low) + 1;
    for (T& x : all) x = static_cast<T>(low + static_cast<long long>(random() % values));
    return all;
  }
  /// `count` random elements for an operator of this header.
  template <class Op>
  std::vector<typename Op::element> elements(std::size_t count, Op const& op) {
    shows_maps_ = Op::is_map;
    std::vector<typename Op::element> all(count);
#ifdef UPSWEEP_CHECK_INTERVALS
    for (std::size_t i = 0; i < count; ++i) all[i] = op.element_at(i);
#else
    for (auto& x : all) x = op.random_element(random());
#endif
    return all;
  }

  /// Every element of `got` must equal that of `wanted`; `advice` is shown if not.
  template <class T>
  void expect(char const* what, std::vector<T> const& got, std::vector<T> const& wanted,
              std::string const& advice = {}) {
    expects_ = true;
    if (got.size() != wanted.size())
      return wrong(std::string(what) + " should have " + std::to_string(wanted.size()) +
                   " elements but has " + std::to_string(got.size()));
    std::size_t first = got.size(), count = 0;
    for (std::size_t i = got.size(); i-- > 0;)
      if (!(got[i] == wanted[i])) first = i, ++count;
    if (count == 0) return;
    unsigned char untouched[sizeof(T)];
    std::memset(untouched, 0xff, sizeof untouched);
    bool const blank =
        std::memcmp(&got[first], untouched, sizeof untouched) == 0 && !is_poison(wanted[first]);
    report(first, got.size(),
           std::string(what) + '[' + std::to_string(first) + "] should be " + shown(wanted[first]) +
               " but is " + shown(got[first]) + (blank ? ", as if it had never been written" : "") +
               (count > 1 ? "; " + std::to_string(count) + " of " + std::to_string(got.size()) +
                                " elements are wrong"
                          : std::string()),
           advice);
  }
  template <class T>
  void expect(char const* what, device<T> const& got, std::vector<T> const& wanted,
              std::string const& advice = {}) {
    if (!launches_failed()) expect(what, got.values(), wanted, advice);
  }
  /// A single number.
  template <class T>
  void expect_value(char const* what, T const& got, T const& wanted,
                    std::string const& advice = {}) {
    expects_ = true;
    if (!(got == wanted))
      wrong(std::string(what) + " should be " + shown(wanted) + " but is " + shown(got), advice);
  }
  /// Anything else that is wrong, as a sentence.
  void wrong(std::string const& sentence, std::string const& advice = {}) {
    report(0, 0, sentence, advice);
  }

  /// For main(): whether something was expected, and nothing was wrong.
  bool ended() {
    if (!launches_failed() && !expects_) wrong("check.cu expects nothing in this case");
    return is_right_ && (upsweep_check_is_clean == nullptr || upsweep_check_is_clean() != 0);
  }

 private:
  template <class T>
  std::string shown(T const& x) const {
    if constexpr (std::is_same_v<T, unsigned long long>) {
#ifdef UPSWEEP_CHECK_INTERVALS
      return upsweep::intervals::text_of(x);
#endif
      if (shows_maps_) return text_of(x >> 32) + "x+" + text_of(x & 0xffffffff);
    }
    return text_of(x);
  }
  template <class T>
  static bool is_poison(T const& x) {
    unsigned char bytes[sizeof(T)];
    std::memset(bytes, 0xff, sizeof bytes);
    return std::memcmp(&x, bytes, sizeof bytes) == 0;
  }
  void report(std::size_t first, std::size_t of, std::string const& sentence,
              std::string const& advice) {
    expects_ = true;
    if (is_right_)
      say("wrong\t" + std::to_string(first) + '\t' + std::to_string(of) + '\t' +
          one_line(sentence) + '\t' + one_line(advice));
    is_right_ = false;
  }
  bool launches_failed() {
    cudaError_t const error = cudaDeviceSynchronize();
    if (error != cudaSuccess) wrong(std::string("a launch failed: ") + cudaGetErrorString(error));
    return error != cudaSuccess;
  }

  std::string case_;
  std::uint64_t state_;
  bool is_right_ = true, expects_ = false, shows_maps_ = false;
};

// ---- Operators: op(earlier, later), op.identity(). The emulator counts their applications.

template <class Op>
struct counted : Op {
  using element = typename Op::element;
  __host__ __device__ element operator()(element earlier, element later) const {
#ifdef __NVCC__
    return Op::combine(earlier, later);
#else
    upsweep_emulated_apply(&combine_at, nullptr, &earlier, &later, sizeof(element));
    return earlier;
#endif
  }

 private:
  static void combine_at(void const*, void* earlier, void const* later) {
    auto& x = *static_cast<element*>(earlier);
    x = Op::combine(x, *static_cast<element const*>(later));
  }
};

template <class T>
struct sum_of {
  using element = T;
  static constexpr bool is_map = false;
  __host__ __device__ T identity() const { return T(0); }
  __host__ __device__ static T combine(T earlier, T later) { return earlier + later; }
  T random_element(std::uint64_t r) const { return T(static_cast<int>(r % 19) - 9); }
};
/// Its elements are below zero, so that a zero instead of the identity shows.
template <class T>
struct maximum_of {
  using element = T;
  static constexpr bool is_map = false;
  static constexpr T lowest = std::numeric_limits<T>::lowest();
  __host__ __device__ T identity() const { return lowest; }
  __host__ __device__ static T combine(T earlier, T later) {
    return earlier < later ? later : earlier;
  }
  T random_element(std::uint64_t r) const { return T(-1 - static_cast<int>(r % 199)); }
};
/// Of unsigned integers, modulo 2^bits; the elements are odd, so that no product becomes zero.
template <class T>
struct product_of {
  using element = T;
  static constexpr bool is_map = false;
  __host__ __device__ T identity() const { return T(1); }
  __host__ __device__ static T combine(T earlier, T later) { return earlier * later; }
  T random_element(std::uint64_t r) const { return T(2 * (r % 7) + 1); }
};
/// The composition of maps x -> a x + b modulo 2^32, the earlier one first: it does not commute. A
/// map is one number, a in its upper half, so that shuffles take it.
struct composition_of_maps {
  using element = unsigned long long;
  static constexpr bool is_map = true;
  __host__ __device__ element identity() const { return element{1} << 32; }
  __host__ __device__ static element combine(element earlier, element later) {
    auto const a = static_cast<unsigned>(later >> 32), b = static_cast<unsigned>(later),
               c = static_cast<unsigned>(earlier >> 32), d = static_cast<unsigned>(earlier);
    return element{a * c} << 32 | (a * d + b);
  }
  element random_element(std::uint64_t r) const { return (r % 5 * 2 + 1) << 32 | (r / 5 % 100); }
};
#ifdef UPSWEEP_CHECK_INTERVALS
struct join_of_intervals {
  using element = unsigned long long;
  static constexpr bool is_map = false;
  element identity() const { return upsweep::intervals::empty; }
  static element combine(element earlier, element later) {
    return upsweep::intervals::join(earlier, later);
  }
  element element_at(std::size_t i) const { return upsweep::intervals::make(i, i + 1); }
};
template <class>
using sum = counted<join_of_intervals>;
template <class>
using maximum = counted<join_of_intervals>;
template <class>
using product = counted<join_of_intervals>;
using composition = counted<join_of_intervals>;
#else
template <class T>
using sum = counted<sum_of<T> >;
template <class T>
using maximum = counted<maximum_of<T> >;
template <class T>
using product = counted<product_of<T> >;
using composition = counted<composition_of_maps>;
#endif

// ---- What reductions and scans should give: plain loops, from left to right. Every `tile`
// elements begin anew; an array that ends in a tile's begin has no further tile, an empty one has
// one.

template <class Op>
std::vector<typename Op::element> reductions(std::vector<typename Op::element> const& x,
                                             Op const& op, std::size_t tile = ~std::size_t{0}) {
  std::vector<typename Op::element> totals;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % tile == 0) totals.push_back(op.identity());
    totals.back() = op(totals.back(), x[i]);
  }
  if (totals.empty()) totals.push_back(op.identity());
  return totals;
}
template <class Op>
std::vector<typename Op::element> inclusive_scan(std::vector<typename Op::element> const& x,
                                                 Op const& op, std::size_t tile = ~std::size_t{0}) {
  auto sums = x;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (i % tile != 0) sums[i] = op(sums[i - 1], x[i]);
  return sums;
}
template <class Op>
std::vector<typename Op::element> exclusive_scan(std::vector<typename Op::element> const& x,
                                                 Op const& op, std::size_t tile = ~std::size_t{0}) {
  auto sums = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    sums[i] = i % tile == 0 ? op.identity() : op(sums[i - 1], x[i - 1]);
  return sums;
}

/// The blocks for n elements: at least one, because a grid cannot be empty.
inline unsigned blocks_for(std::size_t n, std::size_t tile) {
  return static_cast<unsigned>(n == 0 ? 1 : (n + tile - 1) / tile);
}

/// Launches on random elements by launch(blocks, in, out, n, op), and expects what `wanted` makes
/// of them: `reductions`, `inclusive_scan` or `exclusive_scan` of tiles, of which each block takes
/// one.
template <class Op, class Launch, class T = typename Op::element>
void expect_tiles(run& all, Op op, std::size_t tile, Launch launch,
                  std::vector<T> (*wanted)(std::vector<T> const&, Op const&, std::size_t),
                  std::string const& advice = {}) {
  auto const x = all.elements(all.n, op);
  auto const results = wanted(x, op, tile);
  device const in("in", x);
  device<T> const out("out", results.size());
  launch(blocks_for(all.n, tile), in.data(), out.data(), static_cast<int>(all.n), op);
  all.expect("out", out, results, advice);
}

}  // namespace check

/// Defined by check.cu: prepares the input, launches what the student wrote, and expects.
void check_run(check::run& run);

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: %s CASE SEED SIZE...\n", words[0]);
    return 2;
  }
  for (int i = 3; i < count; ++i) {
    std::size_t const n = std::strtoull(words[i], nullptr, 10);
    check::run run(words[1], n, std::strtoull(words[2], nullptr, 10) + n);
    check::say("run\t" + std::to_string(n));
    try {
      check_run(run);
    } catch (std::exception const& e) {
      run.wrong(std::string("an exception was thrown: ") + e.what());
    }
    bool const is_right = run.ended();
    check::say("end");
    if (!is_right) return 0;
  }
  return 0;
}
