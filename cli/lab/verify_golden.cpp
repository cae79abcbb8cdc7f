/// Runs the golden set by the C interface, and by the C++ interface where the tool has its cases.
#include <cli/lab/verify_golden.hpp>

#include <golden/golden.h>
#include <io/error.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace upsweep::cli {

#ifndef UPSWEEP_GOLDEN_IN_C
int verify_golden(golden_flags const&) {
  throw io::unavailable_error(
      "verify: this tool was built without the C interface (UPSWEEP_C_API)");
}
#else
namespace {

std::string content(std::string const& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    throw io::io_error(fmt::format("verify: {} cannot be read", file));
  return text.str();
}

/// Many results differ where one rule is broken, and the first tell which.
constexpr std::size_t most_shown = 20;

void print_difference(void* shown, golden_difference const* d) {
  if (++*static_cast<std::size_t*>(shown) > most_shown) return;
  fmt::print("case {} differs: {}\n  computed {}\n", d->number, d->text, d->computed);
  if (d->expected != nullptr) fmt::print("  expected {}\n", d->expected);
}

void print_json(golden_report const& r) {
  fmt::print("{}\n", nlohmann::ordered_json{{"stem", "golden"},
                                            {"cases", r.cases},
                                            {"computed", r.covered},
                                            {"different", r.different},
                                            {"sha256", r.hash},
                                            {"right", r.same != 0}}
                         .dump());
}

}  // namespace

int verify_golden(golden_flags const& flags) {
  using clock = std::chrono::steady_clock;
  std::string const set = flags.expected.empty() ? "" : content(flags.expected);
  std::size_t shown = 0;
  golden_options how{};
  how.threads = flags.threads;
  how.set = flags.expected.empty() ? nullptr : set.c_str();
  how.differs = flags.json ? nullptr : print_difference;
  how.context = &shown;
#ifdef UPSWEEP_GOLDEN_IN_CPP
  how.other = golden_compute_in_cpp;
#endif
  golden_report report;
  auto const begin = clock::now();
  if (golden_check(&how, &report) != 0) throw io::data_error("verify: the set cannot be computed");
  std::chrono::duration<double> const time = clock::now() - begin;
  if (flags.json) {
    print_json(report);
  } else {
    if (shown > most_shown) fmt::print("... and {} more\n", shown - most_shown);
    std::fflush(stdout);
    golden_print(&report, "the C interface", time.count());
  }
  return report.same != 0 ? 0 : 1;
}
#endif

}  // namespace upsweep::cli
