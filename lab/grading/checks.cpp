/// Chooses sizes and schedules.
#include <lab/grading/checks.hpp>

#include <lab/grading/harness/elements.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace upsweep::lab::grading {

namespace {

/// Sizes that reveal the mistake of a particular exercise, in addition to the common ones.
std::vector<std::uint64_t> particular_sizes(std::string_view name) {
  static std::map<std::string_view, std::vector<std::uint64_t>> const table{
      {"06-missing-fence", {64 * 33 + 5}},
      {"07-static-block-id", {64 * 40 + 1}},
      {"08-last-partial-block", {127, 129, 128 * 9, 128 * 9 - 1}},
      {"11-wrong-identity", {5, 250}},
      {"13-bank-conflicts", {1025, 4095}},
      {"14-traffic", {16383, 128 * 130 + 1}},
  };
  auto const found = table.find(name);
  return found == table.end() ? std::vector<std::uint64_t>{} : found->second;
}

std::string op_and_type(typed_operator const& w) {
  return w.type == "affine" ? "composition of affine maps" : fmt::format("{} of {}", w.op, w.type);
}

check sizes_check(std::string title, int points, typed_operator const& w,
                  std::vector<std::uint64_t> const& sizes, std::uint64_t seed, bool count) {
  check c{std::move(title), points, {}, nullptr};
  for (auto const n : sizes)
    c.runs.push_back({.what = w, .n = n, .seed = seed + n, .count = count});
  return c;
}

/// Every schedule of the emulator, with one tile and with many.
check schedules_check(exercise const& e, std::uint64_t seed) {
  check c{"other schedules", e.points_schedules, {}, nullptr};
  auto const threads = static_cast<std::uint64_t>(e.threads);
  for (auto const n : {threads, 9 * threads + 7})
    for (auto const& w : e.operators) {
      auto const add = [&](char const* how, std::uint64_t s, unsigned resident) {
        c.runs.push_back({.what = w,
                          .n = n,
                          .seed = seed + n,
                          .schedule = how,
                          .schedule_seed = s,
                          .resident = resident});
      };
      add("round-robin", 1, 4);
      for (std::uint64_t variant = 0; variant < 4; ++variant) add("adversarial", variant, 3);
      for (std::uint64_t s = 0; s < 4; ++s)
        add("random", seed * 4 + s, 2 + 4 * static_cast<unsigned>(s));
      add("in-order", 0, 1);
    }
  return c;
}

check budget_check(exercise const& e, budget const& b, std::uint64_t seed) {
  check c{b.title, b.points, {}, &b};
  c.runs.push_back({.what = e.operators.front(), .n = b.n, .seed = seed, .count = true});
  return c;
}

}  // namespace

std::string run_request::line() const {
  return fmt::format("{} {} {} {} {} {} {} {} {}\n", laws ? "law" : "run", what.type, what.op, n,
                     seed, schedule, schedule_seed, resident, count ? 1 : 0);
}

std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed) {
  auto const t = static_cast<std::uint64_t>(e.threads);
  std::vector<std::uint64_t> sizes{0,     1, 2,     31,    32,        33,
                                   t - 1, t, t + 1, 2 * t, 2 * t + 1, 7 * t + 3};
  for (std::uint64_t i = 0; i < 3; ++i)
    sizes.push_back(3 + upsweep::grading::random_number(seed, i) % (12 * t));
  for (auto const n : particular_sizes(e.name)) sizes.push_back(n);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<check> checks_of(exercise const& e, std::uint64_t seed) {
  std::vector<check> all;
  if (!e.own_operator.empty()) {
    check c{fmt::format("{} is associative and has an identity", e.own_operator),
            e.points_hidden,
            {},
            nullptr};
    for (auto const& w : e.operators) c.runs.push_back({.what = w, .seed = seed, .laws = true});
    all.push_back(c);
  }
  for (auto const& w : e.operators)
    all.push_back(sizes_check(op_and_type(w) + ", sizes of the task", e.points_sizes, w, e.sizes,
                              seed, true));
  auto const hidden = hidden_sizes(e, seed);
  for (auto const& w : e.operators)
    all.push_back(
        sizes_check(op_and_type(w) + ", hidden sizes", e.points_hidden, w, hidden, seed, false));
  all.push_back(schedules_check(e, seed));
  for (auto const& b : e.budgets) all.push_back(budget_check(e, b, seed));
  return all;
}

}  // namespace upsweep::lab::grading
