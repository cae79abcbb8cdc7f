/// The arguments of a verb's call in the form in which a device takes them: every range is an array
/// in device memory.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {

/// Device memory for one array of a call: all of it 0xa5 at first, and larger than the array on
/// both sides, which lies in it as far from a multiple of 64 bytes as on the host. There are
/// `most`, which grow and stay.
class fenced_copy {
 public:
  static constexpr int most = 6;

  /// `host` has `bytes` bytes; they are copied if `filled`, and otherwise left as poison.
  fenced_copy(int which, void const* host, std::size_t bytes, bool filled)
      : place_(places[which]), bytes_(bytes) {
    start_ = fence + reinterpret_cast<std::uintptr_t>(host) % 64;
    all_ = start_ + bytes + fence;
    if (place_.size < all_) {
      check_cuda(cudaFree(place_.memory), "free test data");
      place_ = {nullptr, 0};
      check_cuda(cudaMalloc(&place_.memory, 2 * all_), "allocate test data");
      place_.size = 2 * all_;
    }
    check_cuda(cudaMemsetAsync(place_.memory, 0xa5, all_), "poison test data");
    if (filled && bytes > 0)
      check_cuda(cudaMemcpyAsync(data(), host, bytes, cudaMemcpyHostToDevice), "copy test data");
  }
  [[nodiscard]] char* data() const { return static_cast<char*>(place_.memory) + start_; }

  /// Copies all of it back, once the call has completed. Throws if a fence was written to.
  void copy_back(void* host) const {
    static std::vector<unsigned char> all;
    all.resize(all_);
    check_cuda(cudaMemcpy(all.data(), place_.memory, all_, cudaMemcpyDeviceToHost), "copy results");
    auto const poison = [](unsigned char byte) { return byte == 0xa5; };
    auto const inside = all.begin() + static_cast<std::ptrdiff_t>(start_);
    if (!std::all_of(all.begin(), inside, poison) ||
        !std::all_of(inside + static_cast<std::ptrdiff_t>(bytes_), all.end(), poison))
      throw std::logic_error("a kernel wrote outside its output, which has " +
                             std::to_string(bytes_) + " bytes");
    std::copy_n(inside, bytes_, static_cast<unsigned char*>(host));
  }

 private:
  struct place {
    void* memory;
    std::size_t size;
  };
  static inline place places[most] = {};
  static constexpr std::size_t fence = 512;

  place& place_;
  std::size_t bytes_, start_, all_;
};

/// The arrays of one call. Ranges that begin at the same memory are one array, as in a call in
/// place. Elements that are not contiguous on the host are collected first.
class call_copies {
 public:
  /// The n elements from `first` on.
  template <class It, class T = std::iter_value_t<It>>
  [[nodiscard]] T const* input(It const& first, std::size_t n) {
    if constexpr (std::contiguous_iterator<It>)
      return reinterpret_cast<T const*>(array_of(std::to_address(first), n * sizeof(T)).data());
    else
      return reinterpret_cast<T const*>(array_of(collected(first, n), n * sizeof(T)).data());
  }
  /// The same as an output: finish() stores what the call has left there.
  template <class It, class T = std::iter_value_t<It>>
  [[nodiscard]] T* output(It const& first, std::size_t n) {
    if constexpr (std::contiguous_iterator<It>) {
      T* const host = std::to_address(first);
      fenced_copy const& copy = array_of(host, n * sizeof(T));
      results_.emplace_back([&copy, host] { copy.copy_back(host); });
      return reinterpret_cast<T*>(copy.data());
    } else {
      T* const host = collected(first, n);
      fenced_copy const& copy = array_of(host, n * sizeof(T));
      results_.emplace_back([&copy, host, first, n] {
        copy.copy_back(host);
        std::copy_n(host, n, first);
      });
      return reinterpret_cast<T*>(copy.data());
    }
  }
  /// Waits for the call; throws if it has written outside of an output.
  void finish() const {
    for (auto const& store : results_) store();
  }

 private:
  struct array {
    void const* host;
    std::size_t bytes;
    std::optional<fenced_copy> copy;
  };

  fenced_copy const& array_of(void const* host, std::size_t bytes) {
    for (int k = 0; k < count_; ++k)
      if (bytes > 0 && arrays_[k].host == host) {
        if (arrays_[k].bytes < bytes)
          throw std::logic_error("call_copies: an output is larger than the input in its memory");
        return *arrays_[k].copy;
      }
    if (count_ == fenced_copy::most)
      throw std::logic_error("call_copies: a call has more arrays than fenced_copy::most");
    array& next = arrays_[count_];
    next.host = host;
    next.bytes = bytes;
    next.copy.emplace(count_++, host, bytes, true);
    return *next.copy;
  }
  template <class It>
  std::iter_value_t<It>* collected(It const& first, std::size_t n) {
    using T = std::iter_value_t<It>;
    std::shared_ptr<T[]> const elements(new T[n + 1]());
    std::copy_n(first, n, elements.get());
    memory_.push_back(elements);
    return elements.get();
  }

  array arrays_[fenced_copy::most];
  int count_ = 0;
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<std::function<void()>> results_;
};

template <class It, class F>
auto on_device(call_copies& to, detail::marks_by_predicate<It, F> const& marks, std::size_t n) {
  return detail::marks_by_predicate<std::iter_value_t<It> const*, F>{to.input(marks.first, n),
                                                                     marks.test};
}
template <class It, class P, class Q>
auto on_device(call_copies& to, detail::marks_by_two<It, P, Q> const& marks, std::size_t n) {
  return detail::marks_by_two<std::iter_value_t<It> const*, P, Q>{to.input(marks.first, n),
                                                                  marks.is_first, marks.is_second};
}
template <class It, class Same>
auto on_device(call_copies& to, detail::marks_of_runs<It, Same> const& marks, std::size_t n) {
  return detail::marks_of_runs<std::iter_value_t<It> const*, Same>{to.input(marks.first, n),
                                                                   marks.equal};
}
/// Of the elements of n, or of their positions.
template <class In, class Out>
auto on_device(call_copies& to, detail::value_output<In, Out> const& output, std::size_t n) {
  using kind = detail::value_output<std::iter_value_t<In> const*, std::iter_value_t<Out>*>;
  auto const* const in = to.input(output.in, n);
  return kind{in, to.output(output.out, output.room), output.room, output.takes, output.in_place};
}
template <class Out>
auto on_device(call_copies& to, detail::position_output<Out> const& output, std::size_t) {
  return detail::position_output<std::iter_value_t<Out>*>{to.output(output.out, output.room),
                                                          output.room, output.takes};
}

/// Several types, to be compared at once.
template <class... Types>
struct types_of {};

/// What on_device returns for these arguments.
template <class X>
using device_form =
    decltype(on_device(std::declval<call_copies&>(), std::declval<X const&>(), std::size_t{}));

/// A source of the elements at `first`, which lie in device memory.
template <class Op, bool reverse = false, class T>
auto device_source(T const* first, std::size_t n, Op const& op) {
  static constexpr detail::as_is f;
  return source<T const*, detail::as_is, Op, reverse>(first, n, f, op);
}
/// The call with its elements there.
template <class Call>
auto device_call(call_copies& to, Call const& c) {
  auto const from = device_source(to.input(c.in.first(), c.n), c.n, c.op);
  return call{from, c.n, c.op, c.how, c.initial, c.first};
}

}  // namespace upsweep::test
