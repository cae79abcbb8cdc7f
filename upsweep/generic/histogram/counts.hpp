/// How often each of the indices 0, 1, ... occurs: the counting of histograms.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

namespace upsweep::detail {

inline constexpr std::size_t count_block = 256;  // elements whose indices are found at once

/// Whether the bytes of all elements of a block are equal.
template <class T>
bool are_equal(T const* block) {
  return std::memcmp(block, block + 1, (count_block - 1) * sizeof(T)) == 0;
}

/// Counts of 32 bits. Four tables, if they are small, so that equal indices in a row do not wait
/// for each other.
class count_table {
 public:
  explicit count_table(std::size_t places)
      : places_(places),
        tables_(places <= few_places ? 4 : 1),
        counts_(new std::uint32_t[tables_ * places]()) {}

  static constexpr std::size_t few_places = 4096;

  /// Counts n indices, at most a block.
  template <class Index>
  void add(Index const* indices, std::size_t n) {
    if (n == count_block && are_equal(indices))
      return add_equal(static_cast<std::size_t>(indices[0]), n);
    std::uint32_t* table[4];
    for (std::size_t t = 0; t < 4; ++t) table[t] = counts_.get() + (tables_ == 4 ? t * places_ : 0);
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      UPSWEEP_UNROLLED
      for (std::size_t j = 0; j < 4; ++j) ++table[j][indices[i + j]];
    }
    for (; i < n; ++i) ++table[0][indices[i]];
  }
  /// Counts n elements that have the same index.
  void add_equal(std::size_t index, std::size_t n) {
    counts_[index] += static_cast<std::uint32_t>(n);
  }
  /// Counts n elements that equal x, whose index is find(), unless that is known from the last
  /// call.
  template <class T, class Find>
  void add_equal_to(T const& x, std::size_t n, Find const& find) {
    static_assert(sizeof(T) <= sizeof last_);
    if (!has_last_ || std::memcmp(last_, &x, sizeof(T)) != 0) {
      last_index_ = find();
      std::memcpy(last_, &x, sizeof(T));
      has_last_ = true;
    }
    add_equal(last_index_, n);
  }
  /// Adds the counts of the bins [begin, end) to those in `sums`.
  void add_to(std::size_t* sums, std::size_t begin, std::size_t end) const {
    for (std::size_t t = 0; t < tables_; ++t)
      for (std::size_t p = begin; p < end; ++p) sums[p] += counts_[t * places_ + p];
  }

 private:
  std::size_t places_, tables_;
  std::unique_ptr<std::uint32_t[]> counts_;
  bool has_last_ = false;  // the bytes of the last equal elements, and their index
  unsigned char last_[16];
  std::size_t last_index_ = 0;
};

/// A table for each thread of a call, made when it is first used. There are as many as the call
/// has lines, so that a line always finds one that no other line is using.
class shared_tables {
 public:
  shared_tables(std::size_t lines, std::size_t places) : places_(places), slots_(lines) {}

  template <class F>
  void with_own(F const& f) {
    slot* mine = slots_.data();
    while (mine->taken.exchange(true, std::memory_order_acquire)) ++mine;
    if (!mine->table) mine->table = std::make_unique<count_table>(places_);
    f(*mine->table);
    mine->taken.store(false, std::memory_order_release);
  }
  void add_to(std::size_t* sums, std::size_t begin, std::size_t end) const {
    for (auto const& s : slots_)
      if (s.table) s.table->add_to(sums, begin, end);
  }

 private:
  struct slot {
    std::atomic<bool> taken = false;
    std::unique_ptr<count_table> table;
  };
  std::size_t places_;
  std::vector<slot> slots_;
};

/// On how many threads n elements are counted: on as many as each have more elements than its
/// table has slots, which must be cleared and added.
template <class E>
[[nodiscard]] std::size_t counting_threads(E const& on, std::size_t n, std::size_t places) {
  return at_most(threads_for(on, n), n / (places + 4096) + 1);
}

/// How often each of the indices 0, 1, ..., `places` - 1 occurs. add(table, i, size) counts the
/// indices of the elements i, i + 1, ... i + size - 1, at most a block.
template <class E, class Add>
std::vector<std::size_t> counts_of(E const& on, std::size_t n, std::size_t places, Add const& add) {
  constexpr std::size_t most = std::size_t{1} << 31;  // elements, for counts of 32 bits
  std::vector<std::size_t> counts(places);
  for (std::size_t first = 0; first < n; first += most) {
    std::size_t const here = at_most(most, n - first);
    // Each takes a nanosecond an element, and 4 us for each other thread of the call.
    auto const worth = 1 + static_cast<std::size_t>(std::sqrt(static_cast<double>(here) / 4096));
    std::size_t const threads = at_most(worth, counting_threads(on, here, places)),
                      lines = threads == 1 ? 1 : 8 * threads;
    shared_tables tables(lines, places);
    // Executors take a thread for each 2^13 elements of the lines: so many threads and no more.
    for_each_part(on, lines, 1024, [&](std::size_t line) {
      tables.with_own([&](count_table& mine) {
        std::size_t const end = first + part_begin(here, lines, line + 1);
        std::size_t i = first + part_begin(here, lines, line);
        for (; i < end; i += count_block) add(mine, i, at_most(count_block, end - i));
      });
    });
    std::size_t const part = places / (4 * threads_for(on, places * threads)) + 1;
    for_each_part(on, (places + part - 1) / part, part * threads, [&](std::size_t k) {
      tables.add_to(counts.data(), k * part, at_most(places, (k + 1) * part));
    });
  }
  return counts;
}

/// Stores in `to` in which of the slots 0, 1, ... the elements i, i + 1, ... lie, `size` of them,
/// at most a block: below the bins, in bin 0, 1, ..., above them, NaN.
template <class It, class Finder>
void find_block(It const& first, std::size_t i, std::size_t size, Finder const& finder,
                std::uint32_t* to) {
  if constexpr (std::contiguous_iterator<It>) {
    finder(std::to_address(first) + i, size, to);
  } else {
    std::iter_value_t<It> values[count_block]{};  // so that g++ 12 does not warn
    for (std::size_t j = 0; j < size; ++j) values[j] = element_at(first, i + j);
    finder(values, size, to);
  }
}

}  // namespace upsweep::detail
