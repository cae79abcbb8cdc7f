/// Translates PTX instruction by instruction with the table: an instruction is one C++ statement,
/// a register of the text is a local variable.
#include <lab/source/ptx.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>

namespace upsweep::lab::source {

namespace {

constexpr std::string_view prefix = "::upsweep::emulated::ptx::";

struct unknown_ptx : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string_view type_of_letter(char letter) {
  switch (letter) {
    case 'l':
      return "std::uint64_t";
    case 'h':
      return "std::uint16_t";
    case 'f':
      return "float";
    case 'd':
      return "double";
    default:
      return "std::uint32_t";
  }
}

/// An instruction, taken apart: "ld.relaxed.gpu.global.v2.u32" is ld.relaxed.v.T.
struct instruction {
  std::string name;
  std::vector<std::string_view> types;
  std::string_view scope = "device", order = "relaxed", space = "generic";

  instruction(std::string const& opcode, bool has_address) {
    bool const is_fence = opcode.starts_with("fence") || opcode.starts_with("mbarrier");
    bool const has_order = is_fence || opcode.starts_with("atom.") || opcode.starts_with("red.");
    for (auto const& part : split_operands(opcode, '.')) take(part, has_address, has_order);
    if (name.starts_with("fence.proxy")) name = "fence.proxy";
  }

 private:
  void take(std::string const& part, bool has_address, bool has_order) {
    if (auto const* const type = find_row(ptx_types(), part); type != nullptr) {
      if (types.empty()) name += ".T";
      types.push_back(type->code);
    } else if (is_one_of(part, {"cta", "cluster", "gpu", "gl", "sys"})) {
      scope = part == "cta"       ? "block"
              : part == "cluster" ? "cluster"
              : part == "sys"     ? "system"
                                  : "device";
    } else if (has_address && (is_one_of(part, {"global", "const", "param", "local"}) ||
                               part.starts_with("shared"))) {
      if (space == "generic") space = part.starts_with("shared") ? "shared" : "global";
    } else if (has_order && is_one_of(part, {"relaxed", "acquire", "release", "acq_rel", "sc"})) {
      order = part == "relaxed"   ? "relaxed"
              : part == "acquire" ? "acquire"
              : part == "release" ? "release"
              : part == "acq_rel" ? "acq_rel"
                                  : "seq_cst";
    } else if (is_one_of(part, {"v2", "v4", "v8"})) {
      name += ".v";
    } else if (!is_one_of(part, {"ca", "cg", "cs", "lu", "cv", "nc", "wt", "wb", "weak", "rn",
                                 "rzi", "approx", "ftz", "aligned"}) &&
               part.find("L1::") == std::string::npos && part.find("L2::") == std::string::npos) {
      name += (name.empty() ? "" : ".") + part;
    }
  }
};

class translator {
 public:
  explicit translator(std::vector<asm_operand> const& operands) : operands_(operands) {}

  std::string run(std::string_view text) {
    auto const statements = parse_ptx(text);
    for (auto const& s : statements) {
      if (!s.label.empty()) labels_ += fmt::format("__label__ upsweep_ptx_{}; ", s.label);
      if (s.opcode == ".reg") declare(s);
    }
    for (auto const& s : statements) add(s);
    return labels_ + registers_ + code_;
  }

 private:
  /// `.reg .u32 a, b;` and `.reg .b32 t<4>;`, which is t0 to t3.
  void declare(ptx_statement const& s) {
    auto words = split_operands(s.operands.empty() ? "" : s.operands[0], ' ');
    if (words.size() != 2) throw unknown_ptx(".reg");
    std::string const type = words[0].substr(1);
    auto const* const row = find_row(ptx_types(), type);
    if (row == nullptr && type != "pred") throw unknown_ptx(".reg ." + type);
    std::string_view const as = row == nullptr ? "bool" : row->code;
    auto names = s.operands;
    names[0] = words[1];
    for (auto const& name : names) {
      auto const many = name.find('<');
      if (many == std::string::npos) {
        declare(name, as);
      } else {
        for (int i = 0, n = std::atoi(name.c_str() + many + 1); i < std::min(n, 64); ++i)
          declare(fmt::format("{}{}", name.substr(0, many), i), as);
      }
    }
  }
  void declare(std::string const& name, std::string_view type) {
    known_[name] = type;
    registers_ += fmt::format("{} {}; ", type, local(name));
  }
  static std::string local(std::string_view name) {
    std::string all = "upsweep_ptx_";
    for (char const c : name) all += c == '%' || c == '$' ? '_' : c;
    return all;
  }

  void add(ptx_statement const& s) {
    if (!s.label.empty()) code_ += fmt::format("upsweep_ptx_{}:; ", s.label);
    if (s.opcode.empty() || s.opcode == ".reg") return;
    if (!s.predicate.empty()) code_ += fmt::format("if ({}) ", value(s.predicate));
    if (s.opcode == "bra" || s.opcode == "bra.uni")
      code_ += fmt::format("goto upsweep_ptx_{}; ", s.operands.at(0));
    else
      code_ += statement_of(s) + "; ";
  }

  std::string statement_of(ptx_statement const& s) {
    bool const has_address = std::any_of(s.operands.begin(), s.operands.end(),
                                         [](auto const& o) { return o.starts_with('['); });
    instruction const i(s.opcode, has_address);
    std::string name = i.name;
    if (name == "mov.T" && s.operands.size() == 2) {
      if (s.operands[0].starts_with('{')) name = "mov.unpack";
      if (s.operands[1].starts_with('{')) name = "mov.pack";
    }
    auto const* const row = find_row(ptx_instructions(), name);
    if (row == nullptr) throw unknown_ptx(s.opcode);
    std::string_view code = row->code;
    if (code.starts_with("$0 = ") && !s.operands.empty() && s.operands[0] == "_")
      code.remove_prefix(5);
    return filled_in(code, s, i);
  }

  std::string filled_in(std::string_view code, ptx_statement const& s, instruction const& i) {
    auto operands = s.operands;
    std::string predicate;
    if (!operands.empty() && operands[0].find('|') != std::string::npos) {
      auto const two = split_operands(operands[0], '|');
      operands[0] = two.at(0);
      if (two.at(1) != "_") predicate = ", " + value(two[1]);
    }
    bool first_address = true;  // of cp.async: the one in shared memory
    std::vector<std::string> values;
    for (auto const& o : operands) {
      bool const shared = i.space == "shared" && (first_address || !s.opcode.starts_with("cp."));
      if (o.starts_with('[')) first_address = false;
      values.push_back(o.starts_with('[') ? address(o, shared) : value(o));
    }
    std::string all;
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (code.substr(at).starts_with("ptx::")) {
        all += prefix;
        at += 4;
      } else if (code[at] != '$') {
        all += code[at];
      } else if (char const what = code[++at]; what >= '0' && what <= '9') {
        auto const n = static_cast<std::size_t>(what - '0');
        bool const rest = code.substr(at + 1).starts_with('+');
        if (rest) {
          ++at;
          for (auto k = n; k < values.size(); ++k) all += ", " + values[k];
        } else if (n < values.size()) {
          all += values[n];
        } else {
          throw unknown_ptx(s.opcode);
        }
      } else {
        all += what == 'P'   ? predicate
               : what == 'S' ? fmt::format("{}scope::{}", prefix, i.scope)
               : what == 'O' ? fmt::format("{}order::{}", prefix, i.order)
               : what == 'D' ? std::string(type_of(operands.at(0)))
                             : type(what == 'T' ? 0 : 1, i, operands);
      }
    }
    return all;
  }

  /// b32 and b64 are floating-point if an operand is.
  std::string type(std::size_t n, instruction const& i, std::vector<std::string> const& operands) {
    if (n >= i.types.size()) throw unknown_ptx(i.name);
    std::string_view const said = i.types[n];
    for (auto const& o : operands) {
      auto const parts = o.starts_with('{') ? split_operands(o.substr(1, o.size() - 2), ',')
                                            : std::vector<std::string>{o};
      auto const is = parts.empty() || o.starts_with('[') ? "" : type_of(parts[0]);
      if ((is == "float" && said == "std::uint32_t") || (is == "double" && said == "std::uint64_t"))
        return std::string(is);
    }
    return std::string(said);
  }

  std::string_view type_of(std::string const& operand) {
    if (auto const known = known_.find(operand); known != known_.end()) return known->second;
    if (operand.size() > 1 && operand[0] == '%' && std::isdigit(operand[1]) != 0)
      return type_of_letter(outer(operand).letter);
    return "std::uint32_t";
  }

  asm_operand const& outer(std::string const& operand) {
    auto const n = static_cast<std::size_t>(std::atoi(operand.c_str() + 1));
    if (n >= operands_.size()) throw unknown_ptx(operand);
    return operands_[n];
  }

  std::string value(std::string const& o) {
    if (o.starts_with('!')) return "!" + value(o.substr(1));
    if (o.starts_with('{')) {
      std::vector<std::string> parts;
      for (auto const& part : split_operands(o.substr(1, o.size() - 2), ','))
        parts.push_back(value(part));
      return fmt::format("{}", fmt::join(parts, ", "));
    }
    if (known_.contains(o)) return local(o);
    if (o == "_") return {};  // a result that nobody wants
    if (o.starts_with("0f") || o.starts_with("0F"))
      return fmt::format("__builtin_bit_cast(float, 0x{}u)", o.substr(2));
    if (o.starts_with("0d") || o.starts_with("0D"))
      return fmt::format("__builtin_bit_cast(double, 0x{}ull)", o.substr(2));
    if (o.starts_with('%') && o.size() > 1) {
      if (std::isdigit(o[1]) != 0) return outer(o).code;
      auto const* const row = find_row(ptx_registers(), std::string_view(o).substr(1));
      if (row == nullptr) throw unknown_ptx(o);
      std::string const code(row->code);
      return code.starts_with("ptx::") ? std::string(prefix) + code.substr(5) : code;
    }
    if (o == "WARP_SZ") return "32";
    if (std::isdigit(o[0]) != 0 || o[0] == '-') return o;
    throw unknown_ptx(o);
  }

  /// "[%1+16]" as a pointer.
  std::string address(std::string const& o, bool shared) {
    auto const parts = split_operands(std::string_view(o).substr(1, o.size() - 2), '+');
    if (parts.empty()) throw unknown_ptx(o);
    return fmt::format("{}{}({}{}{})", prefix, shared ? "at_shared" : "at", value(parts[0]),
                       parts.size() > 1 ? ", " : "", parts.size() > 1 ? value(parts[1]) : "");
  }

  std::vector<asm_operand> const& operands_;
  std::map<std::string, std::string_view> known_;
  std::string labels_, registers_, code_;
};

}  // namespace

ptx_translation translate_ptx(std::string_view text, std::vector<asm_operand> const& operands) {
  try {
    return {translator(operands).run(text), ""};
  } catch (unknown_ptx const& what) {
    return {"", what.what()};
  }
}

}  // namespace upsweep::lab::source
