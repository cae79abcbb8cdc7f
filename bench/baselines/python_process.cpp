/// Pipes and the start of the process.
#include <bench/baselines/python_process.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

extern char** environ;

namespace upsweep::bench {

python_process::python_process(std::string const& python, std::string const& program) {
  std::array<int, 2> requests{}, answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("Python: cannot open a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = python, flag = "-c", text = program;
  std::array<char*, 4> arguments{name.data(), flag.data(), text.data(), nullptr};
  int const status =
      posix_spawnp(&process_, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(requests[0]);
  close(answers[1]);
  requests_ = fdopen(requests[1], "wb");
  answers_ = fdopen(answers[0], "rb");
  if (status != 0) process_ = -1;
}

python_process::~python_process() {
  std::fclose(requests_);  // the child exits at the end of its input
  std::fclose(answers_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string python_process::ask(std::string const& request,
                                std::span<std::span<std::byte const> const> data) {
  // Writing to a child that has exited fails, instead of ending this process.
  void (*const before)(int) = std::signal(SIGPIPE, SIG_IGN);
  std::fwrite(request.data(), 1, request.size(), requests_);
  std::fputc('\n', requests_);
  for (auto const part : data) std::fwrite(part.data(), 1, part.size(), requests_);
  bool const sent = std::fflush(requests_) == 0;
  std::signal(SIGPIPE, before);
  std::array<char, 128> line{};
  if (!sent || !std::fgets(line.data(), line.size(), answers_)) return {};
  std::string answer(line.data());
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

bool python_process::read(void* to, std::size_t bytes) {
  return std::fread(to, 1, bytes, answers_) == bytes;
}

}  // namespace upsweep::bench
