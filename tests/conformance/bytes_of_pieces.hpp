/// What somebody tries whose pieces are to have the bytes of one call: every cut, threads, chunks,
/// streams, groupings.
#pragma once

#include <support/random.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

using byte_string = std::vector<std::byte>;

/// Elements in memory, which std::vector<bool> has not.
template <class T>
class elements {
 public:
  explicit elements(std::size_t n) : x_(new T[n]{}), n_(n) {}
  [[nodiscard]] T& operator[](std::size_t i) { return x_[i]; }
  [[nodiscard]] std::span<T> all() const { return {x_.get(), n_}; }

 private:
  std::unique_ptr<T[]> x_;
  std::size_t n_;
};

/// The partial of x, of which the first is number `begin`, pushed in chunks of at most `chunk`.
template <class Op, class T>
partial<T, Op> piece_of(std::span<T const> x, std::size_t begin, Op const& op, int threads,
                        std::size_t chunk) {
  partial<T, Op> p(begin, op);
  for (; x.size() > chunk; x = x.subspan(chunk)) p.push(cpu{.threads = threads}, x.first(chunk));
  p.push(cpu{.threads = threads}, x);
  return p;
}

template <class Op, class T>
class bytes_of_pieces {
 public:
  bytes_of_pieces(std::span<T const> x, Op const& op, std::string what)
      : x_(x), op_(op), what_(std::move(what)), want_(to_bytes(piece_of(x, 0, op, 1, x.size()))) {}

  void expect_same_at_every_cut() const {
    for (std::size_t cut = 0; cut <= x_.size(); ++cut) {
      auto whole = piece_of(x_.first(cut), 0, op_, 1, x_.size());
      whole.append(piece_of(x_.subspan(cut), cut, op_, 2, x_.size()));
      expect_same(whole, "cut at " + std::to_string(cut));
      auto const later = to_bytes(piece_of(x_.subspan(cut), cut, op_, 1, x_.size()));
      whole = from_bytes<T>(to_bytes(piece_of(x_.first(cut), 0, op_, 3, 1)), op_);
      whole.append(from_bytes<T>(later, op_));
      expect_same(whole, "read behind a cut at " + std::to_string(cut));
    }
  }
  void expect_same_with_any_threads_and_chunks() const {
    for (int threads = 1; threads <= 7; ++threads)
      for (std::size_t const chunk : {x_.size() / 3 + 1, x_.size()})
        expect_same(piece_of(x_, 0, op_, threads, chunk), std::to_string(threads) + " threads");
    for (std::size_t const chunk : {1u, 7u, 64u, 100u, 257u})
      expect_same(piece_of(x_, 0, op_, 1, chunk), "chunks of " + std::to_string(chunk));
  }
  void expect_same_of_streams(mode how) const {
    for (std::size_t const chunk : {std::size_t{5}, x_.size()}) {
      reduce_stream<T, Op> reduced(op_, {.mode = how});
      for (std::size_t at = 0; at < x_.size(); at += chunk)
        reduced.push(x_.subspan(at, std::min(chunk, x_.size() - at)));
      expect_same(partial<T, Op>::of(reduced, op_), "a stream of reductions");
      if constexpr (!requires { typename Op::unchecked; }) {  // partial.hpp says why
        scan_stream<T, Op> scanned(op_, {.mode = how});
        elements<result_t<Op, T>> results(x_.size());
        for (std::size_t at = 0; at < x_.size(); at += chunk) {
          std::size_t const n = std::min(chunk, x_.size() - at);
          scanned.inclusive(x_.subspan(at, n), results.all().subspan(at, n));
        }
        expect_same(partial<T, Op>::of(scanned, op_), "a stream of scans");
      }
    }
  }
  /// Joined by a tree whose groupings `next` chooses.
  void expect_same_in_any_grouping(random_bits& next) const {
    std::vector<partial<T, Op>> parts;
    for (std::size_t at = 0, n = 0; at < x_.size(); at += n) {
      n = 1 + static_cast<std::size_t>(next.below(x_.size() - at));
      parts.push_back(piece_of(x_.subspan(at, n), at, op_, 1, 1 + n / 2));
    }
    for (; parts.size() > 1;) {
      auto const i = static_cast<std::size_t>(next.below(parts.size() - 1));
      parts[i].append(parts[i + 1]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    if (!parts.empty()) expect_same(parts.front(), "another grouping");
  }

 private:
  void expect_same(partial<T, Op> const& got, std::string const& how) const {
    if (to_bytes(got) == want_) return;
    ADD_FAILURE() << what_ << " of " << x_.size() << " elements, " << how << "; " << seed_note();
  }

  std::span<T const> x_;
  Op op_;
  std::string what_;
  byte_string want_;
};

template <class T, class Op>
void expect_bytes_of_elements(std::span<T const> x, Op const& op, std::string const& what,
                              random_bits& next) {
  bytes_of_pieces<Op, T> const pieces(x, op, what);
  if (x.size() < 40) pieces.expect_same_at_every_cut();
  pieces.expect_same_with_any_threads_and_chunks();
  pieces.expect_same_of_streams(mode::reproducible);
  if constexpr (partial<T, Op>::exact) pieces.expect_same_of_streams(mode::fast);
  for (int i = 0; i < 4; ++i) pieces.expect_same_in_any_grouping(next);
}

}  // namespace upsweep::test
