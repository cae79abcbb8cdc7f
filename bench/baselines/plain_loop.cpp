/// The plain loop for the rows by name.
#include <bench/baselines/plain_loop.hpp>
#include <bench/baselines/runners.hpp>
#include <bench/harness/catalog.hpp>
#include <bench/harness/plain.hpp>

namespace upsweep::bench {
namespace {

template <class Op, class T>
struct plain_call {
  using loop = plain::running<Op, T>;
  using result = decltype(std::declval<loop>().result());

  static void reduce(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&] { plain::reduce<loop>(input<T>(c), output<result>(c), c.n); });
  }
  static void scan(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&] { plain::inclusive_scan<loop>(input<T>(c), output<result>(c), c.n); });
  }
};

}  // namespace

run_function find_plain_loop(work const& w) {
  run_function found = nullptr;
  for_each_row_pair([&]<class Op, class T>() {
    if constexpr (plain::has_loop<Op, T>)
      if (is_row_of<Op, T>(w))
        found = w.verb == verb::reduce ? plain_call<Op, T>::reduce : plain_call<Op, T>::scan;
  });
  return found;
}

}  // namespace upsweep::bench
