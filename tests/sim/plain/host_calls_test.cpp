/// What the host frees, copies and sets: what is refused, and the whole sentence about it.
#include <upsweep/sim/address_space.hpp>

#include "modules.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace upsweep;
using namespace upsweep::sim_test;

/// Buffers of the host's calls: `count` integers under a name as in the source.
int* allocated(char const* expression, std::size_t count, bool is_managed = false) {
  void* place = nullptr;
  EXPECT_EQ(upsweep_emulated_allocate(&place, count * sizeof(int), sizeof(int), expression,
                                      static_cast<int>(is_managed)),
            accepted);
  return static_cast<int*>(place);
}
/// A refused call and what is said about it.
void expect_call_refused(std::function<int()> const& call, std::string const& sentence) {
  answer const a = answer_of(call);
  EXPECT_EQ(a.error, invalid_value) << sentence;
  EXPECT_EQ(a.sentences, sentence);
}

constexpr char const* free_once = ": free each pointer from cudaMalloc() once, and nothing else";
constexpr int host_to_host = 0, host_to_device = 1, device_to_host = 2, device_to_device = 3,
              any_direction = 4;

TEST(plain_cuda_host_calls, buffers_are_freed_once) {
  EXPECT_EQ(answer_of([] { return upsweep_emulated_release(nullptr); }).error, accepted);
  EXPECT_EQ(answer_of([] { return upsweep_emulated_release(allocated("&p", 4)); }).error, accepted);
  expect_call_refused(
      [] {
        int here = 0;
        return upsweep_emulated_release(&here);
      },
      std::string("cudaFree() at an unknown position is given what cudaMalloc() has not returned") +
          free_once);
  expect_call_refused(
      [] {
        int* const p = allocated("(void**)&plan.sums", 4);
        EXPECT_EQ(upsweep_emulated_release(p), accepted);
        return upsweep_emulated_release(p);
      },
      std::string("cudaFree() at an unknown position is given buffer 'sums', which has been freed "
                  "before") +
          free_once);
  expect_call_refused(
      [] { return upsweep_emulated_release(allocated("reinterpret_cast<void**>(&x)", 4) + 1); },
      std::string("cudaFree() at an unknown position is given byte 4 of buffer 'x'") + free_once);
}

TEST(plain_cuda_host_calls, copies_stay_in_their_buffer) {
  for (bool const reads : {true, false}) {
    auto const copy = [reads](std::ptrdiff_t first, std::size_t bytes, bool is_freed = false) {
      return [=] {
        int* const p = allocated("&p", 10);
        std::vector<std::byte> here(64);
        if (is_freed) static_cast<void>(upsweep_emulated_release(p));
        auto* const place = reinterpret_cast<std::byte*>(p) + first;
        return reads ? upsweep_emulated_host_copy(here.data(), place, bytes, device_to_host, 0)
                     : upsweep_emulated_host_copy(place, here.data(), bytes, host_to_device, 0);
      };
    };
    std::string const begin =
        std::string("a copy at an unknown position ") + (reads ? "reads " : "writes ");
    EXPECT_EQ(answer_of(copy(0, 40)).error, accepted);
    EXPECT_EQ(answer_of(copy(39, 1)).error, accepted);
    EXPECT_EQ(answer_of(copy(44, 0)).error, accepted);
    expect_call_refused(copy(0, 41), begin + "bytes 0 to 40 of buffer 'p', which has 40 bytes");
    expect_call_refused(copy(38, 3), begin + "bytes 38 to 40 of buffer 'p', which has 40 bytes");
    expect_call_refused(copy(-1, 2), begin + "bytes -1 to 0 of buffer 'p', which has 40 bytes");
    expect_call_refused(copy(0, 4, true), begin + "buffer 'p', which has been freed by cudaFree()");
  }
}

TEST(plain_cuda_host_calls, copies_go_where_their_direction_says) {
  int from = 7, to = 0;
  auto const copy = [&](char const* sides, int direction) {
    return [&, sides, direction] {
      auto const place = [&](char side, char const* name, int* here) {
        return side == 'h' ? here : allocated(name, 1, side == 'm');
      };
      int* const source = place(sides[0], "&source", &from);
      int* const target = place(sides[1], "&target", &to);
      return upsweep_emulated_host_copy(target, source, sizeof from, direction, 0);
    };
  };
  for (auto const& [sides, direction] : {std::pair{"hh", host_to_host},
                                         {"hd", host_to_device},
                                         {"dh", device_to_host},
                                         {"dd", device_to_device},
                                         {"mh", host_to_host},
                                         {"hm", host_to_host},
                                         {"mm", device_to_device},
                                         {"hm", host_to_device},
                                         {"mh", device_to_host},
                                         {"hh", any_direction},
                                         {"dh", any_direction},
                                         {"hd", any_direction},
                                         {"dd", -1}}) {
    answer const a = answer_of(copy(sides, direction));
    EXPECT_EQ(a.error, accepted) << sides << " " << direction;
    EXPECT_EQ(a.sentences, "");
  }
  constexpr char const* end =
      ": the arguments are the destination, the source, the bytes and the direction";
  struct {
    char const* sides;
    int direction;
    char const* what;
  } const wrong[]{
      {"dh", host_to_host,
       "cudaMemcpyHostToHost, but its source, buffer 'source', is memory of the device"},
      {"hd", host_to_host,
       "cudaMemcpyHostToHost, but its destination, buffer 'target', is memory of the device"},
      {"hh", host_to_device, "cudaMemcpyHostToDevice, but its destination is memory of the host"},
      {"dd", host_to_device,
       "cudaMemcpyHostToDevice, but its source, buffer 'source', is memory of the device"},
      {"hh", device_to_host, "cudaMemcpyDeviceToHost, but its source is memory of the host"},
      {"dd", device_to_host,
       "cudaMemcpyDeviceToHost, but its destination, buffer 'target', is memory of the device"},
      {"hd", device_to_device, "cudaMemcpyDeviceToDevice, but its source is memory of the host"},
      {"dh", device_to_device,
       "cudaMemcpyDeviceToDevice, but its destination is memory of the host"},
  };
  for (auto const& [sides, direction, what] : wrong)
    expect_call_refused(copy(sides, direction),
                        std::string("a copy at an unknown position says ") + what + end);
}

TEST(plain_cuda_host_calls, cudaMemset_sets_memory_of_the_device) {
  EXPECT_EQ(answer_of([] {
              int* const p = allocated("&p", 4);
              EXPECT_EQ(upsweep_emulated_host_set(p + 1, 1, 12, 0), accepted);
              int back[3] = {};
              EXPECT_EQ(upsweep_emulated_host_copy(back, p + 1, 12, any_direction, 0), accepted);
              for (int const x : back) EXPECT_EQ(x, 0x01010101);
              return upsweep_emulated_host_set(p + 4, 0, 0, 0);
            }).error,
            accepted);
  expect_call_refused(
      [] {
        int here = 0;
        return upsweep_emulated_host_set(&here, 0, sizeof here, 0);
      },
      "cudaMemset() at an unknown position is given memory of the host: use memset(), or a "
      "pointer from cudaMalloc()");
  expect_call_refused(
      [] { return upsweep_emulated_host_set(allocated("&p", 4) + 1, 0, 16, 0); },
      "cudaMemset() at an unknown position writes bytes 4 to 19 of buffer 'p', which has 16 bytes");
}

/// Accesses are checked by elements as large as the type says, if its alignment may be as large.
TEST(plain_cuda_host_calls, elements_of_a_buffer_are_as_large_as_its_type_is_aligned) {
  sim::machine m;
  sim::runtime const runtime(m);
  for (auto const& [type, element] : {std::pair{0u, 4u},
                                      {1u, 1u},
                                      {2u, 1u},
                                      {4u, 4u},
                                      {6u, 1u},
                                      {8u, 8u},
                                      {12u, 4u},
                                      {16u, 8u}}) {
    void* place = nullptr;
    EXPECT_EQ(upsweep_emulated_allocate(&place, 48, type, "&p", 0), accepted);
    EXPECT_EQ(sim::buffer_at(static_cast<std::byte const*>(place))->element_bytes, element) << type;
  }
}

TEST(plain_cuda_host_calls, pointers_tell_their_kind_and_memory_its_size) {
  sim::machine m;
  sim::runtime const runtime(m);
  int here = 0;
  std::size_t const before = upsweep_emulated_allocated_bytes();
  int* const p = allocated("&p", 25);
  EXPECT_EQ(upsweep_emulated_allocated_bytes(), before + 100);
  EXPECT_EQ(upsweep_emulated_memory_type(p), 2);
  EXPECT_EQ(upsweep_emulated_memory_type(allocated("&p", 4, true)), 3);
  EXPECT_EQ(upsweep_emulated_memory_type(&here), 0);
  void* place = &here;
  EXPECT_EQ(upsweep_emulated_allocate(&place, std::size_t{1} << 50, 4, "&p", 0), out_of_memory);
  EXPECT_EQ(place, nullptr);
}

/// A microsecond for each launch and a nanosecond for each step of a warp.
TEST(plain_cuda_host_calls, time_is_counted_in_launches_and_steps) {
  sim::module const module(UPSWEEP_MODULE_host_words);
  sim::machine m;
  sim::runtime const runtime(m);
  EXPECT_EQ(upsweep_emulated_milliseconds(), 0);
  EXPECT_TRUE(module.function<bool()>("other_launches")());
  double const steps = static_cast<double>(m.result().total().steps),
               launches = static_cast<double>(m.result().launches.size());
  EXPECT_GT(steps, 0);
  EXPECT_DOUBLE_EQ(upsweep_emulated_milliseconds(), (1000 * launches + steps) * 1e-6);
  int here = 0;
  EXPECT_EQ(upsweep_emulated_release(&here), invalid_value);
  EXPECT_EQ(m.result().findings.back().launch, sim::finding::no_launch);
}

}  // namespace
