/// Arguments of a kernel that is known as an address only go where x86-64 passes them.
#include "modules.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace upsweep::sim_test {

// Kernels of which only the parameters matter; their symbols are in the program.
template <class... T>
struct parameters {};
void none() {}
void every_width(char, signed char, unsigned char, bool, short, unsigned short) {}
void every_word(int, unsigned, long, unsigned long, long long, unsigned long long) {}
void every_pointer(int const*, parameters<int, parameters<>>*, int (**)(int, float), int (*)(float),
                   int (*)[4]) {}
void mixed(float, int, double, char, float, long*) {}
void six_and_eight(int, int, int, int, int, int, float, double, double, double, double, double,
                   double, double) {}
void on_the_stack(int, int, int, int, int, int, short, double, double, double, double, double,
                  double, double, double, float, char, int, int, int, int, double*) {}
void too_many(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int) {}
void a_structure(int, parameters<int>) {}
void a_reference(int&) {}
void a_member(int (std::string::*)(int)) {}
extern "C" void without_types(int) {}

namespace {

/// Argument i has the bytes i + 1, 0xa0 + i and so on, so that each can be told.
template <class... T>
upsweep_emulated_bound_kernel bound(void (*kernel)(T...), int error = accepted) {
  std::array<std::array<unsigned char, 8>, sizeof...(T) + 1> values{};
  std::array<void*, sizeof...(T) + 1> arguments{};
  for (std::size_t i = 0; i < sizeof...(T); ++i) {
    values[i].fill(static_cast<unsigned char>(0xa0 + i));
    values[i][0] = static_cast<unsigned char>(i + 1);
    arguments[i] = values[i].data();
  }
  upsweep_emulated_bound_kernel made{};
  answer const a = answer_of([&] {
    return upsweep_emulated_bind(reinterpret_cast<void const*>(kernel), arguments.data(), &made);
  });
  EXPECT_EQ(a.error, error);
  EXPECT_EQ(made.kernel, reinterpret_cast<void const*>(kernel));
  constexpr char const* why =
      "a kernel is launched through a void*, and its parameters are not all scalars or pointers, "
      "or it is static or extern \"C\": pass the kernel itself to cudaLaunchKernel() (an unknown "
      "position)";
  EXPECT_EQ(a.sentences, error == accepted ? "" : why);
  return made;
}

/// The value of argument i in a slot of eight bytes.
std::uint64_t word(std::size_t i, std::size_t bytes) {
  std::uint64_t value = 0;
  std::array<unsigned char, 8> from{};
  from.fill(static_cast<unsigned char>(0xa0 + i));
  from[0] = static_cast<unsigned char>(i + 1);
  std::memcpy(&value, from.data(), bytes);
  return value;
}
std::uint64_t bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}

TEST(plain_cuda_binding, arguments_have_the_width_of_their_type) {
  static_cast<void>(bound(none));
  auto const narrow = bound(every_width);
  std::size_t const widths[]{1, 1, 1, 1, 2, 2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(narrow.integers[i], word(i, widths[i])) << i;
  auto const words = bound(every_word);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(words.integers[i], word(i, i < 2 ? 4 : 8)) << i;
  auto const pointers = bound(every_pointer);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(pointers.integers[i], word(i, 8)) << i;
}

TEST(plain_cuda_binding, integers_and_floats_have_registers_of_their_own) {
  auto const few = bound(mixed);
  EXPECT_EQ(bits(few.floats[0]), word(0, 4));
  EXPECT_EQ(few.integers[0], word(1, 4));
  EXPECT_EQ(bits(few.floats[1]), word(2, 8));
  EXPECT_EQ(few.integers[1], word(3, 1));
  EXPECT_EQ(bits(few.floats[2]), word(4, 4));
  EXPECT_EQ(few.integers[2], word(5, 8));
  EXPECT_EQ(bits(few.floats[3]), 0u);
  auto const full = bound(six_and_eight);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(full.integers[i], word(i, 4));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(bits(full.floats[i]), word(6 + i, i == 0 ? 4 : 8));
  for (auto const rest : full.stack) EXPECT_EQ(rest, 0u);
}

TEST(plain_cuda_binding, the_rest_is_on_the_stack_in_its_order) {
  auto const all = bound(on_the_stack);
  EXPECT_EQ(all.stack[0], word(6, 2));
  EXPECT_EQ(bits(all.floats[7]), word(14, 8));
  EXPECT_EQ(all.stack[1], word(15, 4));
  EXPECT_EQ(all.stack[2], word(16, 1));
  for (std::size_t i = 3; i < 7; ++i) EXPECT_EQ(all.stack[i], word(14 + i, 4));
  EXPECT_EQ(all.stack[7], word(21, 8));
}

TEST(plain_cuda_binding, other_parameters_are_refused) {
  static_cast<void>(bound(too_many, 801));
  static_cast<void>(bound(a_structure, 801));
  static_cast<void>(bound(a_reference, 801));
  static_cast<void>(bound(a_member, 801));
  static_cast<void>(bound(without_types, 801));
}

TEST(plain_cuda_binding, kernels_are_called_with_their_arguments) {
  sim::module const module(UPSWEEP_MODULE_host_words);
  sim::machine m;
  sim::runtime const runtime(m);
  EXPECT_TRUE(module.function<bool()>("launches_by_address")());
  for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
  EXPECT_EQ(m.result().launches.at(0).name, "takes_twenty");
}

}  // namespace
}  // namespace upsweep::sim_test
