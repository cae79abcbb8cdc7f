/// The results of a program are what it prints and its status; of a kernel, its buffers.
#include <cli/lab/verify_file.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

struct schedule_choice {
  char const* how;
  std::uint64_t seed;
  unsigned resident;
};

/// In order comes first: the others are compared with it.
std::vector<schedule_choice> schedules(file_effort const& much) {
  std::vector<schedule_choice> all{{"in-order", 0, 16}, {"round-robin", 0, 16}};
  for (std::uint64_t seed = 0; seed < (much.quick ? 2 : 4); ++seed)
    all.push_back({"adversarial", seed, 16});
  if (!much.quick) all.push_back({"in-order", 0, 1});
  for (unsigned s = 0; s < (much.quick ? std::min(much.seeds, 1U) : much.seeds); ++s)
    all.push_back({"random", s, 2 + 3 * s % 16});
  return all;
}

/// Around a warp and a block, and several blocks.
std::vector<std::uint64_t> edge_sizes(lab::kernel_request const& launch, bool quick) {
  std::uint64_t const block =
      std::uint64_t{launch.threads[0]} * launch.threads[1] * launch.threads[2];
  std::vector<std::uint64_t> sizes{1, 32, block - 1, block, block + 1, 3 * block + 7};
  if (!quick) sizes.insert(sizes.end(), {2, 31, 33, 2 * block, 997});
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  std::erase(sizes, 0U);
  return sizes;
}

/// In how far a result differs; empty if it does not.
std::string difference(lab::program_outcome const& wanted, lab::program_outcome const& got) {
  if (wanted.status != got.status)
    return fmt::format("the program ends with status {}, and in order with {}", got.status,
                       wanted.status);
  if (wanted.printed != got.printed)
    return "the program prints something else than with the schedule in order";
  for (std::size_t i = 0; i < wanted.outputs.size(); ++i) {
    auto const &a = wanted.outputs[i], &b = got.outputs.at(i);
    auto const [x, y] = std::ranges::mismatch(a.values, b.values);
    if (x != a.values.end())
      return fmt::format("element {} of '{}' is {}, and in order {}", x - a.values.begin(), a.name,
                         *y, *x);
  }
  return {};
}

std::string failure_of(lab::program_outcome const& out) {
  return out.report.findings.empty() ? out.failure : out.report.findings.front().sentence;
}

}  // namespace

verified_file verify_file(std::string const& file, run_flags const& run, program_flags const& flags,
                          file_effort const& much) {
  auto const program = compiled(file, flags);
  bool const has_kernel = !flags.kernel.kernel.empty();
  if (!much.sizes.empty() && !(has_kernel && flags.kernel.uses_n()))
    throw io::usage_error(
        "verify: --sizes are values of n, but no --arg uses it, as in --arg in:n:ramp --arg n=n");
  std::vector<std::uint64_t> sizes = much.sizes;
  if (sizes.empty() && has_kernel && flags.kernel.uses_n())
    sizes = edge_sizes(*request_of(program, run, flags).kernel, much.quick);
  if (sizes.empty()) sizes = {run.n};
  verified_file v;
  for (auto const n : sizes) {
    std::optional<lab::program_outcome> wanted;
    for (auto const& choice : schedules(much)) {
      run_flags now = run;
      now.n = n;
      now.schedule = choice.how;
      now.seed = choice.seed;
      now.resident = choice.resident;
      auto asked = request_of(program, now, flags);
      asked.machine.count = false;
      asked.printed = lab::program_request::output::kept;
      auto out = lab::run_program(asked);
      ++v.runs;
      v.failure = failure_of(out);
      if (v.failure.empty() && wanted) v.failure = difference(*wanted, out);
      if (!wanted) wanted = std::move(out);
      if (v.failure.empty()) continue;
      v.again = command_line(file, now, flags);
      return v;
    }
  }
  return v;
}

}  // namespace upsweep::cli
