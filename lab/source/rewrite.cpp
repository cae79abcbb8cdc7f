/// Collects the edits of launches and of PTX in the code and in the bodies of macros.
#include <lab/source/rewrite.hpp>

#include <lab/source/declarations.hpp>
#include <lab/source/edits.hpp>
#include <lab/source/launches.hpp>
#include <lab/source/own_arrays.hpp>
#include <lab/source/ptx.hpp>
#include <lab/source/settings.hpp>
#include <lab/source/tokens.hpp>

#include <algorithm>
#include <utility>

namespace upsweep::lab::source {

std::string note_of(rewrite_finding const& found) {
  return found.sentence +
         (found.is_hint || found.refuses ? "" : "; a thread that executes it ends the launch");
}

rewriting rewrite(std::string_view text, settings_of_run* settings) {
  auto const tokens = split(text);
  device_code const device(text, tokens);
  std::vector<edit> edits;
  std::vector<rewrite_finding> findings;
  auto const look = [&](token_list const& list, bool in_directive) {
    token_view const view(text, list);
    find_launches(view, in_directive, device, edits, findings);
    find_ptx(view, in_directive, device, edits, findings);
    find_alignments(view, edits);
    find_casts_of_kernels(view, edits);
    if (!in_directive) find_own_arrays(view, device, edits);
    if (!in_directive) find_dynamic_arrays(view, findings);
    if (settings != nullptr) find_settings(view, in_directive, *settings, edits);
  };
  look(tokens.code, false);
  for (auto const& list : tokens.directives) look(list, true);
  auto done = apply(text, std::move(edits));
  std::stable_sort(findings.begin(), findings.end(),
                   [](auto const& a, auto const& b) { return a.line < b.line; });
  done.findings = std::move(findings);
  token_view const code(text, tokens.code);
  for (std::size_t i = 0; i < code.size(); ++i) {
    done.has_kernel = done.has_kernel || code.is(i, "__global__");
    done.has_main = done.has_main ||
                    (code.is(i, "main") && code.is(i + 1, "(") && i > 0 &&
                     (code.is(i - 1, "int") || code.is(i - 1, "auto") || code.is(i - 1, "void")));
  }
  return done;
}

std::vector<included> includes(std::string_view text) {
  std::vector<included> all;
  auto const tokens = split(text);
  for (auto const& list : tokens.directives) {
    token_view const directive(text, list);
    if (directive.size() < 3 || !directive.is(1, "include")) continue;
    auto const line = line_of(text, list[0].begin);
    auto const name = directive.text(2);
    if (list[2].kind == token_kind::string && directive.size() == 3 && name.size() > 2)
      all.push_back({std::string(name.substr(1, name.size() - 2)), true, line});
    if (!directive.is(2, "<")) continue;
    auto const rest = text.substr(list[2].end);
    auto const end = rest.find_first_of(">\n");
    if (end != rest.npos && rest[end] == '>')
      all.push_back({std::string(rest.substr(0, end)), false, line});
  }
  return all;
}

}  // namespace upsweep::lab::source
