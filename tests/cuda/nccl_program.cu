/// The same sums and running sums on any number of GPUs as on the CPU, called by a thread
/// for each or by one for all.
///
///   nccl_program [GPUS]   on all GPUs, or on the first ones
///
/// Exit status: 0 all are right, 1 something is wrong, 5 there is no GPU.
#include <cuda_runtime_api.h>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/cuda/device_memory.cuh>
#include <upsweep/nccl.cuh>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <atomic>
#include <barrier>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

std::atomic<int> failures{0};

/// Says what is wrong, for the first failures.
void expect(bool condition, std::string const& what) {
  if (!condition && ++failures <= 20) std::fprintf(stderr, "%s\n", what.c_str());
}

/// The GPUs of this process: a communicator and a stream each.
class gpus {
 public:
  explicit gpus(int count)
      : comms_(static_cast<std::size_t>(count)), streams_(comms_.size()), all_here_(count) {
    if (ncclCommInitAll(comms_.data(), count, nullptr) != ncclSuccess) throw error("no NCCL");
    for (int r = 0; r < count; ++r) {
      check_cuda(cudaSetDevice(r), "use a GPU");
      check_cuda(
          cudaStreamCreateWithFlags(&streams_[static_cast<std::size_t>(r)], cudaStreamNonBlocking),
          "create a stream");
    }
  }
  ~gpus() {
    for (std::size_t r = 0; r < comms_.size(); ++r) {
      (void)cudaSetDevice(static_cast<int>(r));
      (void)ncclCommDestroy(comms_[r]);
      (void)cudaStreamDestroy(streams_[r]);
    }
  }
  gpus(gpus const&) = delete;
  gpus& operator=(gpus const&) = delete;

  [[nodiscard]] std::size_t count() const { return comms_.size(); }
  [[nodiscard]] std::span<ncclComm_t const> comms() const { return comms_; }
  [[nodiscard]] std::span<cudaStream_t const> streams() const { return streams_; }

  /// Waits for the other threads: memory is allocated and freed while no GPU waits for another one.
  void meet() const { all_here_.arrive_and_wait(); }

  /// Calls f(rank, communicator, stream) on a thread for each GPU, which is the current one.
  template <class F>
  void run(F const& f) const {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < count(); ++r)
      threads.emplace_back([&, r] {
        try {
          check_cuda(cudaSetDevice(static_cast<int>(r)), "use a GPU");
          f(r, comms_[r], streams_[r]);
        } catch (std::exception const& e) {
          std::fprintf(stderr, "GPU %zu: %s\n", r, e.what());
          std::_Exit(1);  // the others wait for this one
        }
      });
  }

 private:
  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
  mutable std::barrier<> all_here_;
};

/// Device memory with a copy of `x`, between poison.
template <class T>
class poisoned {
 public:
  poisoned(std::span<T const> x, cudaStream_t stream)
      : size_(x.size()), stream_(stream), memory_((x.size() + 2 * fence) * sizeof(T)) {
    check_cuda(cudaMemsetAsync(memory_.data(), 0xa5, memory_.size(), stream), "poison");
    if (!x.empty())
      check_cuda(cudaMemcpyAsync(data(), x.data(), x.size_bytes(), cudaMemcpyDefault, stream),
                 "copy test data");
    check_cuda(cudaStreamSynchronize(stream), "copy test data");
  }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()) + fence; }
  [[nodiscard]] std::span<T> span() const { return {data(), size_}; }
  [[nodiscard]] std::span<T const> input() const { return {data(), size_}; }

  /// Compares with `want`, in the stream's order.
  void expect_values(std::span<T const> want, std::string const& what) const {
    std::vector<std::byte> all(memory_.size());
    check_cuda(cudaMemcpyAsync(all.data(), memory_.data(), all.size(), cudaMemcpyDefault, stream_),
               "copy results");
    check_cuda(cudaStreamSynchronize(stream_), "copy results");
    auto const* const first = reinterpret_cast<T const*>(all.data()) + fence;
    for (std::size_t i = 0; i < size_; ++i)
      if (!same_bits(first[i], want[i]))
        return expect(false, what + ": element " + std::to_string(i) + " of " +
                                 std::to_string(size_) + " is " + shown(first[i]) + " and not " +
                                 shown(want[i]));
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((i < fence * sizeof(T) || i >= (fence + size_) * sizeof(T)) && all[i] != std::byte{0xa5})
        return expect(false, what + ": byte " + std::to_string(i) + " outside was written");
  }

 private:
  static constexpr std::size_t fence = 64;
  std::size_t size_;
  cudaStream_t stream_;
  device_memory memory_;
};

std::string text_of(std::vector<std::size_t> const& borders) {
  std::string text;
  for (std::size_t const border : borders) text += " " + std::to_string(border);
  return text;
}

template <class T>
std::vector<T> elements(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (requires { T{}.a; })
      x.push_back({small(next), scattered_double(next)});
    else
      x.push_back(random_element<T>(next));
  }
  return x;
}

/// The total of the pieces between `borders`, on every rank.
template <class T, class Op>
void expect_total(gpus const& all, std::vector<std::size_t> const& borders, Op const& op,
                  std::string const& name) {
  auto const x = elements<T>(borders.back());
  if (x.empty()) return;
  auto const want = upsweep::reduce(x, op);
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    auto const piece = std::span<T const>(x).subspan(borders[r], borders[r + 1] - borders[r]);
    poisoned<T> const in(piece, stream);
    ranks const world(nccl(comm, stream), gpu{stream});
    all.meet();
    auto const got = upsweep::reduce(world, in.input(), op);
    all.meet();
    expect(same_bits(got, want), name + ", total on GPU " + std::to_string(r) + ", borders" +
                                     text_of(borders) + ": " + shown(got) + " is not " +
                                     shown(want));
  });
}

/// Both scans, with and without an initial value, in place or not, and of sizes that are known.
template <class T, class Op>
void expect_scans(gpus const& all, std::vector<std::size_t> const& borders, Op const& op,
                  std::string const& name) {
  auto const x = elements<T>(borders.back());
  std::optional<T> initial;
  if (!x.empty()) initial = x.front();
  std::vector<T> inclusive(x.size()), exclusive(x.size()), started(x.size());
  upsweep::inclusive_scan(x, inclusive, op);
  upsweep::exclusive_scan(x, exclusive, op);
  upsweep::exclusive_scan(x, started, op, {.initial = initial});
  std::vector<std::size_t> sizes;
  for (std::size_t r = 0; r + 1 < borders.size(); ++r) sizes.push_back(borders[r + 1] - borders[r]);
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    auto const part = [&](std::vector<T> const& whole) {
      return std::span<T const>(whole).subspan(borders[r], sizes[r]);
    };
    std::string const what = name + " on GPU " + std::to_string(r) + ", borders" + text_of(borders);
    poisoned<T> const in(part(x), stream);
    std::vector<T> const nothing(sizes[r]);
    poisoned<T> const out(nothing, stream);
    ranks const world(nccl(comm, stream), gpu{stream});
    all.meet();
    upsweep::inclusive_scan(world, in.input(), out.span(), op);
    out.expect_values(part(inclusive), what + ", inclusive");
    ranks const announced(nccl(comm, stream, sizes), gpu{stream});
    upsweep::exclusive_scan(announced, in.input(), out.span(), op, {.initial = initial});
    out.expect_values(part(started), what + ", exclusive with an initial value");
    upsweep::exclusive_scan(announced, in.input(), in.span(), op);
    in.expect_values(part(exclusive), what + ", exclusive in place");
    all.meet();
  });
}

/// All calls by one thread for all GPUs.
template <class T, class Op>
void expect_group(gpus const& all, std::vector<std::size_t> const& borders, Op const& op,
                  std::string const& name) {
  auto const x = elements<T>(borders.back());
  if (x.empty()) return;
  std::vector<T> want(x.size());
  upsweep::inclusive_scan(x, want, op);
  nccl_group const group(all.comms(), all.streams());
  std::vector<std::unique_ptr<poisoned<T>>> memory;
  std::vector<std::span<T const>> pieces;
  std::vector<std::span<T>> outs;
  for (std::size_t r = 0; r < all.count(); ++r) {
    check_cuda(cudaSetDevice(static_cast<int>(r)), "use a GPU");
    auto const piece = std::span<T const>(x).subspan(borders[r], borders[r + 1] - borders[r]);
    memory.push_back(std::make_unique<poisoned<T>>(piece, all.streams()[r]));
    pieces.push_back(memory.back()->input());
    outs.push_back(memory.back()->span());
  }
  check_cuda(cudaSetDevice(0), "use the first GPU");
  expect(same_bits(upsweep::reduce(group, pieces, op), upsweep::reduce(x, op)),
         name + ", total of a group, borders" + text_of(borders));
  upsweep::inclusive_scan(group, pieces, outs, op);
  for (std::size_t r = 0; r < all.count(); ++r)
    memory[r]->expect_values(std::span<T const>(want).subspan(borders[r], pieces[r].size()),
                             name + ", scan of a group, GPU " + std::to_string(r));
}

/// What one rank throws before the exchange, all throw.
void expect_failure_of_all(gpus const& all) {
  std::vector<float> const x(100, 1);
  std::atomic<std::size_t> refused{0}, told{0};
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    poisoned<float> const in(x, stream);
    ranks const world(nccl(comm, stream), gpu{stream});
    all.meet();
    try {
      upsweep::inclusive_scan(world, in.input(), in.span().first(r == 0 ? 99 : 100));
    } catch (std::exception const& e) {
      ++(std::string(e.what()).find("rank 0 of") == std::string::npos ? refused : told);
    }
    upsweep::inclusive_scan(world, in.input(), in.span());
    all.meet();
  });
  expect(refused == 1 && told == all.count() - 1, "a failure of rank 0 did not reach all ranks");
}

/// The same where all ranks know the sizes, and learn it with the totals.
void expect_late_failure_of_all(gpus const& all) {
  std::vector<float> const x(100, 1);
  std::vector<std::size_t> const sizes(all.count(), x.size());
  std::atomic<std::size_t> refused{0}, told{0};
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    poisoned<float> const in(x, stream), out(x, stream);
    ranks const world(nccl(comm, stream, sizes), gpu{stream});
    std::size_t const size = r == 0 ? 99 : 100;
    auto const count = [&](auto const& call) {
      try {
        call();
      } catch (std::exception const& e) {
        ++(std::string(e.what()).find("rank 0 of") == std::string::npos ? refused : told);
      }
    };
    all.meet();
    count([&] { (void)upsweep::reduce(world, in.input().first(size)); });
    count([&] {
      upsweep::inclusive_scan(world, in.input(), out.span().first(size));
      check_cuda(cudaStreamSynchronize(stream), "finish the scan");
      world.connection.expect_no_failure();
    });
    float const total = upsweep::reduce(world, in.input());
    expect(total == static_cast<float>(100 * all.count()), "the total after a failure is wrong");
    all.meet();
  });
  expect(refused == 2 && told == 2 * (all.count() - 1),
         "a failure of rank 0 did not reach all ranks that know the sizes");
}

/// Checked sums: the running sums, and the refusal of the first one that overflows on every rank.
void expect_checked(gpus const& all) {
  std::vector<int> x(1000 * all.count());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i % 5);
  std::vector<int> want(x.size());
  checked_plus<int> const sum;
  upsweep::inclusive_scan(x, want, sum);
  std::atomic<std::size_t> refused{0};
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    auto const part = [&](std::vector<int> const& of) {
      return std::span<int const>(of).subspan(1000 * r, 1000);
    };
    std::vector<int> const large(1000, 1 << 30);
    std::vector<int> const nothing(1000);
    poisoned<int> const in(part(x), stream), out(nothing, stream), many(large, stream);
    ranks const world(nccl(comm, stream), gpu{stream});
    all.meet();
    upsweep::inclusive_scan(world, in.input(), out.span(), sum);
    try {
      upsweep::inclusive_scan(world, many.input(), many.span(), sum);
    } catch (std::exception const&) {
      ++refused;
    }
    all.meet();
    out.expect_values(part(want), "checked sums on GPU " + std::to_string(r));
  });
  expect(refused == all.count(), "an overflow did not reach all ranks");
}

/// Recurrences, of which the ranks exchange partials through the host.
void expect_recurrence(gpus const& all, std::vector<std::size_t> const& borders) {
  recurrence const filter({1.6, -0.64});
  auto const x = elements<double>(borders.back());
  if (x.empty()) return;
  expect_total<double>(all, borders, filter, "recurrence");
  options<recurrence_state<2, double>> const o{.initial = filter.after({0.5, -2})};
  std::vector<double> inclusive(x.size()), exclusive(x.size());
  upsweep::inclusive_scan(x, inclusive, filter, o);
  upsweep::exclusive_scan(x, exclusive, filter);
  all.run([&](std::size_t r, ncclComm_t comm, cudaStream_t stream) {
    std::size_t const size = borders[r + 1] - borders[r];
    auto const part = [&](std::vector<double> const& whole) {
      return std::span<double const>(whole).subspan(borders[r], size);
    };
    std::string const what = "recurrence on GPU " + std::to_string(r) + ", borders";
    std::vector<double> const nothing(size);
    poisoned<double> const in(part(x), stream), out(nothing, stream);
    ranks const world(nccl(comm, stream), gpu{stream});
    all.meet();
    upsweep::inclusive_scan(world, in.input(), out.span(), filter, o);
    out.expect_values(part(inclusive), what + text_of(borders) + ", inclusive");
    upsweep::exclusive_scan(world, in.input(), out.span(), filter);
    out.expect_values(part(exclusive), what + text_of(borders) + ", exclusive");
    all.meet();
  });
}

/// Borders of pieces: equal powers of two; anywhere; most of them empty; fewer elements than GPUs.
std::vector<std::vector<std::size_t>> all_borders(std::size_t ranks, std::size_t size) {
  std::vector<std::vector<std::size_t>> all(6);
  std::size_t const part = std::bit_floor(size / ranks);
  random_bits next(test_seed() + size);
  for (std::size_t r = 0; r <= ranks; ++r) {
    all[0].push_back(r * part);
    all[1].push_back(r == ranks ? size : r * (size / ranks) + (r > 0 ? r * r + 1 : 0));
    all[2].push_back(r == ranks ? size : 0);                      // all in the last one
    all[3].push_back(r == 0 ? 0 : size);                          // all in the first one
    all[4].push_back(r == 0 ? 0 : r == ranks ? size : size / 3);  // first and last
    all[5].push_back(r == 0 ? 0 : r - 1);
  }
  return all;
}

void run(gpus const& all) {
  expect_failure_of_all(all);
  expect_late_failure_of_all(all);
  expect_checked(all);
  for (std::size_t const size : {std::size_t{100}, std::size_t{5000}, std::size_t{3000007}}) {
    for (auto const& borders : all_borders(all.count(), size)) {
      expect_total<float>(all, borders, plus{}, "sums of floats");
      expect_total<float>(all, borders, argmin{}, "argmin");
      expect_total<float>(all, borders, exact_sum{}, "exact sums");
      expect_total<affine_map<double>>(all, borders, affine{}, "affine maps");
      expect_scans<float>(all, borders, plus{}, "sums of floats");
      expect_scans<affine_map<double>>(all, borders, affine{}, "affine maps");
      expect_scans<double>(all, borders, exact_sum{}, "exact sums");
      expect_group<float>(all, borders, plus{}, "sums of floats");
      expect_recurrence(all, borders);
    }
  }
  for (auto const& borders : all_borders(all.count(), all.count() * 20000001))
    expect_scans<float>(all, borders, plus{}, "sums of many floats");
}

}  // namespace
}  // namespace upsweep::test

int main(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 5;
  if (argc > 1 && std::atoi(argv[1]) < count) count = std::atoi(argv[1]);
  {
    upsweep::test::gpus const all(count);
    upsweep::test::run(all);
  }
  std::printf("%d GPUs, %d failures\n", count, upsweep::test::failures.load());
  return upsweep::test::failures == 0 ? 0 : 1;
}
