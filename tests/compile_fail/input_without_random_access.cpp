/// An input whose elements can only be reached one after another.
#include <upsweep/upsweep.hpp>

#ifdef CORRECT
#include <deque>
using input = std::deque<int>;
#else
#include <list>
using input = std::list<int>;
#endif

long total(input const& x) {
  return upsweep::reduce(x);
}
