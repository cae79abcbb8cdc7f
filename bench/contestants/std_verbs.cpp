/// The verbs of std.cpp, apart from its reductions and scans: beside these, g++ inlines more in the
/// merges of the library's sorts.
#include <bench/plain/std_calls.hpp>

#include <execution>

namespace upsweep::bench {
namespace {

struct parallel_policy {
  template <class F>
  static void with(F const& f) {
    f(std::execution::par_unseq);
  }
};

}  // namespace

verb_entries parallel_std_verbs() {
  return std_calls<parallel_policy>::all;
}

}  // namespace upsweep::bench
