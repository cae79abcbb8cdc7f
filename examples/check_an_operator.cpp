/// Is my operator associative? check_monoid searches for a counter-example and describes it.
#include <upsweep/ops/laws.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <initializer_list>

int main() {
  auto const difference = [](int a, int b) { return a - b; };
  auto const larger = [](int a, int b) { return a < b ? b : a; };

  auto const fault = upsweep::check_monoid(difference, {3, 5, 2});
  std::printf("difference: %s\n", fault ? fault->c_str() : "no counter-example");
  std::printf("larger: %s\n",
              upsweep::check_monoid(larger, {3, 5, 2}) ? "wrong" : "no counter-example");
}
