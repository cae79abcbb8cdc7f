/// Bank conflicts, sectors and lines of random accesses agree with an independent model; so do
/// atomics and vector loads.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

// An independent model of the cost of memory requests: by sets, one lane at a time.

/// Bytes of an element that one instruction moves: a power of two, at most 16 and at most the
/// alignment.
std::size_t piece_of(std::size_t size, std::size_t alignment) {
  std::size_t piece = 16;
  while (piece > alignment || size % piece != 0) piece /= 2;
  return piece;
}

struct request_cost {
  std::size_t requests = 0, wavefronts = 0, sectors = 0, lines = 0;
};

/// The cost of a request in which lane i accesses the element at byte `start[i]`.
request_cost model_cost(std::vector<std::size_t> const& start, std::size_t size,
                        std::size_t alignment) {
  std::size_t const piece = piece_of(size, alignment);
  std::size_t const lanes_at_once = 32 * 4 / std::max<std::size_t>(piece, 4);
  request_cost cost;
  for (std::size_t p = 0; p < size; p += piece) {
    ++cost.requests;
    std::set<std::size_t> sectors, lines;
    for (std::size_t first = 0; first < start.size(); first += lanes_at_once) {
      std::map<std::size_t, std::set<std::size_t>> rows_of_bank;
      for (std::size_t lane = first; lane < std::min(start.size(), first + lanes_at_once); ++lane)
        for (std::size_t byte = start[lane] + p; byte < start[lane] + p + piece; ++byte) {
          rows_of_bank[byte / 4 % 32].insert(byte / 128);
          sectors.insert(byte / 32);
          lines.insert(byte / 128);
        }
      std::size_t passes = 0;
      for (auto const& [bank, rows] : rows_of_bank) passes = std::max(passes, rows.size());
      cost.wavefronts += passes;
    }
    cost.sectors += sectors.size();
    cost.lines += lines.size();
  }
  return cost;
}

constexpr unsigned elements = 512, threads = 96;

// Counts are kept per line: each access here has its own line, and a name for it.
constexpr unsigned line_of_shared_load = __LINE__ + 3;
template <class T>
__device__ T load_shared(T (&tile)[elements], unsigned i) {
  return tile[i];
}
constexpr unsigned line_of_shared_store = __LINE__ + 3;
template <class T>
__device__ void store_shared(T (&tile)[elements], unsigned i, T value) {
  tile[i] = value;
}
constexpr unsigned line_of_global_load = __LINE__ + 3;
template <class T>
__device__ T load_global(T const* in, unsigned i) {
  return in[i];
}
constexpr unsigned line_of_global_store = __LINE__ + 3;
template <class T>
__device__ void store_global(T* out, unsigned i, T value) {
  out[i] = value;
}

template <class T>
__global__ void random_accesses(unsigned const* index, T const* in, T* out) {
  __shared__ T tile[elements];
  unsigned const t = threadIdx.x;
  for (unsigned i = t; i < elements; i += threads) tile[i] = in[i];
  __syncthreads();
  unsigned const i = index[t];
  T const from_shared = load_shared<T>(tile, i), from_global = load_global<T>(in, i);
  __syncthreads();
  store_shared<T>(tile, i, from_global);
  store_global<T>(out, i, from_shared);
}

__global__ void random_atomics(unsigned const* index, unsigned* bins) {
  atomicAdd(&bins[index[threadIdx.x]], 1u);
}

__global__ void copies_vectors(float const* in, float* out) {
  using four = simt::packed<float, 4>;
  four const x = simt::pointer_cast<four const>(in)[threadIdx.x];
  simt::pointer_cast<four>(out)[threadIdx.x] = x;
}

struct three_words {
  float x, y, z;
};
struct two_doubles {
  double a, b;
};

std::vector<unsigned> random_indices(std::uint64_t seed, unsigned kind) {
  std::mt19937_64 random(seed);
  std::vector<unsigned> index(threads);
  unsigned const stride = 1u << random() % 6, start = static_cast<unsigned>(random() % 64);
  for (unsigned i = 0; i < threads; ++i)
    index[i] =
        kind == 0 ? static_cast<unsigned>(random() % elements) : (start + i * stride) % elements;
  return index;
}

sim::counters const& line(sim::report const& report, unsigned number) {
  auto const& lines = report.launches[0].lines;
  return std::ranges::find_if(lines, [&](auto const& l) { return l.line.line == number; })->counts;
}

template <class T>
void compare_with_model(std::uint64_t seed, unsigned kind) {
  auto const index = random_indices(seed, kind);
  sim::machine machine{{.check = false}};  // several lanes may write one element
  auto const indices = machine.allocate<unsigned>(threads, "index");
  auto const in = machine.allocate<T>(elements, "in"), out = machine.allocate<T>(elements, "out");
  machine.to_device(indices, index);
  machine.fill(in, elements, T{});
  machine.launch({.name = "random", .threads = {threads}}, random_accesses<T>, indices, in, out);
  // g++ reports 16 bytes as one access also where they are aligned to 8.
  constexpr std::size_t alignment = sizeof(T) == 16 ? 16 : alignof(T);
  request_cost expected;
  std::size_t elements_loaded = 0;  // what several lanes of a warp load counts once
  for (unsigned w = 0; w < threads / 32; ++w) {
    std::vector<std::size_t> start(32);
    for (unsigned i = 0; i < 32; ++i) start[i] = index[32 * w + i] * sizeof(T);
    elements_loaded += std::set(start.begin(), start.end()).size();
    request_cost const warp = model_cost(start, sizeof(T), alignment);
    expected.requests += warp.requests;
    expected.wavefronts += warp.wavefronts;
    expected.sectors += warp.sectors;
    expected.lines += warp.lines;
  }
  auto const& report = machine.result();
  SCOPED_TRACE("seed " + std::to_string(seed) + ", elements of " + std::to_string(sizeof(T)) +
               " bytes");
  for (unsigned number : {line_of_shared_load, line_of_shared_store}) {
    EXPECT_EQ(line(report, number).shared_requests, expected.requests);
    EXPECT_EQ(line(report, number).shared_wavefronts, expected.wavefronts);
  }
  EXPECT_EQ(line(report, line_of_global_load).global_requests, expected.requests);
  EXPECT_EQ(line(report, line_of_global_load).sectors_loaded, expected.sectors);
  EXPECT_EQ(line(report, line_of_global_load).lines_loaded, expected.lines);
  EXPECT_EQ(line(report, line_of_global_load).elements_loaded, elements_loaded);
  EXPECT_EQ(line(report, line_of_global_store).sectors_stored, expected.sectors);
  EXPECT_EQ(line(report, line_of_global_store).lines_stored, expected.lines);
  EXPECT_EQ(line(report, line_of_global_store).global_stores, threads);
}

TEST(memory, costs_of_random_accesses_agree_with_the_model) {
  for (std::uint64_t seed = 0; seed < 25; ++seed)
    for (unsigned kind : {0u, 1u}) {
      compare_with_model<std::uint8_t>(seed, kind);
      compare_with_model<std::uint16_t>(seed, kind);
      compare_with_model<float>(seed, kind);
      compare_with_model<double>(seed, kind);
      compare_with_model<two_doubles>(seed, kind);
      compare_with_model<three_words>(seed, kind);
      compare_with_model<simt::packed<float, 4>>(seed, kind);
    }
}

TEST(memory, atomics_on_one_address_are_serialized) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto index = random_indices(seed, 0);
    for (auto& i : index) i %= 1u << seed % 6;
    sim::machine machine;
    auto const indices = machine.allocate<unsigned>(threads, "index"),
               bins = machine.allocate<unsigned>(elements, "bins");
    machine.to_device(indices, index);
    machine.fill(bins, elements, 0u);
    machine.launch({.threads = {threads}}, random_atomics, indices, bins);
    std::size_t rounds = 0;
    for (unsigned w = 0; w < threads / 32; ++w) {
      std::map<unsigned, std::size_t> times;
      for (unsigned i = 0; i < 32; ++i) ++times[index[32 * w + i]];
      rounds += std::ranges::max_element(times, {}, [](auto const& entry) {
                  return entry.second;
                })->second;
    }
    auto const& counts = machine.result().launches[0].total;
    EXPECT_EQ(counts.atomics, threads);
    EXPECT_EQ(counts.atomic_requests, threads / 32);
    EXPECT_EQ(counts.atomic_rounds, rounds);
    EXPECT_EQ(machine.result().launches[0].buffers.at("bins").atomics, threads);
    EXPECT_TRUE(machine.result().findings.empty());
  }
}

TEST(memory, vector_accesses_move_four_elements_in_one_request) {
  sim::machine machine;
  auto const in = machine.allocate<float>(128, "in"), out = machine.allocate<float>(128, "out");
  machine.fill(in, 128, 1.5f);
  machine.launch({.threads = {32}}, copies_vectors, in, out);
  EXPECT_EQ(machine.to_host(out, 128), std::vector<float>(128, 1.5f));
  auto const& counts = machine.result().launches[0].total;
  EXPECT_EQ(counts.global_requests, 2u);
  EXPECT_EQ(counts.sectors_loaded, 16u);
  EXPECT_EQ(counts.lines_loaded, 4u);
  EXPECT_TRUE(machine.result().findings.empty());
}

__global__ void copies_every(unsigned const* in, unsigned* out, unsigned step) {
  unsigned const t = threadIdx.x;
  if (t % step == 0) out[t] = in[t];
}
TEST(memory, lanes_that_are_apart_cost_the_sectors_of_their_own_elements) {
  for (unsigned const step : {1u, 2u, 3u, 8u, 11u, 31u}) {
    std::vector<std::size_t> start;
    for (unsigned t = 0; t < 32; t += step) start.push_back(4 * t);
    request_cost const expected = model_cost(start, 4, 4);
    sim::machine machine;
    auto const in = machine.allocate<unsigned>(32, "in"),
               out = machine.allocate<unsigned>(32, "out");
    machine.fill(in, 32, 1u);
    machine.launch({.threads = {32}}, copies_every, in, out, step);
    auto const counts = machine.result().total();
    EXPECT_EQ(counts.sectors_loaded, expected.sectors) << step;
    EXPECT_EQ(counts.sectors_stored, expected.sectors) << step;
    EXPECT_EQ(counts.lines_loaded, expected.lines) << step;
    EXPECT_EQ(counts.elements_loaded, start.size()) << step;
  }
}

/// What the tile holds before the copy is waited for, and after it.
__global__ void looks_before_it_waits(int* out, int const* in, unsigned at) {
  __shared__ int tile[8];
  for (int& x : tile) x = 7;
  upsweep_emulated_start_copy(tile + at, in, 4, 4);
  upsweep_emulated_commit_copies();
  for (int i = 0; i < 8; ++i) out[i] = tile[i];
  upsweep_emulated_wait_for_copies(0);
  for (int i = 0; i < 8; ++i) out[8 + i] = tile[i];
}
TEST(memory, what_a_started_copy_will_write_is_poison_until_it_is_waited_for) {
  for (unsigned const at : {0u, 3u, 7u}) {
    sim::machine machine;
    auto const out = machine.allocate<int>(16, "out"), in = machine.allocate<int>(1, "in");
    machine.fill(in, 1, 5);
    machine.launch({.threads = {1}}, looks_before_it_waits, out, static_cast<int const*>(in), at);
    std::vector<int> expected(16, 7);
    expected[at] = -1;
    expected[8 + at] = 5;
    EXPECT_EQ(machine.to_host(out, 16), expected) << at;
  }
}

}  // namespace
}  // namespace upsweep::sim_test
