/// What connects ranks, processes or threads of which each has a piece of an array, and what they
/// tell each other in a call over all pieces.
#pragma once

#include <upsweep/partial_bytes.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep {

/// What connects ranks. All ranks make the same calls in the same order.
template <class C>
concept communicator = requires(C const& c, int other, std::vector<std::byte> const& bytes) {
  { c.rank() } -> std::same_as<int>;  ///< 0 <= rank() < size()
  { c.size() } -> std::same_as<int>;
  /// Sends bytes to another rank, which calls the same with this one, and returns what it sends.
  { c.exchange(other, bytes) } -> std::same_as<std::vector<std::byte>>;
  /// Returns on every rank the bytes that rank `other` gives.
  { c.broadcast(other, bytes) } -> std::same_as<std::vector<std::byte>>;
};

/// Where calls over pieces run: all ranks of a communicator, each on its executor.
template <communicator C, executor E>
struct ranks {
  C connection;
  E on;

  explicit ranks(C all, E each) : connection(std::move(all)), on(std::move(each)) {}
};

/// Which of the results of all ranks one rank has stored: `count` of them, which are those from
/// number `begin` on of `total`.
struct result_piece {
  std::size_t count = 0, begin = 0, total = 0;
  friend bool operator==(result_piece const&, result_piece const&) = default;
};

namespace detail {

// A summary of neighbouring ranks has a member append(later), which makes it that of both, and
// these two functions; `none` is the summary of no rank.

template <class S>
void put(bytes::writer& out, S const& summary) {
  out.value(summary);
}
template <class S>
S get(bytes::reader& in, S const& none) {
  S summary(none);
  in.value(summary);
  return summary;
}
template <class T, class Op>
void put(bytes::writer& out, partial<T, Op> const& part) {
  out.number(std::uint64_t{part.begin()});
  out.number(std::uint64_t{part.end()});
  bytes::write_totals(out, part);
}
template <class T, class Op>
partial<T, Op> get(bytes::reader& in, partial<T, Op> const& none) {
  auto const begin = static_cast<std::size_t>(in.number<std::uint64_t>());
  auto const end = static_cast<std::size_t>(in.number<std::uint64_t>());
  return bytes::read_totals<T>(in, begin, end, none.operation());
}

/// Numbers of elements or results.
template <std::size_t k = 1>
struct counts_of_ranks {
  std::array<std::uint64_t, k> n{};
  void append(counts_of_ranks const& later) {
    for (std::size_t i = 0; i < k; ++i) n[i] += later.n[i];
  }
  auto parts() { return std::tie(n); }
  auto parts() const { return std::tie(n); }
};
struct nothing_to_say {
  void append(nothing_to_say const&) {}
};

/// The exchanges of one call. What is thrown on a rank becomes a failure that its messages carry,
/// so that it goes on talking to the others, which would wait for it; at the end all ranks throw:
/// that rank what was thrown, the others an error with the words of the first rank that failed.
template <communicator C>
class meeting {
 public:
  explicit meeting(C const& all) : all_(all) {}

  /// Calls f(), unless this rank knows of a failure.
  template <class F>
  void attempt(F const& f) {
    if (!failure_.empty()) return;
    try {
      f();
    } catch (std::exception const& e) {
      thrown_ = std::current_exception();
      failure_ = *e.what() ? e.what() : "an exception without words";
    } catch (...) {
      thrown_ = std::current_exception();
      failure_ = "an exception that is no std::exception";
    }
  }

  template <class S>
  struct summaries {
    S front;  ///< of the ranks in front of this one
    S run;    ///< of those and some others; on the last rank, of all
  };
  /// Tells the others the summary `own` of this rank, by recursive doubling: ceil(log2(ranks))
  /// messages each. If `reverse`, ranks count from the last.
  template <class S>
  [[nodiscard]] summaries<S> join(S const& none, S const& own, bool reverse = false) {
    std::optional<S> front(none), run(own);
    int const here = counted_from(all_.rank(), reverse);
    for (int step = 1; step < all_.size(); step *= 2) {
      int const other = here ^ step;
      if (other >= all_.size()) continue;
      bool const earlier = other < here;
      auto theirs = received(all_.exchange(counted_from(other, reverse), message(*run)), none,
                             earlier != reverse);
      attempt([&] {
        if (!earlier) return run->append(theirs);
        S longer(theirs);
        longer.append(*front);
        theirs.append(*run);
        front.emplace(std::move(longer));
        run.emplace(std::move(theirs));
      });
    }
    return {*std::move(front), *std::move(run)};
  }
  /// The summary of all ranks, of which join() has left `run`. Throws if a rank has failed.
  template <class S>
  [[nodiscard]] S of_all(S const& none, S const& run, bool reverse = false) {
    auto const mine = message(run);
    failure_.clear();  // that of the last rank is everybody's
    auto whole = received(all_.broadcast(counted_from(all_.size() - 1, reverse), mine), none, true);
    if (thrown_) std::rethrow_exception(thrown_);
    if (!failure_.empty()) throw error(("another rank failed: " + failure_).c_str());
    return whole;
  }
  /// Throws if a rank has failed.
  void end() {
    nothing_to_say const nothing;
    (void)of_all(nothing, join(nothing, nothing).run);
  }

 private:
  [[nodiscard]] int counted_from(int rank, bool reverse) const {
    return reverse ? all_.size() - 1 - rank : rank;
  }
  template <class S>
  [[nodiscard]] std::vector<std::byte> message(S const& summary) const {
    bytes::writer out;
    out.value(failure_);
    if (failure_.empty()) put(out, summary);
    return out.take();
  }
  /// The failure of a lower rank counts more.
  template <class S>
  S received(std::vector<std::byte> const& from, S const& none, bool lower) {
    bytes::reader in(from);
    std::string failure;
    in.value(failure);
    if (failure.empty()) return get(in, none);
    if (failure_.empty() || lower) failure_ = std::move(failure);
    return none;
  }

  C const& all_;
  std::string failure_;
  std::exception_ptr thrown_;
};

/// What this rank has of some lists of results, `own.n[i]` of list i. Throws if a rank has failed.
template <communicator C, std::size_t k>
[[nodiscard]] std::array<result_piece, k> pieces_of_results(meeting<C>& with,
                                                            counts_of_ranks<k> const& own) {
  counts_of_ranks<k> const none;
  auto const known = with.join(none, own);
  auto const all = with.of_all(none, known.run);
  std::array<result_piece, k> pieces;
  for (std::size_t i = 0; i < k; ++i)
    pieces[i] = {static_cast<std::size_t>(own.n[i]), static_cast<std::size_t>(known.front.n[i]),
                 static_cast<std::size_t>(all.n[i])};
  return pieces;
}

}  // namespace detail

}  // namespace upsweep
