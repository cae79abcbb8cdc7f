/// What ranks tell each other in a call over all pieces.
#pragma once

#include <upsweep/partial/bytes.hpp>
#include <upsweep/ranks/call.hpp>
#include <upsweep/ranks/communicator.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

// A summary of neighboring ranks has a member append(later), which makes it that of both, and
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
struct empty_summary {
  void append(empty_summary const&) {}
};

/// The exchanges of one call. What is thrown on a rank becomes a failure that its messages carry,
/// so that it goes on talking to the others, which would wait for it; at the end all ranks throw:
/// that rank what was thrown, the others an error with the words of the first rank that failed. So
/// whatever may throw between the exchanges is in attempt(), and what it makes is optional.
///
/// A message is the call of its rank and a summary; or 0, the call of the lowest rank that it is
/// about, and words of a failure; or nothing at all, if there is no memory for words.
template <communicator C>
class rank_exchange {
 public:
  /// `describe(call)` adds what the ranks have in common to the call.
  template <class F>
  rank_exchange(C const& all, call_of_ranks const& call, F const& describe)
      : all_(all), call_(call.without_arguments()), lowest_(call_) {
    attempt([&] {
      call_of_ranks whole(call);
      describe(whole);
      lowest_ = call_ = whole;
    });
  }

  /// Calls f(), unless this rank knows of a failure.
  template <class F>
  void attempt(F const& f) {
    if (failure_) return;
    try {
      f();
    } catch (...) {
      fail();
    }
  }

  template <class S>
  struct summaries {
    std::optional<S> front{};  ///< of the ranks before this one
    std::optional<S> run{};    ///< of those and some others; on the last rank, of all
  };
  /// Tells the others the summary `own` of this rank, by recursive doubling: ceil(log2(ranks))
  /// messages each. If the round is backward(), ranks count from the last. What it returns has
  /// values unless this rank knows of a failure.
  template <class S>
  [[nodiscard]] summaries<S> join(std::optional<S> const& none, std::optional<S> const& own) {
    bool const is_first = round_ == 0, reverse = call_.round(round_++) == round::backward;
    summaries<S> known;
    attempt([&] {
      known.front.emplace(*none);
      known.run.emplace(*own);
    });
    int const here = counted_from(all_.rank(), reverse);
    for (int step = 1; step < all_.size(); step *= 2) {
      int const other = here ^ step;
      if (other >= all_.size()) continue;
      bool const earlier = other < here;
      auto const mine = message(known.run);
      auto const from = told([&] { return all_.exchange(counted_from(other, reverse), mine); });
      int const block = here & ~(2 * step - 1);
      auto theirs = received(from, none, earlier != reverse, block, block + step);
      attempt([&] {
        if (!earlier) return known.run->append(*theirs);
        S longer(*theirs);
        longer.append(*known.front);
        theirs->append(*known.run);
        known.front.emplace(std::move(longer));
        known.run.emplace(*std::move(theirs));
      });
    }
    if (is_first && !lowest_.has_rounds_of(call_)) follow();
    return known;
  }
  template <class S>
    requires std::is_trivially_copyable_v<S>
  [[nodiscard]] summaries<S> join(S const& none, S const& own) {
    return join(std::optional<S>(none), std::optional<S>(own));
  }

  /// The summary of all ranks, of which join() has left `run`.
  template <class S>
  [[nodiscard]] std::optional<S> of_all(std::optional<S> const& none, std::optional<S> const& run) {
    int const teller = call_.round(round_++) == round::from_first ? 0 : all_.size() - 1;
    std::vector<std::byte> mine;
    if (all_.rank() == teller) mine = message(run);
    auto const from = told([&] { return all_.broadcast(teller, mine); });
    return received(from, none, true, 0, teller);
  }
  /// The same as the last round. Throws if a rank has failed.
  template <class S>
  [[nodiscard]] S result_of_all(std::optional<S> const& none, std::optional<S> const& run) {
    auto whole = of_all(none, run);
    if (thrown_) std::rethrow_exception(thrown_);
    if (failure_) throw error(*failure_);
    return *std::move(whole);
  }
  /// The end of a call without such a result: joins, and throws if a rank has failed.
  void end() {
    std::optional<empty_summary> const nothing(std::in_place);
    (void)result_of_all(nothing, join(nothing, nothing).run);
  }

 private:
  [[nodiscard]] int counted_from(int rank, bool reverse) const {
    return reverse ? all_.size() - 1 - rank : rank;
  }
  /// Notes what this rank has caught, if it is the first failure that it knows of.
  void fail() noexcept {
    if (failure_) return;
    thrown_ = std::current_exception();
    char const* const prefix = "another rank failed: ";
    char words[512];
    try {
      throw;
    } catch (std::exception const& e) {
      std::snprintf(words, sizeof words, "%s%s", prefix,
                    *e.what() ? e.what() : "an exception without a message");
    } catch (...) {
      std::snprintf(words, sizeof words, "%san exception that is not a std::exception", prefix);
    }
    failure_.emplace(words);
  }
  /// What a communicator returns; nothing if there was no memory for it.
  template <class F>
  std::vector<std::byte> told(F const& f) {
    try {
      return f();
    } catch (std::bad_alloc const&) {
      fail();
      return {};
    }
  }
  template <class S>
  [[nodiscard]] std::vector<std::byte> message(std::optional<S> const& summary) {
    std::vector<std::byte> all;
    attempt([&] {
      bytes::writer out;
      out.number(call_.bits());
      put(out, *summary);
      all = out.take();
    });
    if (!failure_) return all;
    try {
      bytes::writer out;
      out.number(std::uint64_t{0});
      out.number(lowest_.bits());
      out.text(failure_->what());
      return out.take();
    } catch (...) {
      return {};
    }
  }
  /// The summary in a message of other ranks, if there is no failure. `lower`: of ranks before,
  /// whose failure counts more. A message of the first round is between the ranks from `first` and
  /// those from `second` on.
  template <class S>
  std::optional<S> received(std::vector<std::byte> const& from, std::optional<S> const& none,
                            bool lower, int first, int second) {
    std::optional<S> summary;
    auto const note = [&](char const* words) {
      if (!failure_ || lower) failure_.emplace(words);
    };
    if (from.empty()) {
      if (!failure_)
        failure_.emplace("another rank failed and has no memory left to report the cause");
      return summary;
    }
    try {
      char words[512] = "";
      bytes::reader in(from);
      auto const bits = in.number<std::uint64_t>();
      call_of_ranks const mine = lowest_, theirs(bits != 0 ? bits : in.number<std::uint64_t>());
      if (lower) lowest_ = theirs;
      if (bits == 0) {
        auto const text = in.text();
        std::snprintf(words, sizeof words, "%.*s", static_cast<int>(text.size()), text.data());
        note(words);
      } else if (!failure_ && theirs == mine) {
        summary.emplace(get(in, *none));
      } else if (theirs != mine && mine.has_arguments()) {
        auto const& front = lower ? theirs : mine;
        front.describe_difference(lower ? mine : theirs, first, second, words, sizeof words);
        note(words);
      }
    } catch (...) {
      fail();
    }
    return summary;
  }
  /// In place of another call than rank 0 makes: talks to the others in its rounds, and throws.
  [[noreturn]] void follow() {
    call_ = lowest_;
    std::optional<empty_summary> const nothing(std::in_place);
    for (; call_.round(round_) != round::end;)
      if (call_.joins(round_))
        (void)join(nothing, nothing);
      else
        (void)of_all(nothing, nothing);
    throw error(*failure_);  // calls that differ are a failure
  }

  C const& all_;
  call_of_ranks call_, lowest_;  // of this rank, and of the lowest that is known
  int round_ = 0;
  std::optional<error> failure_{};
  std::exception_ptr thrown_{};
};

/// What this rank has of some lists of results, `n[i]` of list i. Throws if a rank has failed.
template <communicator C, std::size_t k>
[[nodiscard]] std::array<result_piece, k> pieces_of_results(rank_exchange<C>& with,
                                                            std::array<std::size_t, k> const& n) {
  std::optional<counts_of_ranks<k>> const none(std::in_place);
  auto own = none;
  for (std::size_t i = 0; i < k; ++i) own->n[i] = n[i];
  auto const known = with.join(none, own);
  auto const all = with.result_of_all(none, known.run);
  std::array<result_piece, k> pieces;
  for (std::size_t i = 0; i < k; ++i)
    pieces[i] = {n[i], static_cast<std::size_t>(known.front->n[i]),
                 static_cast<std::size_t>(all.n[i])};
  return pieces;
}

}  // namespace upsweep::detail
