/// Finds the reads by the calls of their hooks: a check jumps to a block that calls the handler of
/// its error, which evaluates the operand again and then jumps to the operation.
#include <lab/source/source_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::source {

namespace {

using std::size_t;
using std::string_view;

constexpr size_t none = static_cast<size_t>(-1);

/// A call of a hook. Reads with the same key are copies of one expression, or of one macro.
struct read {
  size_t line;
  string_view hook, position;
  bool is_loaded;    ///< an access follows; a check that was optimized away leaves none
  bool after_shift;  ///< of a variable distance, in the block: the read is not before it
  [[nodiscard]] bool copies(read const& r) const {
    return hook == r.hook && position == r.position;
  }
};

struct block {
  std::vector<read> reads;
  size_t jump = none;        ///< the block of its jump
  bool falls = true;         ///< into the next block
  bool has_handler = false;  ///< and its reads are those before the call
  bool of_cast = false;
  bool shifts = false;
  bool begins_with_hook = false;  ///< of a basic block
};

class assembly_text {
 public:
  explicit assembly_text(string_view text) {
    split(text);
    for (auto const& [at, label] : jumps_)
      if (auto const found = labels_.find(label); found != labels_.end())
        blocks_[at].jump = found->second;
  }

  std::string without_repeated() {
    for (size_t i = 0; i + 1 < blocks_.size(); ++i) drop_of_removed_check(i);
    // The last check first: the reads of an earlier operation follow the checks of later ones.
    for (size_t i = blocks_.size(); i-- > 0;)
      if (blocks_[i].has_handler) drop_of_check(i);
    std::string text;
    for (size_t i = 0; i < lines_.size(); ++i)
      if (!is_dropped_[i]) text.append(lines_[i]).append("\n");
    return text;
  }

 private:
  void split(string_view text) {
    blocks_.emplace_back();
    string_view position;
    while (!text.empty()) {
      auto const end = std::min(text.find('\n'), text.size());
      string_view const line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      lines_.push_back(line);
      if (line.starts_with("\t.loc "))
        position = place_in(line);
      else if (line.starts_with("\tcall\t"))
        take_call(line, position);
      else if (line.starts_with("\tj"))
        take_jump(line);
      else if (line.starts_with("\tret"))
        begin(false);
      else if (line.ends_with(':') && !is_label_of_debug_data(line)) {
        begin(blocks_.back().falls);
        labels_.emplace(line.substr(0, line.size() - 1), blocks_.size() - 1);
      } else if (line.starts_with("\t") && !line.starts_with("\t."))
        take_instruction(line);
    }
    is_dropped_.resize(lines_.size());
  }
  /// "\t.loc 1 4 20" of "\t.loc 1 4 20 discriminator 3".
  static string_view place_in(string_view line) {
    size_t end = 0;
    for (int blanks = 0; blanks < 4 && end != line.npos; ++blanks) end = line.find(' ', end + 1);
    return line.substr(0, end);
  }
  static bool is_label_of_debug_data(string_view line) {
    for (string_view const start : {".LV", ".LB", ".LF", ".Lt", ".Le"})
      if (line.starts_with(start)) return true;
    return false;
  }
  void begin(bool falls) {
    blocks_.back().falls = falls;
    blocks_.emplace_back();
  }
  void take_call(string_view line, string_view position) {
    auto& now = blocks_.back();
    auto const has = [&](string_view what) { return line.find(what) != line.npos; };
    if (has("__sanitizer_cov_trace_pc")) {
      // Two in one run of instructions: the jump between them was optimized away.
      if (now.begins_with_hook || !now.reads.empty()) begin(true);
      blocks_.back().begins_with_hook = true;
    } else if (has("__ubsan_handle_shift_out_of_bounds") ||
               has("__ubsan_handle_float_cast_overflow")) {
      now.has_handler = true;
      now.of_cast = has("float_cast");
      begin(true);
    } else if (has("__tsan_read") || has("__tsan_unaligned_read")) {
      now.reads.push_back({lines_.size() - 1, line, position, false, now.shifts});
    }
  }
  void take_jump(string_view line) {
    auto const label = line.substr(line.rfind('\t') + 1);
    bool const always = line.starts_with("\tjmp");
    jumps_.emplace_back(blocks_.size() - 1, label);
    begin(!always);
  }
  void take_instruction(string_view line) {
    auto& now = blocks_.back();
    auto const has = [&](string_view what) { return line.find(what) != line.npos; };
    if (line.starts_with("\ts") && has("\t%cl, ")) now.shifts = true;
    bool const accesses =
        has("(") && !has("(%rsp)") && !has("(%rip)") && !line.starts_with("\tlea");
    if (accesses && !now.reads.empty()) now.reads.back().is_loaded = true;
  }

  [[nodiscard]] std::vector<read> left_of(std::vector<read> const& reads) const {
    std::vector<read> left;
    for (auto const& r : reads)
      if (!is_dropped_[r.line]) left.push_back(r);
    return left;
  }
  static std::ptrdiff_t distance(size_t n) { return static_cast<std::ptrdiff_t>(n); }
  static std::vector<read> last(std::vector<read> const& reads, size_t n) {
    return {reads.end() - distance(n), reads.end()};
  }
  /// Where copies of `part` begin in `all`, or none.
  static size_t place_of(std::vector<read> const& part, std::vector<read> const& all) {
    auto const same = [](read const& a, read const& b) { return a.copies(b); };
    auto const found = std::ranges::search(all, part, same);
    return found.empty() ? none : static_cast<size_t>(found.begin() - all.begin());
  }
  bool drop_one(block const& b, std::vector<read> const& operand) {
    auto const reads = left_of(b.reads);
    size_t const at = place_of(operand, reads);
    for (size_t i = at; at != none && i < at + operand.size(); ++i)
      is_dropped_[reads[i].line] = true;
    return at != none;
  }

  /// A check that is always passed is gone, and so is its last load, but not the hooks.
  void drop_of_removed_check(size_t at) {
    auto const& b = blocks_[at];
    if (b.jump != none || !b.falls || !blocks_[at + 1].begins_with_hook) return;
    if (b.reads.empty() || b.reads.back().is_loaded) return;
    for (size_t length = b.reads.size(); length > 0; --length)
      if (drop_one(blocks_[at + 1], last(b.reads, length))) return;
  }

  void drop_of_check(size_t handler) {
    auto const& failed = blocks_[handler];
    for (auto const& r : failed.reads) is_dropped_[r.line] = true;
    std::vector<read> before;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].jump != handler && !(i + 1 == handler && blocks_[i].falls)) continue;
      for (auto const& r : left_of(blocks_[i].reads))
        if (failed.of_cast || r.after_shift == blocks_[i].shifts) before.push_back(r);
    }
    // The distance of a shift is evaluated before the shifted value, which has no check.
    size_t length = std::min(failed.reads.size(), before.size());
    auto const operand = [&] {
      return std::vector<read>(failed.reads.begin(), failed.reads.begin() + distance(length));
    };
    while (length > 0 && place_of(operand(), last(before, length)) == none) --length;
    if (length == 0) return;
    if (failed.of_cast && before.size() >= 2 * length &&
        place_of(operand(), last(before, 2 * length)) == 0)
      for (auto const& r : last(before, length)) is_dropped_[r.line] = true;
    drop_in_operation(handler + 1, operand());
  }

  /// From the block after the call of the handler, which is the jump to the operation if there is
  /// one. Other checks may come before the operation.
  void drop_in_operation(size_t at, std::vector<read> const& operand) {
    if (!blocks_[at].falls && blocks_[at].jump != none) at = blocks_[at].jump;
    for (; at < blocks_.size(); ++at) {
      auto const& b = blocks_[at];
      if (drop_one(b, operand) || !b.falls) return;
      if (b.jump != none && !blocks_[b.jump].has_handler) return;
    }
  }

  std::vector<string_view> lines_;
  std::vector<bool> is_dropped_;
  std::vector<block> blocks_;
  std::map<string_view, size_t> labels_;
  std::vector<std::pair<size_t, string_view>> jumps_;
};

}  // namespace

std::string without_repeated_reads(std::string const& assembly) {
  for (string_view const handler :
       {"__ubsan_handle_shift_out_of_bounds", "__ubsan_handle_float_cast_overflow"})
    if (assembly.find(handler) != assembly.npos) return assembly_text(assembly).without_repeated();
  return assembly;
}

}  // namespace upsweep::lab::source
