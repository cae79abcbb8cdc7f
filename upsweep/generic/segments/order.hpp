/// The order in which short segments are run: those of one length after another, because a branch
/// that depends on the length is mispredicted for every segment if lengths are random.
#pragma once

#include <upsweep/core/compiler.hpp>
#include <upsweep/generic/segments/short.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

namespace upsweep::detail {

/// How many segments are ordered, or given to an executor's kernel, at once.
inline constexpr std::size_t segment_batch = 512;

/// Whether all of `count` segments from number `begin` on have one length.
template <class Borders>
bool have_one_length(Borders const& border, std::size_t begin, std::size_t count) {
  std::size_t const length = border(begin + 1) - border(begin);
  std::size_t differ = 0;
  auto const difference = [&](std::size_t k) {
    return (border(begin + k + 1) - border(begin + k)) ^ length;
  };
  if (count == segment_batch)  // compilers vectorize a loop of constant length
    for (std::size_t k = 0; k < segment_batch; ++k) differ |= difference(k);
  else
    for (std::size_t k = 0; k < count; ++k) differ |= difference(k);
  return differ == 0;
}

/// Numbers of segments, in the order in which they are run: by their lengths, or as in the input
/// where that would not help.
class segment_order {
 public:
  /// Of the `count` segments from number `begin` on, at most a batch.
  template <class Borders>
  segment_order(Borders const& border, std::size_t begin, std::size_t count) : size_(count) {
    constexpr std::size_t worth_sorting = 64;
    bool const are_short = border(begin + count) - border(begin) <= group * count;
    is_by_class_ = are_short && have_one_length(border, begin, count);
    if (is_by_class_ || !are_short || count < worth_sorting) {
      for (std::size_t k = 0; k < segment_batch; ++k) number_[k] = static_cast<std::uint16_t>(k);
      return;
    }
    is_sorted_ = is_by_class_ = true;
    std::uint8_t length[segment_batch];
    std::uint16_t next[group + 3] = {};
    for (std::size_t k = 0, from = border(begin); k < count; ++k) {
      std::size_t const to = border(begin + k + 1);
      length[k] = static_cast<std::uint8_t>(class_of(to - from));
      ++next[length[k] + 1];
      from = to;
    }
    for (std::size_t m = 1; m < group + 3; ++m)
      next[m] = static_cast<std::uint16_t>(next[m] + next[m - 1]);
    for (std::size_t k = 0; k < count; ++k)
      number_[next[length[k]]++] = static_cast<std::uint16_t>(k);
    for (std::size_t m = 0; m < group + 2; ++m) end_[m] = next[m];
  }

  /// A length up to a group; group + 1 for all longer ones, and for any.
  static std::size_t class_of(std::size_t length) { return at_most(length, group + 1); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_sorted() const { return is_sorted_; }
  [[nodiscard]] std::size_t operator[](std::size_t j) const { return number_[j]; }
  /// Whether those of a class are one after another.
  [[nodiscard]] bool is_by_class() const { return is_by_class_; }
  [[nodiscard]] std::size_t end_of_class(std::size_t m) const {
    return is_sorted_ ? end_[m] : size_;
  }

  /// Keeps, in input order, those that are before segment k in the input and not yet run when
  /// it is.
  void keep_those_before(std::size_t k) {
    bool is_left[segment_batch] = {};
    for (std::size_t j = size_; number_[j - 1] != k; --j) is_left[number_[j - 1]] = true;
    size_ = 0;
    for (std::size_t i = 0; i < k; ++i)
      if (is_left[i]) number_[size_++] = static_cast<std::uint16_t>(i);
    is_by_class_ = false;
  }

 private:
  std::size_t size_;
  bool is_sorted_ = false, is_by_class_ = false;
  std::uint16_t end_[group + 2];  // of the segments of each class
  std::uint16_t number_[segment_batch];
};

/// Calls run(m, each) for segments of one class m of lengths, of [begin, end), at most a batch:
/// each(f) calls f(k) for them. The exception of the first in input order is thrown. Calls ahead(i)
/// for positions after their elements, where the next batch begins: processors do not expect reads
/// in another order.
template <class Borders, class Ahead, class Run>
UPSWEEP_INLINED inline void run_in_order(Borders const& border, std::size_t begin, std::size_t end,
                                         Ahead const& ahead, Run const& run) {
  std::size_t const next = border(end), step = (next - border(begin)) / (end - begin) + 1;
  segment_order order(border, begin, end - begin);
  std::exception_ptr failure;
  for (bool is_done = false; !is_done;) {
    std::size_t running = 0;
    try {
      for (std::size_t j = 0; j < order.size();) {
        std::size_t m = group + 1, last = order.size();
        if (order.is_by_class()) {
          std::size_t const first = begin + order[j];
          m = segment_order::class_of(border(first + 1) - border(first));
          last = order.end_of_class(m);
        }
        run(m, [&](auto const& f) UPSWEEP_INLINED {
          for (; j < last; ++j) {
            running = order[j];
            if (order.is_sorted()) ahead(next + j * step);
            f(begin + running);
          }
        });
      }
      is_done = true;
    } catch (...) {
      failure = std::current_exception();
      order.keep_those_before(running);
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace upsweep::detail
