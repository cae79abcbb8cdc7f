/// What systems other than Linux and Windows do not tell: affinities, quotas, libraries, pages.
#include <upsweep/system/system.hpp>

#include <cstddef>
#include <limits>

namespace upsweep::system {

void prefer_huge_pages(void*, std::size_t) noexcept {}

double cgroup_quota(char const*, char const*) {
  return std::numeric_limits<double>::infinity();
}

affinity affinity::of_this_thread() noexcept {
  return {};
}
void affinity::restrict_this_thread() const noexcept {}
int affinity::count() const noexcept {
  return 0;
}

bool has_loaded(char const*) noexcept {
  return false;
}
bool can_read(void const*) noexcept {
  return true;
}

}  // namespace upsweep::system
