/// Looks at tokens, so that comments and strings may contain any word.
#include <io/error.hpp>
#include <lab/grading/submission.hpp>
#include <lab/source/rewrite.hpp>
#include <lab/source/tokens.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {

namespace {

using source::token_view;

/// Words that no kernel needs, and by which a solution could end or replace the checker.
constexpr std::string_view of_the_checker = "the checker has to run to its end";
constexpr std::pair<std::string_view, std::string_view> never_allowed[] = {
    {"upsweep_*", "the grader's own functions belong to the checker"},
    {"check_run", "the checker defines it"},
    {"main", "the checker defines it"},
    {"check", "the checker's functions are not for solutions"},
    {"exit", of_the_checker},
    {"_exit", of_the_checker},
    {"_Exit", of_the_checker},
    {"quick_exit", of_the_checker},
    {"at_quick_exit", of_the_checker},
    {"atexit", of_the_checker},
    {"system", "a solution starts no program"},
    {"popen", "a solution starts no program"},
    {"fork", "a solution starts no process"},
    {"vfork", "a solution starts no process"},
    {"dlopen", "a solution loads no library"},
    {"dlsym", "a solution loads no library"},
    {"syscall", "a solution calls CUDA only"},
    {"constructor", "nothing runs before the checker"},
    {"destructor", "nothing runs after the checker"},
};

constexpr std::string_view headers[] = {
    "algorithm",
    "array",
    "bit",
    "cassert",
    "climits",
    "cmath",
    "concepts",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cooperative_groups/memcpy_async.h",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstring",
    "cuda/atomic",
    "cuda/barrier",
    "cuda/pipeline",
    "cuda/std/limits",
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cuda_pipeline.h",
    "cuda_runtime.h",
    "functional",
    "limits",
    "mma.h",
    "numeric",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "type_traits",
    "utility",
    "vector",
};

bool matches(std::string_view pattern, std::string_view word) {
  return pattern.ends_with('*') ? word.starts_with(pattern.substr(0, pattern.size() - 1))
                                : word == pattern;
}

std::string why_not(exercise const& e, std::string_view word) {
  for (auto const& f : e.not_allowed)
    if (matches(f.word, word)) return f.why;
  for (auto const& [pattern, why] : never_allowed)
    if (matches(pattern, word)) return std::string(why);
  return {};
}

/// The words of the checker: a macro of that name would change what it does.
std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> words;
  auto const lists = source::split(text);
  token_view const code(text, lists.code);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.is_word(i)) words.emplace(code.text(i));
  return words;
}

/// Of a preprocessor line.
std::string objection_to(token_view const& line, exercise const& e) {
  if (line.is(1, "include")) {
    auto const begin = line[1].end, end = line[line.size() - 1].end;
    std::string name(line.source().substr(begin, end - begin));
    std::erase_if(name, [](char c) { return c == ' ' || c == '<' || c == '>' || c == '"'; });
    if (std::find(std::begin(headers), std::end(headers), name) == std::end(headers))
      return fmt::format(
          "a solution may not include '{}'; CUDA's headers and the common ones of "
          "C++ are allowed",
          name);
  }
  bool const defines = line.is(1, "define") || line.is(1, "undef");
  if (defines && words_of(e.checker).contains(line.text(2)))
    return fmt::format(
        "the checker uses the word '{}', so a macro may not have this name; write a constant or a "
        "function",
        line.text(2));
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line.is(i, "##")) return "'##' is not allowed: the grader looks for forbidden words";
  return {};
}

bool uses(token_view const& code, std::string_view pattern) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.is_word(i) && matches(pattern, code.text(i))) return true;
  return false;
}

}  // namespace

std::string refusal(exercise const& e, std::string_view text, std::string const& name) {
  auto const lists = source::split(text);
  auto const at = [&](std::size_t offset, std::string const& sentence) {
    return fmt::format("{}:{}: {}", name, source::line_of(text, offset), sentence);
  };
  auto const forbidden_in = [&](token_view const& tokens) -> std::string {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      bool const is_member = i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"));
      if (!tokens.is_word(i) || is_member) continue;
      if (auto const why = why_not(e, tokens.text(i)); !why.empty())
        return at(tokens[i].begin, fmt::format("'{}' is not allowed: {}", tokens.text(i), why));
    }
    return {};
  };
  for (auto const& directive : lists.directives) {
    token_view const line(text, directive);
    if (auto const sentence = objection_to(line, e); !sentence.empty())
      return at(line[0].begin, sentence);
    if (auto sentence = forbidden_in(line); !sentence.empty()) return sentence;
  }
  token_view const code(text, lists.code);
  if (auto sentence = forbidden_in(code); !sentence.empty()) return sentence;
  for (auto const& n : e.needed)
    if (std::ranges::none_of(n.words, [&](std::string const& w) { return uses(code, w); }))
      return fmt::format("{}: it uses none of {}: {}", name, fmt::join(n.words, ", "), n.why);
  return {};
}

// Of the checker's text, only the name of the file that it includes is the student's.

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
