/// Of the checker's text, only the name of the file that it includes is the student's.
#include <lab/grading/compilation.hpp>

#include <io/error.hpp>
#include <lab/grading/restrictions.hpp>
#include <lab/source/rewrite.hpp>

#include <fmt/format.h>

namespace upsweep::lab::grading {

std::string checker_including(exercise const& task, std::string const& name) {
  constexpr std::string_view given = "#include \"kernel.cu\"";
  std::string text = task.checker;
  auto const at = text.find(given);
  if (at == std::string::npos)
    throw io::data_error(fmt::format("check.cu of '{}' lacks the line {}", task.name, given));
  return text.replace(at, given.size(), fmt::format("#include \"{}\"", name));
}

compilation inspect(exercise const& task, std::string_view text, std::string const& name) {
  compilation done;
  if (!source::rewrite(text).has_kernel) {
    done.error = fmt::format("{} has no kernel, a function marked __global__\n", name);
    return done;
  }
  done.error = refusal(task, text, name);
  if (done.error.empty()) return done;
  done.is_allowed = false;
  done.error += '\n';
  return done;
}

}  // namespace upsweep::lab::grading
