/// Contracts 2 and 8: reductions that stop at a final total have the reference's result, read
/// nothing after it, and throw nothing from later tiles.
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

template <class T, class Op>
void expect_the_references_total(std::vector<T> const& x, Op const& op, char const* what) {
  auto const expected = reference::reduce(x, op);
  for (int threads : {1, 3})
    EXPECT_EQ(upsweep::reduce(cpu{.threads = threads}, x, op), expected)
        << what << " of " << x.size() << " elements, " << threads << " threads";
}

/// Elements that decide nothing, and then the same with one or two that do.
template <class T, class Op>
void expect_totals(T ordinary, std::initializer_list<T> deciding, Op const& op, char const* what) {
  random_bits next(test_seed());
  for (std::size_t const n : std::initializer_list<std::size_t>{
           1, 2, 31, 32, 33, 63, 64, 127, 257, 511, 1024, 1055, 65535, 65536, 65537, 300007}) {
    std::vector<T> x(n, ordinary);
    expect_the_references_total(x, op, what);
    for (T const value : deciding)
      for (std::size_t const at : {std::size_t{0}, n - 1, next.below(n)}) {
        x[at] = value;
        expect_the_references_total(x, op, what);
        x[n / 2] = value;
        expect_the_references_total(x, op, what);
        x[at] = x[n / 2] = ordinary;
      }
  }
}

template <class T>
void expect_logical_totals(T one, std::initializer_list<T> others) {
  expect_totals<T>(T{}, others, logical_or{}, "any");
  expect_totals<T>(T{}, others, logical_xor{}, "parity");
  expect_totals<T>(one, {T{}}, logical_and{}, "all");
  for (T const other : others) expect_totals<T>(other, {T{}}, logical_and{}, "all");
  for (T const other : others) expect_totals<T>(other, {T{}}, logical_xor{}, "parity");
}

TEST(early_exit, all_any_and_parity_of_integers_are_the_references) {
  expect_logical_totals<bool>(true, {true});
  expect_logical_totals<std::int8_t>(1, {1, -128, 0x40});
  expect_logical_totals<std::uint16_t>(1, {1, 0x8000, 0x100});
  expect_logical_totals<std::int32_t>(1, {1, std::numeric_limits<std::int32_t>::min(), 256});
  expect_logical_totals<std::uint64_t>(1, {1, std::uint64_t{1} << 63, std::uint64_t{1} << 32});
}
TEST(early_exit, all_any_and_parity_of_floats_are_the_references) {
  using limits = std::numeric_limits<float>;
  expect_logical_totals<float>(1, {limits::denorm_min(), -limits::denorm_min(), limits::infinity(),
                                   limits::quiet_NaN(), -1.0f});
  expect_logical_totals<double>(1, {0x1p-1074, -0x1p-1074, 0x1p1023});
  expect_logical_totals<bfloat16>(bfloat16(1.0f), {bfloat16(-2.0f)});
}
TEST(early_exit, zeros_of_either_sign_are_false) {
  for (std::size_t const n : {1u, 64u, 1000u}) {
    EXPECT_FALSE(upsweep::reduce(std::vector<float>(n, -0.0f), logical_or{}));
    EXPECT_FALSE(upsweep::reduce(std::vector<double>(n, -0.0), logical_or{}));
    EXPECT_FALSE(upsweep::reduce(std::vector<double>(n, -0.0), logical_and{}));
  }
}
TEST(early_exit, divisors_are_the_references) {
  expect_totals<std::int32_t>(-91, {1, 13, 0, std::numeric_limits<std::int32_t>::min()}, gcd{},
                              "gcd");
  expect_totals<std::uint8_t>(0, {6, 255}, gcd{}, "gcd");
  expect_totals<std::int64_t>(std::int64_t{6} << 40, {std::int64_t{9} << 41, 0, 1}, gcd{}, "gcd");
  expect_totals<std::int64_t>(std::numeric_limits<std::int64_t>::min(), {-4}, gcd{}, "gcd");
}

/// A page of ints, all `ordinary`, before memory that must not be read.
class guarded {
 public:
  explicit guarded(int ordinary) {
    void* const got = mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<int*>(got);
    for (std::size_t i = 0; i < half / sizeof(int); ++i) memory_[i] = ordinary;
    if (mprotect(reinterpret_cast<std::byte*>(memory_) + half, half, PROT_NONE) != 0)
      throw std::runtime_error("mprotect");
  }
  ~guarded() { munmap(memory_, 2 * half); }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;

  /// With an element that decides.
  std::span<int const> with(int value, std::size_t at) {
    memory_[at] = value;
    return {memory_, 2 * half / sizeof(int)};
  }

 private:
  static constexpr std::size_t half = std::size_t{1} << 20;
  int* memory_ = nullptr;
};

TEST(early_exit, one_thread_reads_nothing_behind_a_final_total) {
  for (std::size_t const at : {0u, 1u, 5000u, 262143u}) {
    EXPECT_TRUE(upsweep::reduce(serial{}, guarded(0).with(7, at), logical_or{}));
    EXPECT_FALSE(upsweep::reduce(serial{}, guarded(3).with(0, at), logical_and{}));
    EXPECT_EQ(upsweep::reduce(serial{}, guarded(6).with(5, at), gcd{}), 1u);
    reduce_stream<int, logical_or, serial> stream;
    stream.push(guarded(0).with(7, at));
    stream.push(std::vector<int>(100, 0));
    EXPECT_TRUE(stream.result());
  }
  EXPECT_EQ(*upsweep::reduce(serial{}, guarded(4).with(9, 0), first{}), 9);
}

TEST(early_exit, the_last_element_is_read_alone) {
  EXPECT_EQ(*upsweep::reduce(serial{}, guarded(4).with(9, 0), last{}, {.reverse = true}), 9);
  EXPECT_EQ(*upsweep::reduce(std::vector<int>{1, 2, 3}, last{}, {.initial = 7}), 3);
}

TEST(early_exit, streams_keep_a_final_total) {
  std::vector<int> const zeros(100000, 0), ones(1, 1);
  for (int threads : {1, 3}) {
    reduce_stream<int, logical_or> stream(cpu{.threads = threads});
    for (auto const* chunk : {&zeros, &ones, &zeros, &zeros}) stream.push(*chunk);
    EXPECT_TRUE(stream.result());
  }
}

/// The largest, where 9 is the largest of all. Throws at 5; waits at 7.
struct largest_digit {
  static constexpr bool exact = true;
  static constexpr bool is_final(int a) { return a == 9; }
  int operator()(int a, int b) const {
    if (b == 7) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (b == 5) throw std::runtime_error("5");
    return a < b ? b : a;
  }
};

TEST(early_exit, exceptions_far_behind_a_final_total_do_not_count) {
  std::size_t const n = std::size_t{1} << 21;
  for (int const first : {0, 7}) {  // 7: the other tiles fail before the first has been combined
    std::vector<int> x(n, 0);
    x[1] = first;
    x[100] = 9;
    x[n / 2 + 1] = x[n - 1] = 5;
    for (int threads : {1, 2, 3})
      EXPECT_EQ(upsweep::reduce(cpu{.threads = threads}, x, largest_digit{}), 9);
  }
}

TEST(early_exit, exceptions_in_front_of_a_final_total_do_count) {
  std::size_t const n = std::size_t{1} << 21;
  std::vector<int> x(n, 0);
  x[1] = 7;
  x[101] = 5;
  x[n / 2] = x[n - 1] = 9;
  for (int threads : {1, 2, 3})
    EXPECT_THROW((void)upsweep::reduce(cpu{.threads = threads}, x, largest_digit{}),
                 std::runtime_error);
}

TEST(early_exit, functions_are_called_for_every_element) {
  std::vector<int> const x(5000, 1);
  std::size_t calls = 0;
  auto const counted = [&](int v) {
    ++calls;
    return v;
  };
  EXPECT_TRUE(upsweep::transform_reduce(serial{}, x, counted, logical_or{}));
  EXPECT_EQ(calls, x.size());
}

}  // namespace
}  // namespace upsweep::test
