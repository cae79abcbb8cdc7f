/// An operator that cannot combine two elements.
#include <upsweep/upsweep.hpp>

#include <vector>

struct pair_of_ints {
  int a, b;
};

struct add_pairs {
  template <class>
  using accumulator = pair_of_ints;
#ifdef CORRECT
  pair_of_ints operator()(pair_of_ints const& x, pair_of_ints const& y) const {
    return {x.a + y.a, x.b + y.b};
  }
#else
  pair_of_ints operator()(pair_of_ints const& x) const {
    return x;
  }
#endif
};

pair_of_ints total(std::vector<pair_of_ints> const& x) {
  return upsweep::reduce(x, add_pairs{});
}
