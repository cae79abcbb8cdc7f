/// The quotas of Linux's cgroups, versions 1 and 2.
#include <upsweep/system/system.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace upsweep::system {
namespace {

/// The quota of a cgroup directory in CPUs; infinity without one. Version 2 has "quota period" or
/// "max period" in one file, version 1 has two files.
double quota_of(std::string const& directory) {
  std::string quota;
  double period = 0;
  if (std::ifstream v2(directory + "/cpu.max"); v2 >> quota >> period && quota != "max")
    return std::stod(quota) / period;
  double microseconds = 0;
  std::ifstream v1_quota(directory + "/cpu.cfs_quota_us"),
      v1_period(directory + "/cpu.cfs_period_us");
  if (v1_quota >> microseconds && v1_period >> period && microseconds > 0)
    return microseconds / period;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

double cgroup_quota(char const* membership, char const* root) {
  double tightest = std::numeric_limits<double>::infinity();
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    auto const controllers = line.find(':'), path = line.find(':', controllers + 1);
    if (path == std::string::npos) continue;
    std::string const names = line.substr(controllers + 1, path - controllers - 1);
    if (!names.empty() && names.find("cpu") == std::string::npos) continue;
    std::string const top = std::string(root) + (names.empty() ? "" : "/cpu");
    for (std::string group = line.substr(path + 1);; group.resize(group.rfind('/'))) {
      tightest = std::min(tightest, quota_of(top + (group == "/" ? "" : group)));
      if (group.rfind('/') == std::string::npos || group == "/") break;
    }
    tightest = std::min(tightest, quota_of(top));
  }
  return tightest;
}

}  // namespace upsweep::system
