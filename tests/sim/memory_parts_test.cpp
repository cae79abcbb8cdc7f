/// Where emulated memory lies, and to which buffer, variable or piece of the heap an address
/// belongs.
#include <upsweep/core/errors.hpp>
#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/device_heap.hpp>
#include <upsweep/sim/findings.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

using sim::memory;

TEST(buffers, begin_poisoned_in_slots_of_their_own) {
  sim::global_memory buffers(true);
  std::vector<memory*> all;
  for (std::size_t const bytes : {0u, 1u, 4096u, 12u})
    all.push_back(buffers.allocate_bytes(bytes, 4, "x"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    memory& m = *all[i];
    EXPECT_EQ(m.tag, std::uint64_t{i} << 48);
    EXPECT_TRUE(std::all_of(m.data, m.data + m.bytes,
                            [](std::byte b) { return b == std::byte{sim::poison}; }));
    // What misses it by a MiB is still nearest to it.
    std::ptrdiff_t const margin = sim::margin;
    for (std::ptrdiff_t const at : {-margin, std::ptrdiff_t{-1}, std::ptrdiff_t{0},
                                    static_cast<std::ptrdiff_t>(m.bytes) + margin})
      EXPECT_EQ(sim::buffer_at(m.data + at), &m) << i << " " << at;
    EXPECT_FALSE(sim::is_in_window(m.data));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(m.identity, all[j]->identity);
  }
  EXPECT_EQ(sim::buffer_at(sim::first_buffer - 1), nullptr);
  EXPECT_EQ(sim::buffer_at(sim::first_buffer + sim::buffers_bytes), nullptr);
  EXPECT_TRUE(sim::is_in_window(sim::first_buffer + sim::buffers_bytes));
  EXPECT_TRUE(sim::is_in_window(sim::first_buffer + sim::buffers_bytes + sim::windows_bytes - 1));
  EXPECT_FALSE(sim::is_in_window(sim::first_buffer + sim::buffers_bytes + sim::windows_bytes));
  EXPECT_FALSE(sim::is_in_window(sim::first_buffer + sim::buffers_bytes - 1));
}

bool is_readable(std::byte const* place) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  bool const is = write(ends[1], place, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return is;
}

/// Addresses of 256 MiB and more, of which only the first and the last byte are touched.
TEST(buffers, take_as_many_slots_as_they_and_their_margins_need) {
  std::size_t const slot = sim::slot_bytes, around = 4 * sim::margin;
  for (auto const& [bytes, slots] : {std::pair{std::size_t{1}, 1u},
                                     {slot - around - 1, 1u},
                                     {slot - around, 2u},
                                     {2 * slot - around - 1, 2u},
                                     {2 * slot - around, 3u}}) {
    memory m, next;
    m.bytes = bytes;
    next.bytes = 1;
    sim::take_slots(m);
    sim::take_slots(next);
    auto const number = [](memory const& of) {
      return static_cast<std::size_t>(of.data - sim::first_buffer) / sim::slot_bytes;
    };
    EXPECT_EQ(number(next) - number(m), slots) << bytes;
    m.data[0] = m.data[bytes - 1] = std::byte{7};
    for (unsigned i = 0; i < slots; ++i)
      EXPECT_EQ(sim::buffer_at(sim::first_buffer + (number(m) + i) * slot), &m);
    EXPECT_TRUE(is_readable(m.data + bytes - 1));
    EXPECT_FALSE(is_readable(m.data + bytes + 4096));
    EXPECT_FALSE(is_readable(m.data - 4096));
    sim::give_slots_back(m, bytes);
    EXPECT_FALSE(is_readable(m.data));
    EXPECT_FALSE(is_readable(m.data + bytes - 1));
    for (unsigned i = 0; i < slots; ++i)
      EXPECT_EQ(sim::buffer_at(sim::first_buffer + (number(m) + i) * slot), nullptr);
    EXPECT_EQ(sim::buffer_at(next.data), &next);
    sim::give_slots_back(next, 1);
  }
}

TEST(buffers, that_are_freed_keep_their_addresses_and_lose_their_content) {
  sim::global_memory buffers(true);
  memory& m = *buffers.allocate_bytes(10000, 4, "x");
  memory const& kept = *buffers.allocate_bytes(10000, 4, "z");
  std::byte* const place = m.data;
  buffers.release(m);
  EXPECT_EQ(std::count(place, place + 10000, std::byte{0}), 10000);  // the memory is given back
  EXPECT_TRUE(m.is_released);
  EXPECT_EQ(m.bytes, 0u);
  EXPECT_EQ(m.shadows, nullptr);
  EXPECT_EQ(sim::buffer_at(place), &m);
  memory& other = *buffers.allocate_bytes(10000, 4, "y");
  EXPECT_NE(sim::buffer_at(other.data), &m);
  EXPECT_NE(other.shadows, kept.shadows);
  EXPECT_NE(other.histories, kept.histories);
}

TEST(buffers, are_marked_where_the_host_writes) {
  sim::global_memory buffers(true);
  memory& m = *buffers.allocate_bytes(40, 4, "x");
  EXPECT_EQ(buffers.host_access(&m, 10, 12, true), m.data + 10);
  for (std::size_t e = 0; e < 10; ++e) EXPECT_EQ(m.shadows[e].write != 0, e >= 2 && e <= 5) << e;
  EXPECT_EQ(buffers.host_access(&m, 0, 40, false), m.data);
  EXPECT_EQ(m.shadows[0].write, 0u);
  EXPECT_EQ(buffers.host_access(nullptr, 0, 0, true), nullptr);
  for (auto const& [byte, bytes] : {std::pair{-1, 4}, {0, 41}, {40, 1}, {38, 3}})
    EXPECT_THROW(
        static_cast<void>(buffers.host_access(&m, byte, static_cast<std::size_t>(bytes), false)),
        precondition_error)
        << byte;
  EXPECT_THROW(static_cast<void>(buffers.host_access(nullptr, 0, 1, false)), precondition_error);

  buffers.split(m, 2);  // each half has the history of the whole
  EXPECT_EQ(m.element_bytes, 2u);
  for (std::size_t e = 0; e < 20; ++e) EXPECT_EQ(m.shadows[e].write != 0, e >= 4 && e <= 11) << e;
  m.shadows[0].read = 9;
  m.shadows[4].read = 9;
  buffers.forget_accesses();
  for (std::size_t e = 0; e < 20; ++e) {
    EXPECT_EQ(m.shadows[e].write != 0, e >= 4 && e <= 11) << e;
    EXPECT_EQ(m.shadows[e].read, 0u);
  }
}

TEST(elements, of_any_size_are_found_by_their_byte) {
  memory m;
  for (std::uint32_t const size : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 24u}) {
    m.set_element(size);
    for (std::uint64_t byte = 0; byte < 100; ++byte) EXPECT_EQ(m.element_of(byte), byte / size);
    m.bytes = 100;
    EXPECT_EQ(m.shadows_of(size), 100 / size + 1);
  }
}

TEST(device_heap, pieces_lie_apart_and_are_named_by_who_took_them) {
  sim::global_memory buffers(true);
  sim::device_heap heap(buffers, true);
  EXPECT_FALSE(heap.is_used());
  EXPECT_FALSE(heap.contains(&heap));
  EXPECT_EQ(heap.at(nullptr), nullptr);
  EXPECT_TRUE(heap.set_limit(1000));
  EXPECT_EQ(heap.limit(), 1000u);
  std::byte* const a = heap.allocate(400, 16, "malloc()", {});
  std::byte* const b = heap.allocate(6, 256, "new", {});
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_TRUE(heap.is_used());
  EXPECT_FALSE(heap.set_limit(2000));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 16, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 256, 0u);
  EXPECT_GE(b - a, 400 + 64);
  EXPECT_LT(b - a, 400 + 64 + 256);
  EXPECT_TRUE(std::all_of(a, a + 400, [](std::byte x) { return x == std::byte{sim::poison}; }));
  memory& m = *heap.at(a);
  EXPECT_EQ(m.data, a);
  EXPECT_EQ(m.bytes, 400u);
  EXPECT_EQ(m.element_bytes, 4u);
  EXPECT_EQ(heap.at(b)->element_bytes, 1u);
  EXPECT_TRUE(m.is_of_heap && m.is_divisible);
  EXPECT_EQ(*m.name, "malloc() at an unknown position");
  EXPECT_EQ(*heap.at(b)->name, "new at an unknown position");
  EXPECT_NE(m.shadows, nullptr);
  EXPECT_EQ(heap.at(b)->tag - m.tag, static_cast<std::uint64_t>(b - a));
  EXPECT_EQ(heap.at(b)->identity - m.identity, static_cast<std::uint64_t>(b - a));

  EXPECT_EQ(heap.at(a - 1), &m);
  EXPECT_EQ(heap.at(a + 399), &m);
  std::ptrdiff_t const end = 400, gap = b - a - end, middle = end + gap / 2;
  EXPECT_EQ(heap.at(a + middle - 1), &m);
  EXPECT_EQ(heap.at(a + middle + 1), heap.at(b));
  EXPECT_EQ(heap.at(b + 5000), heap.at(b));
}

TEST(device_heap, has_no_more_than_its_limit_and_what_is_freed_counts_no_longer) {
  for (bool const checks : {true, false}) {
    sim::global_memory buffers(checks);
    sim::device_heap heap(buffers, checks);
    std::vector<sim::finding> list;
    sim::findings found(list);
    EXPECT_TRUE(heap.set_limit(100));
    EXPECT_EQ(heap.allocate(101, 1, "new", {}), nullptr);
    std::byte* const a = heap.allocate(60, 4, "new", {});
    std::byte* const b = heap.allocate(40, 4, "new", {});
    EXPECT_NE(b, nullptr);
    EXPECT_EQ(heap.allocate(1, 1, "new", {}), nullptr);
    EXPECT_NE(heap.allocate(0, 1, "new", {}), nullptr);
    EXPECT_EQ(heap.at(a)->shadows != nullptr, checks);
    heap.release(a, "delete", {}, found);
    memory const& freed = *heap.at(a);
    EXPECT_TRUE(freed.is_released);
    EXPECT_EQ(freed.bytes, 0u);
    EXPECT_EQ(freed.shadows, nullptr);
    EXPECT_EQ(freed.histories, nullptr);
    EXPECT_EQ(heap.allocate(61, 1, "new", {}), nullptr);
    std::byte* const c = heap.allocate(60, 1, "new", {});
    EXPECT_GT(c, b);  // what is free is used again as late as possible
    EXPECT_TRUE(list.empty());
  }
}

TEST(device_heap, forgets_who_accessed_it_and_not_what_was_written) {
  sim::global_memory buffers(true);
  sim::device_heap heap(buffers, true);
  memory& m = *heap.at(heap.allocate(16, 4, "new", {}));
  m.shadows[1] = {77, 78};
  m.shadows[2] = {0, 78};
  heap.forget_accesses();
  EXPECT_EQ(m.shadows[1].write, sim::host_write);
  EXPECT_EQ(m.shadows[1].read, 0u);
  EXPECT_EQ(m.shadows[2].write, 0u);
  EXPECT_EQ(m.shadows[2].read, 0u);
}

TEST(loaded_code, knows_which_variable_is_at_or_before_an_address) {
  alignas(16) static std::byte room[8192];
  sim::loaded_code code;
  code.begin = room;
  code.end = room + sizeof room;
  code.data = room + 100;
  code.data_end = room + 400;
  code.variables = {{room + 20, 8, "constant"}, {room + 120, 4, "one"}, {room + 200, 16, "two"}};
  auto const at = [&](int byte) {
    auto const* const v = code.variable_at(room + byte);
    return v == nullptr ? std::string("none") : v->name;
  };
  auto const near = [&](int byte) {
    auto const* const v = code.variable_near(room + byte);
    return v == nullptr ? std::string("none") : v->name;
  };
  for (auto const& [byte, exact, nearest] : {std::tuple{0, "none", "none"},
                                             {19, "none", "none"},
                                             {20, "constant", "constant"},
                                             {27, "constant", "constant"},
                                             {28, "none", "none"},
                                             {99, "none", "none"},
                                             {100, "none", "none"},
                                             {119, "none", "none"},
                                             {120, "one", "one"},
                                             {123, "one", "one"},
                                             {124, "none", "one"},
                                             {199, "none", "one"},
                                             {200, "two", "two"},
                                             {215, "two", "two"},
                                             {216, "none", "two"},
                                             {400, "none", "two"},
                                             {4495, "none", "two"},
                                             {4496, "none", "none"}}) {
    EXPECT_EQ(at(byte), exact) << byte;
    EXPECT_EQ(near(byte), nearest) << byte;
  }
  EXPECT_TRUE(code.contains(room));
  EXPECT_TRUE(code.contains(room + sizeof room - 1));
  EXPECT_FALSE(code.contains(room + sizeof room));
  EXPECT_EQ(code.array_at(0), nullptr);
  code.arrays = {{16, 0, "first", ""}, {16, 64, "second", ""}, {16, 128, "third", ""}};
  for (auto const& [offset, name] : {std::pair{0u, "first"},
                                     {31u, "first"},
                                     {33u, "second"},
                                     {64u, "second"},
                                     {95u, "second"},
                                     {97u, "third"},
                                     {1000u, "third"}})
    EXPECT_EQ(code.array_at(offset)->name, name) << offset;
}

TEST(variables, are_adopted_once_as_written_by_the_host) {
  alignas(16) static std::byte place[32];
  sim::global_memory buffers(true);
  sim::module_variable const v{place, 30, "table"};
  memory& m = *buffers.adopt(v);
  EXPECT_EQ(buffers.adopt(v), &m);
  EXPECT_EQ(m.data, place);
  EXPECT_EQ(m.bytes, 30u);
  EXPECT_EQ(*m.name, "table");
  EXPECT_TRUE(m.is_divisible);
  for (std::size_t e = 0; e < 8; ++e) EXPECT_EQ(m.shadows[e].write, sim::host_write);
  EXPECT_EQ(buffers.allocated_bytes(), 30u);
  auto const before = buffers.fingerprint();
  place[29] = std::byte{1};
  EXPECT_NE(buffers.fingerprint(), before);
  sim::global_memory unchecked(false);
  EXPECT_EQ(unchecked.adopt(v)->shadows, nullptr);
}

}  // namespace
}  // namespace upsweep::sim_test
