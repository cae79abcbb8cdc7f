/// Loads the module, runs it, and reports each launch when it ends.
#include <lab/program/program.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <io/error.hpp>
#include <lab/program/report_lines.hpp>
#include <upsweep/sim/element_text.hpp>
#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <cxxabi.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

namespace {

using bytes = std::vector<std::byte>;

constexpr int any_direction = 4;  // cudaMemcpyDefault

/// A parameter of the kernel and what it is given.
struct bound_argument {
  upsweep_emulated_parameter const& parameter;
  kernel_argument const& given;
  sim::element_layout type;

  [[nodiscard]] std::string type_name() const {
    return type.name.empty() ? fmt::format("{} bytes", parameter.bytes) : type.name;
  }
};

/// SplitMix64, as the textbook's elements; one digit, so that sums of floats are exact. A buffer's
/// seed is its position among the parameters, so that its elements are the same in every run.
std::uint64_t random_digit(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((z ^ (z >> 31)) >> 33) % 10;
}

void set(bound_argument const& a, std::string const& number, sim::number_field const& field,
         std::byte* element) {
  if (sim::set_number(field, number, element)) return;
  throw io::usage_error(
      fmt::format("--arg {}: '{}' is no {}", a.given.name, number, a.type_name()));
}

/// Number i of a buffer that is filled by a rule.
std::string number_of(std::string const& fill, std::uint64_t i, std::uint64_t seed) {
  return fill == "ones"     ? "1"
         : fill == "random" ? fmt::format("{}", random_digit(seed, i))
         : fill == "zeros"  ? "0"
                            : fmt::format("{}", i);
}

bytes number_argument(bound_argument const& a) {
  bytes made(a.parameter.bytes);
  if (a.given.count || a.given.values.size() != std::max<std::size_t>(a.type.fields.size(), 1))
    throw io::usage_error(fmt::format("--arg {}: the parameter is a number ({}): give --arg {}=1",
                                      a.given.name, a.type_name(), a.given.name));
  for (std::size_t i = 0; i < a.type.fields.size(); ++i)
    set(a, a.given.values[i], a.type.fields[i], made.data());
  return made;
}

/// The elements of a buffer; empty if they are not initialized.
bytes elements_for(bound_argument const& a, std::uint64_t count, std::uint64_t seed) {
  auto const& given = a.given;
  std::string const fill = !given.fill.empty()    ? given.fill
                           : a.parameter.is_const ? "ramp"
                                                  : "nothing";
  if (given.values.empty() && fill == "nothing") return {};
  bytes made(count * a.parameter.bytes);
  auto const& fields = a.type.fields;
  if (given.values.empty() && fill == "zeros") return made;
  if (fields.empty())
    throw io::usage_error(
        fmt::format("--arg {}: the elements are of type {}, which cannot be filled with numbers; "
                    "give {}:{}:zeros",
                    given.name, a.type_name(), given.name, count));
  if (!given.values.empty() && given.values.size() != count * fields.size())
    throw io::usage_error(fmt::format(
        "--arg {}: there are {} values for {} elements{}", given.name, given.values.size(), count,
        fields.size() == 1 ? std::string() : fmt::format(" of {} numbers", fields.size())));
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::size_t f = 0; f < fields.size(); ++f)
      set(a, given.values.empty() ? number_of(fill, i, seed) : given.values[i * fields.size() + f],
          fields[f], made.data() + i * a.parameter.bytes);
  return made;
}

void* buffer_argument(bound_argument const& a, std::uint64_t seed) {
  std::size_t const fields = std::max<std::size_t>(a.type.fields.size(), 1);
  bool const is_list = !a.given.count && a.given.values.size() > 1;
  if (!a.given.count && !is_list)
    throw io::usage_error(fmt::format(
        "--arg {0}: the parameter is a pointer ({1}*): give the number of elements and how they "
        "are filled, as in --arg {0}:1000:ramp",
        a.given.name, a.type_name()));
  std::uint64_t const count = a.given.count.value_or(a.given.values.size() / fields);
  bytes const elements = elements_for(a, count, seed);
  void* place = nullptr;
  if (upsweep_emulated_allocate(&place, count * a.parameter.bytes, a.parameter.bytes,
                                a.given.name.c_str(), 0) != 0)
    throw io::usage_error(fmt::format("--arg {}: there is no memory for {} elements of {} bytes",
                                      a.given.name, count, a.parameter.bytes));
  if (!elements.empty())
    static_cast<void>(
        upsweep_emulated_host_copy(place, elements.data(), elements.size(), any_direction, 0));
  return place;
}

output_buffer output_of(bound_argument const& a, void const* place, std::uint64_t count) {
  output_buffer out{a.given.name, a.type_name(), {}};
  bytes elements(count * a.parameter.bytes);
  static_cast<void>(
      upsweep_emulated_host_copy(elements.data(), place, elements.size(), any_direction, 0));
  for (std::uint64_t i = 0; i < count && !a.type.fields.empty(); ++i)
    out.values.push_back(
        sim::text_of(a.type, elements.data() + i * a.parameter.bytes, a.parameter.bytes));
  return out;
}

upsweep_emulated_extent extent_of(std::array<unsigned, 3> const& e) {
  return {e[0], e[1], e[2]};
}

/// Makes the arguments of one kernel, runs it, and returns the buffers that it could write. The
/// module's entry tells the parameters' types. Throws usage_error when an argument does not fit its
/// parameter.
std::vector<output_buffer> run_kernel(sim::module const& module, kernel_request const& asked) {
  auto* const enter = module.function<int(upsweep_emulated_entry_call*)>("upsweep_emulated_entry");
  upsweep_emulated_entry_call call{};
  static_cast<void>(enter(&call));
  if (call.count != asked.arguments.size() || call.count > upsweep_emulated_most_parameters)
    throw io::usage_error(fmt::format("the kernel has {} parameters, and {} are given by --arg",
                                      call.count, asked.arguments.size()));
  auto& types = *sim::code_at(call.kernel)->types;
  std::vector<bound_argument> all;
  std::vector<bytes> numbers(call.count);
  std::vector<void*> places(call.count), arguments(call.count);
  for (std::size_t i = 0; i < call.count; ++i) {
    auto const& p = call.parameters[i];
    all.push_back({p, asked.arguments[i], types.of_pointer(p.pointer)});
    if (p.is_pointer != 0) {
      places[i] = buffer_argument(all[i], i);
      arguments[i] = &places[i];
    } else {
      numbers[i] = number_argument(all[i]);
      arguments[i] = numbers[i].data();
    }
  }
  constexpr std::size_t without_attribute = 48 * 1024;
  if (asked.shared_bytes > without_attribute)
    static_cast<void>(
        upsweep_emulated_set_most_dynamic_bytes(call.kernel, static_cast<int>(asked.shared_bytes)));
  call.shape = {extent_of(asked.blocks),
                extent_of(asked.threads),
                extent_of(asked.cluster),
                asked.shared_bytes,
                0,
                0};
  void* none = nullptr;
  call.arguments = call.count == 0 ? &none : arguments.data();
  static_cast<void>(enter(&call));
  std::vector<output_buffer> outputs;
  for (std::size_t i = 0; i < call.count; ++i)
    if (all[i].parameter.is_pointer != 0 && all[i].parameter.is_const == 0) {
      auto const& given = all[i].given;
      std::size_t const fields = std::max<std::size_t>(all[i].type.fields.size(), 1);
      outputs.push_back(
          output_of(all[i], places[i], given.count.value_or(given.values.size() / fields)));
    }
  return outputs;
}

/// Lives until the process ends: exit runs its last report.
program_reporter* reporter = nullptr;

/// "x.so: undefined symbol: _Z3foov" for a user.
std::string load_error(std::string const& file, std::string const& said) {
  constexpr std::string_view undefined = "undefined symbol: ";
  auto const at = said.find(undefined);
  if (at == std::string::npos) return fmt::format("'{}' cannot be loaded: {}", file, said);
  std::string name = said.substr(at + undefined.size());
  name = name.substr(0, name.find_first_of(" ,"));
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return fmt::format("'{}' uses '{}', which neither it nor the emulator defines", file,
                     status == 0 ? readable.get() : name.c_str());
}

}  // namespace

/// For checkers: upsweep/simt/check/upsweep_check.h.
extern "C" [[gnu::visibility("default")]] int upsweep_check_say(char const* line) {
  return reporter->take_note(line) ? 1 : 0;
}
extern "C" [[gnu::visibility("default")]] int upsweep_check_is_clean() {
  return reporter->machine.result().findings.empty() ? 1 : 0;
}

/// Reports a crash in a kernel with its position; any other is one of the host code.
static void tell_crash(int signal) {
  std::signal(signal, SIG_DFL);
  if (auto const where = sim::current_kernel_position())
    reporter->write_line(
        crash_line(fmt::format("{} crashed after {}:{}: {} (signal {})", where->thread,
                               where->last.file.substr(where->last.file.find_last_of('/') + 1),
                               where->last.line, ::strsignal(signal), signal)));
  std::raise(signal);
}

/// A limit has stopped the program.
static void tell_place(int) {
  if (auto const where = sim::current_kernel_position())
    reporter->write_line(running_line(fmt::format(
        "{} was running, after {}:{}", where->thread,
        where->last.file.substr(where->last.file.find_last_of('/') + 1), where->last.line)));
  std::raise(SIGKILL);
}

/// noexcept: an exception that main does not catch ends the program, as it would without us.
void become_program(program_request const& asked, int report) {
  reporter = new program_reporter{sim::machine(asked.machine), report,
                                  asked.printed == program_request::output::checked};
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, tell_crash);
  std::signal(signal_to_say_where, tell_place);
  static sim::runtime const runtime(reporter->machine, [] { reporter->report(); });
  std::atexit([] { reporter->report(); });
  int (*entry)(int, char**) = nullptr;
  try {
    sim::module const module(asked.module);
    if (asked.kernel) {
      auto const outputs = run_kernel(module, *asked.kernel);
      reporter->write_line(line_of(outputs));
      std::exit(0);
    }
    entry = module.function<int(int, char**)>("main");
  } catch (io::usage_error const& e) {
    reporter->write_line(error_line(e.what(), true));
    ::_exit(1);
  } catch (std::exception const& e) {
    reporter->write_line(error_line(load_error(asked.arguments.at(0), e.what())));
    ::_exit(1);
  }
  std::vector<char*> arguments;
  for (auto const& word : asked.arguments) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto const run = [&]() noexcept {
    return entry(static_cast<int>(asked.arguments.size()), arguments.data());
  };
  std::exit(run());
}

}  // namespace upsweep::lab
