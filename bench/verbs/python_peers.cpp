/// Libraries of Python in child processes, which run python_verbs.py.
#include <bench/baselines/python_process.hpp>
#include <bench/verbs/participants.hpp>

#include <array>
#include <memory>
#include <python_verbs_text.hpp>
#include <sstream>
#include <stdexcept>

namespace upsweep::bench {
namespace {

std::string prepare_verb_request(std::string const& library, verb_row const& row, std::size_t n,
                                 verb_input const& in) {
  std::ostringstream words;
  words.precision(17);
  words << "prepare " << library << ' ' << row.verb << ' ' << (row.op.empty() ? "-" : row.op) << ' '
        << row.type << ' ' << n << ' ' << in.parts << ' ' << in.level << ' ' << in.result_type
        << ' ' << (in.more_type.empty() ? "-" : in.more_type) << ' ' << in.elements.size() << ' '
        << 4 * in.keys.size() << ' ' << 8 * in.offsets.size() << ' ' << 8 * in.levels.size();
  return words.str();
}

[[noreturn]] void refuse_python(std::string const& library) {
  throw std::runtime_error(library + ": its process has exited; leave it out with --peers");
}

/// Fetches the results of a call.
verb_call python_result(python_process& process, std::string const& library,
                        verb_memory const& memory) {
  verb_call c = memory.clean();
  std::istringstream answer(process.ask("result"));
  std::size_t bytes = 0, more_bytes = 0;
  answer >> c.count >> bytes >> more_bytes;
  auto const& in = memory.input();
  bool const fits = bytes <= in.room * bytes_of_type(in.result_type) &&
                    more_bytes <= in.more_room * bytes_of_type(in.more_type);
  if (!answer || !fits || !process.read(c.out, bytes) || !process.read(c.more, more_bytes))
    refuse_python(library);
  return c;
}

}  // namespace

std::optional<verb_participant> python_participant(std::string const& library,
                                                   std::string const& python) {
  auto const process = std::make_shared<python_process>(python, std::string(python_verbs_text[0]));
  std::string const title = process->ask("import " + library);  // "NumPy 2.1.0"
  if (title.empty() || title == "none") return {};
  auto const find = [=](verb_row const& row, std::size_t n, verb_memory& memory) -> verb_attempt {
    auto const& in = memory.input();
    std::array<std::span<std::byte const>, 4> const data{
        std::span(in.elements), std::as_bytes(std::span(in.keys)),
        std::as_bytes(std::span(in.offsets)), std::as_bytes(std::span(in.levels))};
    std::string const answer = process->ask(prepare_verb_request(library, row, n, in), data);
    if (answer.empty()) refuse_python(library);
    if (answer != "ready") return {};
    return {[=](std::size_t repeats) {
              std::string const seconds = process->ask("run " + std::to_string(repeats));
              if (seconds.empty()) refuse_python(library);
              return std::stod(seconds);
            },
            [=, &memory] { return python_result(*process, library, memory); }};
  };
  return verb_participant{library, title + ", 1 thread", role::peer, false, find};
}

}  // namespace upsweep::bench
