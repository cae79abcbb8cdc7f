/// NumPy in a child process, which times itself.
#include <bench/baselines/competitors.hpp>
#include <bench/baselines/python_process.hpp>
#include <bench/harness/data.hpp>

#include <memory>
#include <numpy_text.hpp>
#include <span>
#include <stdexcept>

namespace upsweep::bench {
namespace {

std::string prepare_request(work const& w, std::size_t n) {
  return "prepare " + std::string(name_of(w.verb)) + ' ' + name_of(w.op) + ' ' + name_of(w.type) +
         (w.in_place ? " 1 " : " 0 ") + std::to_string(n);
}

}  // namespace

std::vector<competitor> numpy_competitors(std::string const& python) {
  auto const process = std::make_shared<python_process>(python, std::string(numpy_text[0]));
  work const trial{verb::reduce, operation::sum, element::i32};
  auto prepare = [process](work const& w, std::size_t n) {
    std::string block(pattern_elements * element_bytes(w), '\0');
    pattern(w, block.data());
    auto const data = std::as_bytes(std::span(block));
    return process->ask(prepare_request(w, n), {&data, 1}) == "ready";
  };
  if (!prepare(trial, 1)) return {};

  // The child makes its array again for every verified call, because a scan in place changes it.
  auto find = [=](work const& w, std::size_t n) -> timed_run {
    bool const has_it = w.op == operation::sum || w.op == operation::max;
    if (!has_it || w.by_name || !is_for_processor(w) || !prepare(w, n)) return {};
    return [process](slots&, std::size_t repeats) {
      std::string const answer = process->ask("run " + std::to_string(repeats));
      if (answer.empty())
        throw std::runtime_error("NumPy: its process has exited; leave it out with --peers");
      return std::stod(answer);
    };
  };
  auto own_checksum = [process] {
    std::string const answer = process->ask("checksum");
    return answer.empty() ? std::uint64_t{0} : std::uint64_t{std::stoull(answer)};
  };
  return {competitor{"numpy", "NumPy, 1 thread", role::peer, false, find, own_checksum}};
}

}  // namespace upsweep::bench
