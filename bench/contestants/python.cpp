/// Libraries of Python in child processes, which run python.py and time themselves.
#include <bench/contestants/competitors.hpp>
#include <bench/harness/data.hpp>
#include <bench/harness/verb_memory.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <python_text.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

extern char** environ;

namespace upsweep::bench {
namespace {

/// A Python program in a child process, started once, with which we communicate through two pipes.
class python_process {
 public:
  /// Starts `program`, a text, by the interpreter `python`. If that fails, every answer is empty.
  /// Throws std::runtime_error without pipes.
  python_process(std::string const& python, std::string const& program);
  ~python_process();
  python_process(python_process const&) = delete;
  python_process& operator=(python_process const&) = delete;

  /// The line that answers a request, a line and data after it; empty if the process has exited.
  std::string ask(std::string const& request,
                  std::span<std::span<std::byte const> const> data = {});
  /// Reads data after an answer; false if there is less.
  bool read(void* to, std::size_t bytes);

 private:
  pid_t process_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

python_process::python_process(std::string const& python, std::string const& program) {
  std::array<int, 2> requests{}, answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("Python: cannot open a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;  // a process group of its own: Ctrl-C is for this process
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string name = python, flag = "-c", text = program;
  std::array<char*, 4> arguments{name.data(), flag.data(), text.data(), nullptr};
  int const status =
      posix_spawnp(&process_, name.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
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

/// A library in a process of its own.
struct library_process {
  std::string library;
  std::shared_ptr<python_process> process;

  /// The answer to a request that always has one.
  [[nodiscard]] std::string answer(std::string const& request,
                                   std::span<std::span<std::byte const> const> data = {}) const {
    std::string text = process->ask(request, data);
    if (text.empty()) refuse();
    return text;
  }
  [[nodiscard]] double seconds(std::size_t repeats) const {
    return std::stod(answer("run " + std::to_string(repeats)));
  }
  [[noreturn]] void refuse() const {
    throw std::runtime_error(library + ": its process has exited; leave it out with --peers");
  }
};

std::string prepare_request(std::string const& library, std::string const& verb,
                            std::string const& op, std::string const& type, std::size_t n,
                            verb_input const& in) {
  auto const word = [](std::string const& text) { return text.empty() ? "-" : text; };
  std::ostringstream words;
  words.precision(17);
  words << "prepare " << library << ' ' << verb << ' ' << word(op) << ' ' << type << ' ' << n << ' '
        << in.parts << ' ' << in.level << ' ' << word(in.result_type) << ' ' << word(in.more_type)
        << ' ' << in.elements.size() << ' ' << 4 * in.keys.size() << ' ' << 8 * in.offsets.size()
        << ' ' << 8 * in.levels.size();
  return words.str();
}

/// True if the library has the call; it then has the data too.
bool prepare(library_process const& p, std::string const& verb, std::string const& op,
             std::string const& type, std::size_t n, verb_input const& in) {
  std::array<std::span<std::byte const>, 4> const data{
      std::span(in.elements), std::as_bytes(std::span(in.keys)),
      std::as_bytes(std::span(in.offsets)), std::as_bytes(std::span(in.levels))};
  return p.answer(prepare_request(p.library, verb, op, type, n, in), data) == "ready";
}

/// Reductions and scans. The child repeats the pattern, and makes its array again for every
/// verified call, because a scan in place changes it.
timed_run find_work(library_process const& p, work const& w, std::size_t n) {
  bool const has_it = w.op == operation::sum || w.op == operation::max;
  if (!has_it || w.by_name || !is_for_processor(w)) return {};
  verb_input in;
  in.elements.resize(pattern_elements * element_bytes(w));
  pattern(w, in.elements.data());
  std::string const verb = w.in_place ? "scan_in_place" : std::string(name_of(w.verb));
  if (!prepare(p, verb, name_of(w.op), name_of(w.type), n, in)) return {};
  return [p](slots&, std::size_t repeats) { return p.seconds(repeats); };
}

/// Fetches the results of a call.
call fetch_result(library_process const& p, verb_memory const& memory) {
  call c = memory.clean();
  std::istringstream answer(p.process->ask("result"));
  std::size_t bytes = 0, more_bytes = 0;
  answer >> c.count >> bytes >> more_bytes;
  auto const& in = memory.input();
  bool const fits = bytes <= in.room * bytes_of_type(in.result_type) &&
                    more_bytes <= in.more_room * bytes_of_type(in.more_type);
  if (!answer || !fits || !p.process->read(c.out, bytes) || !p.process->read(c.more, more_bytes))
    p.refuse();
  return c;
}

}  // namespace

std::optional<competitor> python_competitor(std::string const& library, std::string const& python) {
  library_process const p{library,
                          std::make_shared<python_process>(python, std::string(python_text[0]))};
  std::string const title = p.process->ask("import " + library);  // "NumPy 2.1.0"
  if (title.empty() || title == "none") return {};
  return competitor{library,
                    title + ", 1 thread",
                    role::peer,
                    false,
                    [p](work const& w, std::size_t n) { return find_work(p, w, n); },
                    [p](verb_row const& row, std::size_t n, verb_memory& memory) -> verb_attempt {
                      if (!prepare(p, row.verb, row.op, row.type, n, memory.input())) return {};
                      return {[p](std::size_t repeats) { return p.seconds(repeats); },
                              [p, &memory] { return fetch_result(p, memory); }};
                    },
                    [p] { return std::uint64_t{std::stoull(p.answer("checksum"))}; }};
}

}  // namespace upsweep::bench
