/// Element types on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/types_contract.hpp>

#include <type_traits>

namespace upsweep::test {

/// Whether the language rejects To{x} as narrowing.
template <class From, class To>
inline constexpr bool braces_refuse = !requires(From x) { To{x}; };

template <class From, class To>
void expect_narrows() {
  constexpr bool rounds = std::is_integral_v<From> && std::is_floating_point_v<To>;
  constexpr bool is_truth = std::is_same_v<From, bool> || std::is_same_v<To, bool>;
  EXPECT_EQ((detail::narrows<From, To>), (braces_refuse<From, To> && !rounds && !is_truth))
      << __PRETTY_FUNCTION__;
}

template <class... T>
struct numbers {
  template <class From>
  static void expect_narrows_from() {
    (expect_narrows<From, T>(), ...);
  }
  static void expect_narrows_each() { (expect_narrows_from<T>(), ...); }
};

TEST(narrows, agrees_with_braces_but_lets_integers_be_rounded) {
  numbers<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
          unsigned long, long long, unsigned long long, float, double,
          long double>::expect_narrows_each();
  EXPECT_TRUE((detail::narrows<double, bfloat16>));
  EXPECT_FALSE((detail::narrows<bfloat16, float>));
  EXPECT_TRUE((detail::narrows<int128, long>));
  EXPECT_TRUE((detail::narrows<int128, uint128>));
  EXPECT_TRUE((detail::narrows<bfloat16, int>));
  EXPECT_FALSE((detail::narrows<long, int128>));
}

INSTANTIATE_TYPED_TEST_SUITE_P(host, types_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
