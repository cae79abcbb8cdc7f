/// Arrays of ranks in device memory, on a device that the test plays: what it is asked for gives
/// the bits of the host, and arrays in two memories are refused. tests/c_api/cuda_ranks_program.c
/// does the same on a GPU.
#include <support/bits.hpp>
#include <upsweep/c_api/ranks/device.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/system/system.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#ifdef __linux__
#include <dlfcn.h>
#include <sys/mman.h>
#endif

namespace {

using namespace upsweep::c_api;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// All memory is the device's, except one address.
struct played_device : upsweep_device {
  void const* host = nullptr;
  mutable std::size_t runs = 0;
  enum { works, fails, has_no_memory } state = works;

  [[nodiscard]] memory_place place(void const* data) const override {
    return data == host ? memory_place::host : memory_place::device;
  }
  void copy_to_host(void* to, void const* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  void run(std::span<device_task const> tasks, std::span<device_result> results) const override {
    if (state == fails) throw upsweep::error("launch the kernel: it failed");
    if (state == has_no_memory) throw std::bad_alloc();
    ++runs;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      device_addends const addends{tasks[k].field, tasks[k].part()};
      for (std::size_t i = 0; tasks[k].wants_sum && i < addends.size(); ++i)
        results[k].sum.absorb(addends(static_cast<std::ptrdiff_t>(i)));
      device_element_facts const facts{tasks[k].field, tasks[k].field.is_real()};
      for (std::int64_t i = 0; tasks[k].wants_facts && i < tasks[k].field.size(); ++i)
        results[k].facts = add_device_facts{}(results[k].facts, facts(i));
    }
  }
  [[nodiscard]] device_key first_key(device_keys const& keys) const override {
    device_key first;
    for (std::int64_t i = 0; i < keys.from.size(); ++i) first = first_device_key{}(first, keys(i));
    return first;
  }
};

upsweep_ranks ranks_with(upsweep_device const* device) {
  upsweep_ranks ranks = upsweep_one_rank();
  ranks.device = device;
  return ranks;
}

/// What all functions say of a field, as text, so that two can be compared.
std::string results_of(upsweep_ranks const& ranks, upsweep_field const& field,
                       upsweep_array const* index) {
  std::string text;
  unsigned char out[8];
  upsweep_element_counts counts{};
  std::int64_t position = -1;
  auto const add = [&](upsweep_status status) {
    text += std::to_string(static_cast<int>(status));
    for (unsigned char const byte : out) text += "," + std::to_string(byte);
    text += ":" + std::to_string(counts.elements) + "," + std::to_string(counts.nan) + "," +
            std::to_string(counts.plus_infinity) + "," + std::to_string(counts.minus_infinity) +
            "@" + std::to_string(position) + "\n";
    std::memset(out, 0, sizeof out);
  };
  std::memset(out, 0, sizeof out);
  add(upsweep_global_sum(&ranks, &field, &counts, out));
  upsweep_field plain = field;
  plain.weights = upsweep_array{};
  add(upsweep_global_sum(&ranks, &plain, &counts, out));
  add(upsweep_global_mean(&ranks, &plain, &counts, out));
  add(upsweep_global_variance(&ranks, &plain, 1, &counts, out));
  add(upsweep_global_min(&ranks, &plain, index, &position, &counts, out));
  add(upsweep_global_max(&ranks, &plain, index, &position, &counts, out));
  return text;
}

struct numbers {
  std::mt19937_64 next{65};
  /// Of all exponents from -most to most, and everything that is special.
  double real(int most, bool special) {
    auto const bits = next();
    if (special && bits % 16 == 0) {
      double const values[] = {0.0, -0.0, infinity, -infinity, std::nan(""), 5e-324, 1e308, -1e308};
      return values[bits / 16 % 8];
    }
    int const exponent = static_cast<int>(bits % static_cast<std::uint64_t>(2 * most + 1)) - most;
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(next())), exponent - 63);
  }
};

template <class T>
upsweep_type type_of_array();
template <>
upsweep_type type_of_array<double>() {
  return UPSWEEP_F64;
}
template <>
upsweep_type type_of_array<float>() {
  return UPSWEEP_F32;
}
template <>
upsweep_type type_of_array<std::int64_t>() {
  return UPSWEEP_I64;
}
template <>
upsweep_type type_of_array<std::int32_t>() {
  return UPSWEEP_I32;
}

/// A random field of two dimensions, with gaps, masked or not, weighted or not.
template <class T>
void expect_same(numbers& random, std::size_t rows, std::size_t columns, int most, bool special) {
  std::size_t const n = rows * (columns + 1);
  std::vector<T> x(n), y(n);
  std::vector<std::int16_t> mask(n);
  std::vector<std::int32_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      x[i] = static_cast<T>(random.next());
      y[i] = static_cast<T>(random.next() % 3 == 0 ? random.next() : random.next() % 7);
    } else {
      x[i] = static_cast<T>(random.real(most, special));
      y[i] = static_cast<T>(random.real(most, special));
    }
    mask[i] = random.next() % 3 == 0 ? 0 : 256;
    numbers[i] = static_cast<std::int32_t>(random.next() % 1000);
  }
  std::size_t const shape[] = {rows, columns + 1};
  auto const part = [&](upsweep_type type, void const* data) {
    return upsweep_array_slice(upsweep_array_of_shape(type, data, 2, shape), 1, 0, columns, 1);
  };
  played_device const device;
  for (int form = 0; form < 8; ++form) {
    upsweep_field field{};
    field.values = part(type_of_array<T>(), x.data());
    if ((form & 1) != 0) field.mask = part(UPSWEEP_I16, mask.data());
    if ((form & 2) != 0) field.weights = part(type_of_array<T>(), y.data());
    upsweep_array const index = part(UPSWEEP_I32, numbers.data());
    upsweep_array const* const given = (form & 4) != 0 ? &index : nullptr;
    EXPECT_EQ(results_of(upsweep_one_rank(), field, given),
              results_of(ranks_with(&device), field, given))
        << rows << " x " << columns << ", form " << form << ", exponents to " << most;
  }
}

TEST(c_ranks_device, every_field_has_the_bits_of_the_host) {
  numbers random;
  for (int const most : {30, 500, 700, 1070})
    for (bool const special : {false, true})
      for (std::size_t const rows : std::vector<std::size_t>{1, 2, 7}) {
        expect_same<double>(random, rows, 0, most, special);
        expect_same<double>(random, rows, 1, most, special);
        expect_same<double>(random, rows, 157, most, special);
        expect_same<float>(random, rows, 157, most, special);
        expect_same<std::int64_t>(random, rows, 157, most, special);
        expect_same<std::int32_t>(random, rows, 157, most, special);
      }
}

double dot_of(upsweep_ranks const* ranks, std::vector<double> const& a,
              std::vector<double> const& b) {
  auto const p = upsweep_array_of(UPSWEEP_F64, a.data(), a.size()),
             q = upsweep_array_of(UPSWEEP_F64, b.data(), b.size());
  double sum = 0;
  EXPECT_EQ(UPSWEEP_OK, upsweep_global_dot(ranks, &p, &q, nullptr, nullptr, &sum));
  return sum;
}

/// Both sides of the borders where products become small or large.
TEST(c_ranks_device, products_at_the_ends_of_the_range_are_exact) {
  std::vector<double> x, y;
  for (int const exponent : {-2148, -2147, -1100, -1074, -1023, -1022, -970, -969, -968, -967, 1022,
                             1023, 1024, 1025, 2046})
    for (double const factor : {1.0, 1 + 0x1p-52, 2 - 0x1p-52}) {
      int const half = exponent / 2;
      x.push_back(std::ldexp(factor, half));
      y.push_back(std::ldexp(factor, exponent - half));
    }
  played_device const device;
  auto const ranks = ranks_with(&device);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i; j < x.size(); ++j) {
      std::vector<double> const a = {x[i], x[j], -x[j]}, b = {y[i], y[j], y[i]};
      double const there = dot_of(&ranks, a, b), here = dot_of(nullptr, a, b);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(here), std::bit_cast<std::uint64_t>(there))
          << i << " " << j;
    }
}

/// A second pass is made only for what one pass cannot sum.
TEST(c_ranks_device, usual_products_take_one_pass) {
  double const kinds[] = {1.5, -0.0, infinity, std::nan(""), 0x1p-600, 0x1p600};
  for (double const x : kinds)
    for (double const y : kinds) {
      std::vector<double> const a = {3, x, -7}, b = {0.1, y, 0.3};
      double const product = x * y;
      bool const is_usual = x == 0 || y == 0
                                ? std::isfinite(product)
                                : std::isfinite(product) && std::fabs(product) > 1e-200;
      bool const is_number = std::isfinite(x) && std::isfinite(y);
      played_device const device;
      auto const ranks = ranks_with(&device);
      double const there = dot_of(&ranks, a, b), here = dot_of(nullptr, a, b);
      EXPECT_TRUE(upsweep::test::same_bits(here, there)) << x << " * " << y;
      EXPECT_EQ(is_usual ? 1U : is_number ? 3U : 2U, device.runs) << x << " * " << y;

      for (bool const marks : {false, true}) {
        auto const p = upsweep_array_of(UPSWEEP_F64, a.data(), 3),
                   q = upsweep_array_of(UPSWEEP_F64, b.data(), 3);
        product_part const part{upsweep::c_api::product_range::usual, marks};
        device_products const plain{a.data(), b.data(), part};
        device_field const both{{array_reader(p)}, {}, {array_reader(q)}, {}, false, true, false};
        device_addends const any{both, part};
        for (std::ptrdiff_t k = 0; k < 6; ++k)
          EXPECT_TRUE(upsweep::test::same_bits(plain(k), any(k))) << x << " * " << y << ", " << k;
      }
    }
}

TEST(c_ranks_device, many_fields_are_one_task_list) {
  played_device const device;
  auto const ranks = ranks_with(&device);
  std::vector<double> const x = {1, 2, 4, 8};
  std::vector<upsweep_field> fields(100);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    fields[k] = {};
    fields[k].values = upsweep_array_of(UPSWEEP_F64, x.data(), k % 5);
  }
  std::vector<double> sums(100);
  ASSERT_EQ(UPSWEEP_OK,
            upsweep_global_sums(&ranks, fields.data(), 100, UPSWEEP_F64, nullptr, sums.data()));
  for (std::size_t k = 0; k < fields.size(); ++k) EXPECT_EQ((1 << k % 5) - 1, sums[k]);
  EXPECT_EQ(1U, device.runs);
}

TEST(c_ranks_device, one_element_of_the_host_serves_for_all) {
  played_device device;
  double const half = 0.5, infinite = infinity;
  std::uint8_t const keep = 1;
  std::vector<double> const x = {1, 2, 4};
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), 3);
  field.mask = upsweep_array_of_shape(UPSWEEP_U8, &keep, 0, nullptr);
  double sum = 0;
  for (double const* const weight : {&half, &infinite}) {
    field.weights = upsweep_array_of_shape(UPSWEEP_F64, weight, 0, nullptr);
    for (void const* const host :
         {static_cast<void const*>(weight), static_cast<void const*>(&keep)}) {
      device.host = host;
      auto const ranks = ranks_with(&device);
      ASSERT_EQ(UPSWEEP_OK, upsweep_global_sum(&ranks, &field, nullptr, &sum));
      EXPECT_EQ(7 * *weight, sum);
    }
  }
  // The other way round the host would have to read the device's memory.
  device.host = x.data();
  auto const ranks = ranks_with(&device);
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(&ranks, &field, nullptr, &sum));
}

void expect_sentence(char const* part) {
  EXPECT_NE(std::string::npos, std::string(upsweep_last_error_message()).find(part))
      << upsweep_last_error_message();
}

TEST(c_ranks_device, arrays_in_two_memories_are_refused) {
  played_device device;
  std::vector<double> x = {1, 2, 4};
  std::vector<std::uint8_t> const mask = {1, 1, 0};
  std::vector<std::int64_t> const numbers = {1, 2, 3};
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), 3);
  field.mask = upsweep_array_of(UPSWEEP_U8, mask.data(), 3);
  auto const index = upsweep_array_of(UPSWEEP_I64, numbers.data(), 3);
  double out = -1;
  device.host = mask.data();
  auto const ranks = ranks_with(&device);
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(&ranks, &field, nullptr, &out));
  expect_sentence("`values` are in the memory of the GPU and `mask` in that of the host");
  device.host = x.data();
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(&ranks, &field, nullptr, &out));
  expect_sentence("`values` are in the memory of the host and `mask` in that of the GPU");
  field.mask = {};
  field.weights = upsweep_array_of(UPSWEEP_F64, x.data() + 1, 2);
  field.values.shape[0] = 2;
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(&ranks, &field, nullptr, &out));
  expect_sentence("and `weights` in that of the GPU");
  field.weights = {};
  field.values.shape[0] = 3;
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT,
            upsweep_global_min(&ranks, &field, &index, nullptr, nullptr, &out));
  expect_sentence("and `index` in that of the GPU");
  EXPECT_EQ(-1, out);
  device.host = nullptr;
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT,
            upsweep_global_running_sum(&ranks, &field.values, 0, 0, &field.values));
  expect_sentence("`values` is in the memory of a GPU, where this function does not run");
  EXPECT_EQ((std::vector<double>{1, 2, 4}), x);
}

#ifdef __linux__
/// A page that cannot be read, as device memory. UPSWEEP_PLAYED_CUDA is a library with the name of
/// CUDA's driver.
TEST(c_ranks_device, memory_of_a_gpu_without_a_device_is_refused) {
  std::size_t const bytes = 4096;
  void* const page = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, page);
  std::vector<double> const x(512, 1);
  EXPECT_FALSE(upsweep::system::has_loaded("libcuda.so"));
  void* const library = dlopen(UPSWEEP_PLAYED_CUDA, RTLD_NOW);
  ASSERT_NE(nullptr, library) << dlerror();
  EXPECT_TRUE(upsweep::system::has_loaded("libcuda.so"));
  EXPECT_TRUE(upsweep::system::has_loaded("libcuda.so"));
  upsweep_field field{};
  double out = -1;
  field.values = upsweep_array_of(UPSWEEP_F64, page, 512);
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(nullptr, &field, nullptr, &out));
  expect_sentence(
      "arguments are wrong on 1 of 1 ranks; on this one `values` is in memory that the CPU cannot "
      "read. For memory of a GPU configure the library with UPSWEEP_CUDA=ON, link "
      "upsweep_cuda, and set ranks->device to upsweep_cuda_device() (in Fortran compile "
      "upsweep.F90 with -DUPSWEEP_CUDA)");
  field.weights = upsweep_array_of_shape(UPSWEEP_F64, page, 0, nullptr);
  field.values.data = x.data();
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_sum(nullptr, &field, nullptr, &out));
  expect_sentence("`weights` is in memory");
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT,
            upsweep_global_running_sum(nullptr, &field.weights, 0, 0, &field.weights));
  auto const line = upsweep_array_of(UPSWEEP_F64, page, 512);
  EXPECT_EQ(UPSWEEP_INVALID_ARGUMENT, upsweep_global_running_sum(nullptr, &line, 0, 0, &line));
  expect_sentence("`values` is in memory");
  EXPECT_EQ(-1, out);
  field.weights = {};
  EXPECT_EQ(UPSWEEP_OK, upsweep_global_sum(nullptr, &field, nullptr, &out));
  EXPECT_EQ(512, out);
  dlclose(library);
  munmap(page, bytes);
}
#endif

TEST(c_ranks_device, a_device_that_fails_is_a_status) {
  played_device device;
  std::vector<double> const x = {1, 2, 4};
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), 3);
  double out = -1;
  auto const ranks = ranks_with(&device);
  device.state = played_device::fails;
  EXPECT_EQ(UPSWEEP_DEVICE_ERROR, upsweep_global_sum(&ranks, &field, nullptr, &out));
  expect_sentence(
      "upsweep_global_sum: the GPU failed on 1 of 1 ranks; on this one launch the "
      "kernel: it failed");
  device.state = played_device::has_no_memory;
  EXPECT_EQ(UPSWEEP_OUT_OF_MEMORY, upsweep_global_sum(&ranks, &field, nullptr, &out));
  EXPECT_EQ(-1, out);
}

}  // namespace
