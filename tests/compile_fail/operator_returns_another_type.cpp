/// An operator whose result is no accumulator.
#include <upsweep/upsweep.hpp>

#include <string>
#include <vector>

struct join {
  template <class>
  using accumulator = std::string;
#ifdef CORRECT
  std::string operator()(std::string const& x, std::string const& y) const {
    return x + y;
  }
#else
  std::vector<char> operator()(std::string const& x, std::string const& y) const {
    return {x.front(), y.front()};
  }
#endif
};

void joined(std::vector<std::string> const& x, std::vector<std::string>& out) {
  upsweep::inclusive_scan(x, out, join{});
}
