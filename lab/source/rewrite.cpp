/// Collects the edits of launches and of PTX in the code and in the bodies of macros, and applies
/// them from left to right.
#include <lab/source/rewrite.hpp>

#include <lab/source/edits.hpp>
#include <lab/source/ptx.hpp>
#include <lab/source/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace upsweep::lab::source {

namespace {

class applying {
 public:
  applying(std::string_view text, std::vector<edit> const& edits) : text_(text), edits_(edits) {}

  rewriting run() {
    range(0, text_.size());
    return std::move(done_);
  }

 private:
  void range(std::size_t at, std::size_t end) {
    while (at < end) {
      auto const next = std::find_if(edits_.begin(), edits_.end(), [&](edit const& e) {
        return e.begin >= at && e.end <= end && e.begin < e.end;
      });
      std::size_t const until = next == edits_.end() ? end : next->begin;
      keep(at, until);
      if (next == edits_.end()) return;
      for (auto const& piece : next->pieces) {
        done_.kept.push_back({done_.text.size(), next->begin, 0});
        done_.text += piece.text;
        range(piece.begin, piece.end);
      }
      at = next->end;
    }
  }
  void keep(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    done_.kept.push_back({done_.text.size(), begin, end - begin});
    done_.text += text_.substr(begin, end - begin);
  }

  std::string_view text_;
  std::vector<edit> const& edits_;
  rewriting done_;
};

/// The offset of the beginning of a line, from 1.
std::size_t beginning_of(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 1 && at < text.size(); ++at)
    if (text[at] == '\n') --line;
  return at;
}

}  // namespace

rewriting apply(std::string_view text, std::vector<edit> edits) {
  std::sort(edits.begin(), edits.end(), [](edit const& a, edit const& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return applying(text, edits).run();
}

std::size_t original_column(rewriting const& done, std::string_view original, std::size_t line,
                            std::size_t column) {
  std::size_t const at = beginning_of(done.text, line) + column - 1;
  auto const after =
      std::upper_bound(done.kept.begin(), done.kept.end(), at,
                       [](std::size_t x, kept_text const& k) { return x < k.rewritten; });
  if (after == done.kept.begin()) return column;
  kept_text const& k = *(after - 1);
  std::size_t const from = k.original + std::min(at - k.rewritten, k.length);
  std::size_t const begin = beginning_of(original, line);
  return from < begin ? 1 : from - begin + 1;
}

device_code::device_code(std::string_view text, token_lists const& tokens) {
  token_view const code(text, tokens.code);
  struct state {
    std::vector<std::size_t> open;  ///< the braces
    std::size_t head = 0;           ///< the first token of the declaration
  };
  state now;
  std::vector<state> branches;  // each branch of an #if begins with the same braces
  auto directive = tokens.directives.begin();
  auto const is_device = [&](std::size_t first, std::size_t brace) {
    bool device = false, host = false;
    for (std::size_t i = first; i < brace; ++i) {
      device = device || code.is(i, "__global__") || code.is(i, "__device__");
      host = host || code.is(i, "__host__");
    }
    return device && !host;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (; directive != tokens.directives.end() && directive->front().begin < code[i].begin;
         ++directive) {
      std::string_view const name = token_view(text, *directive).text(1);
      if (name.starts_with("if")) branches.push_back(now);
      if (name.starts_with("el") && !branches.empty()) {
        for (std::size_t k = branches.back().open.size(); k < now.open.size(); ++k)
          if (auto& r = ranges_[now.open[k]]; r.end != 0) r.end = directive->front().begin;
        now = branches.back();
      }
      if (name == "endif" && !branches.empty()) branches.pop_back();
    }
    if (code.is(i, "{")) {
      now.open.push_back(ranges_.size());
      ranges_.push_back({code[i].begin, is_device(now.head, i) ? text.size() : 0});
      now.head = i + 1;
    } else if (code.is(i, "}")) {
      if (!now.open.empty()) {
        auto& r = ranges_[now.open.back()];
        if (r.end != 0) r.end = code[i].end;
        now.open.pop_back();
      }
      now.head = i + 1;
    } else if (code.is(i, ";")) {
      now.head = i + 1;
    }
  }
}

bool device_code::contains(std::size_t offset) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](range const& r) { return r.begin < offset && offset < r.end; });
}

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
