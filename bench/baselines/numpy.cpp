/// Runs NumPy in a child process, started once, with which it communicates through two pipes.
#include <bench/baselines/competitors.hpp>
#include <bench/harness/data.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <numpy_text.hpp>
#include <stdexcept>

extern char** environ;

namespace upsweep::bench {
namespace {

class numpy_process {
 public:
  explicit numpy_process(std::string const& python) {
    std::array<int, 2> requests{}, answers{};
    if (pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("NumPy: cannot open a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string name = python, flag = "-c", program(numpy_text[0]);
    std::array<char*, 4> arguments{name.data(), flag.data(), program.data(), nullptr};
    int const status =
        posix_spawnp(&process_, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(requests[0]);
    close(answers[1]);
    requests_ = fdopen(requests[1], "wb");
    answers_ = fdopen(answers[0], "rb");
    if (status != 0) process_ = -1;
  }
  ~numpy_process() {
    std::fclose(requests_);  // the child exits at the end of its input
    std::fclose(answers_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  numpy_process(numpy_process const&) = delete;
  numpy_process& operator=(numpy_process const&) = delete;

  /// The answer to a request; empty if the process has exited.
  std::string ask(std::string const& request, std::string const& data = {}) {
    void (*const before)(int) = std::signal(
        SIGPIPE,
        SIG_IGN);  // so that writing to an exited child fails instead of ending this process
    std::fwrite(request.data(), 1, request.size(), requests_);
    std::fputc('\n', requests_);
    std::fwrite(data.data(), 1, data.size(), requests_);
    bool const sent = std::fflush(requests_) == 0;
    std::signal(SIGPIPE, before);
    std::array<char, 128> line{};
    if (!sent || !std::fgets(line.data(), line.size(), answers_)) return {};
    std::string answer(line.data());
    while (!answer.empty() && answer.back() == '\n') answer.pop_back();
    return answer;
  }

 private:
  pid_t process_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

std::string prepare_request(work const& w, std::size_t n) {
  return "prepare " + std::string(name_of(w.verb)) + ' ' + name_of(w.op) + ' ' + name_of(w.type) +
         (w.in_place ? " 1 " : " 0 ") + std::to_string(n);
}

}  // namespace

std::vector<competitor> numpy_competitors(std::string const& python) {
  auto const process = std::make_shared<numpy_process>(python);
  work const trial{verb::reduce, operation::sum, element::i32};
  auto prepare = [process](work const& w, std::size_t n) {
    std::string block(pattern_elements * element_bytes(w), '\0');
    pattern(w, block.data());
    return process->ask(prepare_request(w, n), block) == "ready";
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
