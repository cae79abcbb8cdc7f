/// Bytes of partials are a function of the elements: not of threads, chunks, the way they were
/// taken, or the order in which pieces were joined. All operators of the catalog; all types of each
/// in `make test-full`.
#include "bytes_of_pieces.hpp"

#include <ops/elements_of.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace upsweep::test {
namespace {

constexpr std::size_t sizes[] = {1, 2, 3, 17, 33, 700};

/// Of checked operators elements whose total fits.
template <class Op, class T>
elements<T> elements_for(random_bits& next, std::size_t n) {
  elements<T> x(n);
  for (T& e : x.all()) {
    if constexpr (requires { typename Op::unchecked; })
      e = static_cast<T>(next.below(2));
    else
      e = element<T>(next());
  }
  return x;
}

TEST(partial_bytes, of_every_operator_depend_on_the_elements_only) {
  random_bits next(test_seed());
  auto const of_case = [&]<class T>(std::string_view name, auto const& op, std::type_identity<T>) {
    using Op = std::remove_cvref_t<decltype(op)>;
    std::string const what = std::string(name) + " over " + std::string(name_of<T>());
    for (std::size_t const n : sizes) {
      auto const x = elements_for<Op, T>(next, n);
      expect_bytes_of_elements<T>(std::span<T const>(x.all()), op, what, next);
    }
  };
#ifdef UPSWEEP_FULL_TESTS
  for_each_case(of_case);
#else
  for_each_end_case(of_case);
#endif
}

}  // namespace
}  // namespace upsweep::test
