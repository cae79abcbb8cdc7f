/// What the ranks of a call tell each other.
#pragma once

#include <upsweep/c_api/ranks/device.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::c_api {

/// An array that the next call of this thread gets with its elements, if it has up to 1 MiB.
/// Without that malloc returns its memory to the system at the end of each call, and page faults
/// take half of the time of a hundred sums of few elements.
template <class T>
class reused {
 public:
  reused() : elements(std::move(spare)) {}
  ~reused() {
    if (elements.capacity() * sizeof(T) <= std::size_t{1} << 20) spare = std::move(elements);
  }
  reused(reused const&) = delete;
  reused& operator=(reused const&) = delete;

 private:
  static thread_local std::vector<T> spare;

 public:
  std::vector<T> elements;
};
template <class T>
thread_local std::vector<T> reused<T>::spare;

/// This process alone.
[[nodiscard]] upsweep_ranks one_rank();

/// The ranks of one call of `function`.
class ranks_of_call {
 public:
  /// `ranks` may be NULL: then this process is the only one.
  ranks_of_call(char const* function, upsweep_ranks const* ranks);

  /// Runs the local part of the call. What it throws is told to the others by the next exchange.
  template <class F>
  void run_locally(F const& local) {
    if (fault_) return;
    try {
      local();
    } catch (...) {
      fault_ = std::current_exception();
    }
  }
  /// Something that must be the same on all ranks, such as a type.
  void must_agree(std::int64_t what);

  /// Each tally becomes the sum over all ranks, without `n` unless counts are wanted on some rank.
  /// Throws on all ranks if one of them has a fault, or if they do not agree. The first message has
  /// the same size in every call, so that ranks which call different functions find out.
  void exchange(std::span<tally> tallies, bool wants_counts);

  void add(std::int64_t const* in, std::int64_t* out, std::size_t n);
  void add_before(std::int64_t const* in, std::int64_t* out, std::size_t n);
  [[nodiscard]] std::int64_t least(std::int64_t x);

  /// What computes the local part.
  [[nodiscard]] local_part local() const { return {function_, ranks_.device, ranks_.threads}; }
  [[noreturn]] void refuse(std::string const& sentence, upsweep_status status) const;

 private:
  void throw_faults(std::int64_t const* all) const;
  void exchange_columns(std::span<tally> tallies, std::int64_t const* uses,
                        std::vector<std::int64_t>& both);
  void exchange_wide(tally& t);
  using message = int (*)(void*, std::int64_t const*, std::int64_t*, int);
  void call(message send, char const* name, std::int64_t const* in, std::int64_t* out,
            std::size_t n) const;

  char const* function_;
  upsweep_ranks ranks_{};
  std::int64_t agreed_ = 1;
  std::exception_ptr fault_;
};

}  // namespace upsweep::c_api
