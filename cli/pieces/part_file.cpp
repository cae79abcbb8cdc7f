/// The format of files of partials.
#include <cli/pieces/part_file.hpp>

#include <io/byte_source.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <upsweep/core/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace upsweep::cli {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view magic = "upsweep partials\n";

/// What is wrong with a header, in the words of a message.
class damaged_header : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

constexpr std::string_view kind_names[] = {"unknown", "text",  "number",
                                           "written", "truth", "token"};

/// A drawdown or a session of integers of 64 bits, which earlier formats have as double.
bool follows_integers(operator_use const& use, piece_header const& h) {
  if (!use.name.ends_with("drawdown") && use.name != "session") return false;
  auto const type = h.table.columns[use.at.value()].type;
  return type == io::dtype::i64 || type == io::dtype::u64;
}
/// A mean of a function of the values, which earlier formats have as a count and a plain sum.
bool is_mean_of_function(operator_use const& use) {
  return use.name == "geometric-mean" || use.name == "harmonic-mean" || use.name == "rms";
}
/// Groups of JSON, whose keys earlier formats have without their kinds: 1 and "1" alike.
bool has_json_keys(piece_header const& h) {
  return !h.by.empty() && is_json(h.format.format);
}

/// The lowest format that has the states of an operator.
std::uint16_t format_of(operator_use const& use, piece_header const& h) {
  if (is_mean_of_function(use) || summary_of(use.id)) return saved_format::of_wide_statistics;
  if (follows_integers(use, h)) return saved_format::of_followed_integers;
  return use.id == catalog::id::exact_sum ? saved_format::of_exact_sums : saved_format::first;
}
std::uint16_t format_of(piece_header const& h) {
  if (has_json_keys(h)) return saved_format::of_json_keys;
  auto format = saved_format::first;
  for (auto const& use : h.plan.numeric_uses()) format = std::max(format, format_of(use, h));
  return format;
}
/// Throws data_error if this version cannot read the states of a part.
void expect_readable(part_file const& part, std::uint16_t format) {
  auto const refuse = [&](std::string_view what, std::string_view why) {
    throw io::data_error(
        "{} has {} of an earlier version, which {}; {}.", part.name, what, why,
        part.about.source ? "remove this state, so that --resume reads the files from their begin"
                          : "write it again with upsweep reduce --partial");
  };
  for (auto const& use : part.about.plan.numeric_uses()) {
    if (format >= format_of(use, part.about)) continue;
    if (follows_integers(use, part.about))
      refuse("drawdowns or sessions of 64-bit integers", "rounded them to f64");
    if (is_mean_of_function(use)) refuse(use.name, "lost values near 1e200 and 1e-200");
  }
  if (has_json_keys(part.about) && format < saved_format::of_json_keys)
    refuse("keys of JSON", "did not tell 1 from \"1\"");
}

std::string_view kind_name(io::key_kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

io::key_kind kind_of(std::string_view name) {
  auto const found = std::ranges::find(kind_names, name);
  if (found == std::end(kind_names)) throw damaged_header("the kind of a key");
  return static_cast<io::key_kind>(found - std::begin(kind_names));
}

json json_of(std::vector<operator_use> const& uses) {
  json all = json::array();
  for (auto const& use : uses) {
    json one{{"name", use.name},
             {"parameter", use.parameter},
             {"column", use.column},
             {"others", use.others},
             {"as", use.alias}};
    if (use.at) one["at"] = *use.at;
    if (!use.others_at.empty()) one["others_at"] = use.others_at;
    all.push_back(one);
  }
  return all;
}

json json_of(piece_header const& h) {
  json columns = json::array();
  for (std::size_t c = 0; c < h.table.columns.size(); ++c)
    columns.push_back({{"name", h.table.columns[c].name},
                       {"dtype", name_of(h.table.columns[c].type)},
                       {"has_values", bool(h.has_values[c])}});
  json results = json::array();
  for (auto const& [is_text, index] : h.plan.results()) results.push_back({is_text, index});
  json kinds = json::array();
  for (auto const kind : h.key_kinds) kinds.push_back(kind_name(kind));
  json all{{"upsweep", version},
           {"rows", {h.begin, h.end}},
           {"skipped", h.skipped},
           {"request", h.request},
           {"unplaced", h.kind == piece::unplaced},
           {"by", h.by},
           {"kinds", kinds},
           {"columns", columns},
           {"texts", h.table.key_names},
           {"may_widen", h.table.may_widen},
           {"numeric_operators", json_of(h.plan.numeric_uses())},
           {"text_operators", json_of(h.plan.text_uses())},
           {"results", results},
           {"format", name_of(h.format.format)},
           {"delimiter", std::string(1, h.format.delimiter)},
           {"header", h.format.has_header}};
  if (h.missing) all["missing"] = *h.missing;
  if (h.source) all["source"] = {h.source->bytes, h.source->lines, h.source->first, h.source->last};
  if (h.lines) all["lines"] = *h.lines;
  return all;
}

/// Throws damaged_header unless index < size.
std::size_t checked(std::size_t index, std::size_t size) {
  if (index >= size) throw damaged_header("an index is too large");
  return index;
}

std::vector<operator_use> uses_of(json const& all, std::size_t columns) {
  std::vector<operator_use> uses;
  for (auto const& one : all) {
    auto const name = one.at("name").get<std::string>();
    auto const known = std::ranges::find(operators(), name, &operator_row::name);
    if (known == operators().end()) throw damaged_header("no operator '" + name + "'");
    operator_use use{.id = known->id,
                     .name = name,
                     .parameter = one.at("parameter").get<std::string>(),
                     .column = one.at("column").get<std::string>(),
                     .others = one.at("others").get<std::vector<std::string>>(),
                     .alias = one.at("as").get<std::string>()};
    if (one.contains("at")) use.at = checked(one["at"].get<std::size_t>(), columns);
    if (one.contains("others_at"))
      for (std::size_t const at : one["others_at"].get<std::vector<std::size_t>>())
        use.others_at.push_back(checked(at, columns));
    std::size_t const others =
        known->is(trait::finds_row) ? use.others.size() : columns_of(known->takes) - 1;
    if (use.others_at.size() > use.others.size() || (!use.others_at.empty() && !use.at) ||
        (!use.others_at.empty() && use.others_at.size() != others))
      throw damaged_header("the columns of '" + name + "'");
    uses.push_back(std::move(use));
  }
  return uses;
}

/// Throws damaged_header, or another exception of the libraries, if something is not as it is
/// written.
piece_header header_of(json const& from) {
  piece_header h;
  h.begin = from.at("rows").at(0).get<std::uint64_t>();
  h.end = from.at("rows").at(1).get<std::uint64_t>();
  if (h.end < h.begin) throw damaged_header("its end is before its begin");
  h.skipped = from.at("skipped").get<std::uint64_t>();
  from.at("request").get_to(h.request);
  h.kind = from.at("unplaced").get<bool>() ? piece::unplaced : piece::in_place;
  from.at("by").get_to(h.by);
  for (auto const& kind : from.value("kinds", json::array()))
    h.key_kinds.push_back(kind_of(kind.get<std::string>()));
  for (auto const& column : from.at("columns")) {
    auto const type = io::find_dtype(column.at("dtype").get<std::string>());
    bool const has_values = column.at("has_values").get<bool>();
    h.table.columns.push_back({column.at("name").get<std::string>(), type.value(), !has_values});
    h.has_values.push_back(has_values);
  }
  from.at("texts").get_to(h.table.key_names);
  h.table.may_widen = from.at("may_widen").get<bool>();
  auto numeric = uses_of(from.at("numeric_operators"), h.table.columns.size());
  auto texts = uses_of(from.at("text_operators"), h.table.key_names.size());
  if (!std::ranges::all_of(texts, takes_texts)) throw damaged_header("an operator of strings");
  std::vector<aggregation_plan::result> results;
  for (auto const& result : from.at("results")) {
    bool const is_text = result.at(0).get<bool>();
    std::size_t const size = is_text ? texts.size() : numeric.size();
    results.push_back({is_text, checked(result.at(1).get<std::size_t>(), size)});
    if (!is_text && !numeric[results.back().index].at) throw damaged_header("no column");
  }
  h.plan = {std::move(numeric), std::move(texts), std::move(results)};
  h.format.format = io::find_container(from.at("format").get<std::string>()).value();
  h.format.delimiter = from.at("delimiter").get<std::string>().at(0);
  h.format.has_header = from.at("header").get<bool>();
  if (from.contains("missing")) h.missing = from["missing"].get<std::vector<std::string>>();
  if (from.contains("source")) {
    auto const& s = from["source"];
    h.source = {s.at(0).get<std::uint64_t>(), s.at(1).get<std::uint64_t>(),
                s.at(2).get<std::uint64_t>(), s.at(3).get<std::uint64_t>()};
  }
  if (from.contains("lines")) h.lines = from["lines"].get<std::vector<std::size_t>>();
  return h;
}

std::string_view as_text(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// The size of the part at the begin of `from`, if it has not been damaged. A part that does not
/// say how many groups it has is alone.
std::size_t size_of_part(std::span<std::byte const> from) try {
  saved_reader in(from.subspan(magic.size() + 2 * sizeof(std::uint16_t)));
  auto const header = json::parse(as_text(in.take_bytes(in.take_count())));
  if (!header.contains("groups")) return from.size();
  auto const texts = header["groups"].get<std::uint64_t>() * (header.at("by").size() + 1);
  for (std::uint64_t t = 0; t < texts; ++t) in.skip(in.take_count());
  in.skip(sizeof(std::uint64_t));
  return from.size() - in.rest();
} catch (std::exception const&) {
  return from.size();
}

bool begins_like_parts(std::string_view from) {
  return from.starts_with(magic.substr(0, from.size())) && !from.empty();
}

/// Reads the part at the begin of `from`, of which it has the name, and returns its size.
std::size_t read_part(part_file& part, std::string_view from) {
  auto const damaged = [&](std::string_view why) {
    return io::data_error("{} {}; write it again with upsweep reduce --partial.", part.name, why);
  };
  if (!begins_like_parts(from)) throw damaged("is not a file of partials");
  if (from.size() < magic.size() + 2 * sizeof(std::uint64_t)) throw damaged("is cut off");
  auto const bytes = std::as_bytes(std::span(from));
  auto const format = saved_reader(bytes.subspan(magic.size())).take<std::uint16_t>();
  if (format < saved_format::first || format > saved_format::newest)
    throw damaged(fmt::format("has format {}, but this version reads formats up to {}", format,
                              saved_format::newest));
  auto const all = bytes.first(size_of_part(bytes));
  auto const body = all.first(all.size() - sizeof(std::uint64_t));
  if (saved_reader(all.last(sizeof(std::uint64_t))).take<std::uint64_t>() != checksum(body))
    throw damaged("is damaged or cut off: its checksum is not that of its content");
  saved_reader in(body.subspan(magic.size() + sizeof(std::uint16_t)));
  if (auto const tree = in.take<std::uint16_t>(); tree != tree_version)
    throw damaged(
        fmt::format("is of combine tree {}, but this version has tree {}", tree, tree_version));
  part.about = header_of(json::parse(as_text(in.take_bytes(in.take_count()))));
  expect_readable(part, format);
  part.keys.resize(part.about.by.size());
  while (!in.at_end()) {
    for (auto& column : part.keys) column.push(as_text(in.take_bytes(in.take_count())));
    part.parts.push(as_text(in.take_bytes(in.take_count())));
  }
  if (part.about.by.empty() && part.parts.size() != part.about.groups_without_keys())
    throw damaged("has a number of parts that differs from its header");
  return all.size();
}

}  // namespace

aggregate_settings piece_header::settings() const {
  aggregate_settings s;
  s.of_piece = kind;
  if (missing) s.missing = std::make_shared<io::missing_words const>(*missing);
  s.may_lack_results = !by.empty();
  return s;
}

std::size_t piece_header::groups_without_keys() const {
  std::size_t count = 1;
  for (std::size_t const size : lines.value_or(std::vector<std::size_t>())) count *= size;
  return count;
}

void part_file::append(io::chunk const& rows) {
  keys.resize(rows.keys.size() - 1);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k].append(rows.keys[k], 0, rows.rows);
  parts.append(rows.keys.back(), 0, rows.rows);
}

piece_request request_of(operators_flags const& flags) {
  auto const& in = flags.in;
  auto const joined = [](auto const& words) { return fmt::format("{}", fmt::join(words, ",")); };
  auto const yes = [](bool given) { return std::string(given ? "yes" : ""); };
  return {{"--op", joined(flags.engine.op)},
          {"--by", joined(flags.by)},
          {"--column", joined(in.columns)},
          {"--list", yes(in.list)},
          {"--dtype", in.type},
          {"--skip-missing", yes(in.skip_missing)},
          {"--skip-rows-with-missing", yes(in.skip_rows)},
          {"--missing", joined(in.missing)},
          {"--axis", flags.axis ? "0" : ""}};
}

std::vector<part_file> read_part_file(std::string const& path) try {
  io::byte_source file(path);
  file.fill(magic.size());
  while (begins_like_parts(file.window()) && file.more()) {
  }
  std::vector<part_file> parts;
  for (auto rest = file.window(); parts.empty() || !rest.empty();)
    rest.remove_prefix(read_part(parts.emplace_back(part_file{file.name(), {}}), rest));
  return parts;
} catch (io::tool_error const&) {
  throw;
} catch (std::bad_alloc const&) {
  throw;
} catch (damaged_header const& e) {
  throw io::data_error(
      "{}: the header of this file of partials is damaged: {}; write it again with upsweep reduce "
      "--partial.",
      path, io::shown(e.what()));
} catch (std::exception const&) {  // of the JSON library, in its words
  throw io::data_error(
      "{}: the header of this file of partials is damaged: a field of it is missing or of another "
      "type; write it again with upsweep reduce --partial.",
      path);
}

void write_part_file(std::span<part_file const> parts, std::string const& path, bool force) {
  io::output_file out(path, force);
  for (auto const& part : parts) {
    saved_state all;
    put_all(all, std::span<char const>(magic));
    put(all, format_of(part.about));
    put(all, static_cast<std::uint16_t>(tree_version));
    auto header = json_of(part.about);
    header["groups"] = part.parts.size();
    put_text(all, header.dump(-1, ' ', true, json::error_handler_t::replace));
    for (std::size_t row = 0; row < part.parts.size(); ++row) {
      for (auto const& column : part.keys) put_text(all, column.view()[row]);
      put_text(all, part.parts.view()[row]);
    }
    put(all, checksum(all));
    out.write(as_text(all));
  }
  out.commit();
}

}  // namespace upsweep::cli
