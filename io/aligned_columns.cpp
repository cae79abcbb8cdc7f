/// Words of a header and of rows by their positions: what agrees, and what is below another name.
#include <io/aligned_columns.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

constexpr std::size_t most_rows = 1000;

struct word {
  std::size_t begin, end;  ///< in characters
  bool apart;              ///< two blanks or more precede it
  std::string_view text;
};

/// The words of a line; none if it has tabs.
std::vector<word> words_of(std::string_view line) {
  std::vector<word> words;
  if (line.find('\t') != std::string_view::npos) return words;
  std::size_t column = 0, blanks = 0, begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ' || line[i] == '\r' || line[i] == '\n') {
      blanks = inside ? 1 : blanks + 1;
      inside = false;
    } else if (!inside) {
      inside = true;
      begin = i;
      words.push_back({column, column, blanks > 1, {}});
    }
    bool const continues = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;  // UTF-8
    if (!continues) ++column;
    if (inside) {
      words.back().end = column;
      words.back().text = line.substr(begin, i + 1 - begin);
    }
  }
  return words;
}

/// What one row says; `certain` if its blanks do. As many fields as names are evidence only if two
/// of them lie alike: headers typed by hand above numbers of a fixed width are not aligned.
struct row_evidence {
  std::optional<shifted_columns> shift;
  bool certain = false;
};

row_evidence compare(std::vector<word> const& names, std::vector<word> const& fields) {
  row_evidence found;
  std::size_t agreed = 0, apart = 0;
  for (std::size_t k = 0, j = 0; k < names.size(); ++k) {
    while (j < fields.size() && fields[j].begin < names[k].begin) ++j;
    auto const is_below = [&](std::size_t i) {
      return i < fields.size() &&
             (fields[i].begin == names[k].begin || fields[i].end == names[k].end);
    };
    if (is_below(k)) agreed = k + 1;
    if (j == k || j == fields.size() || fields[j].begin != names[k].begin) continue;
    if (!found.shift)
      found.shift = {agreed, 0, k, j, std::string(names[k].text), std::string(fields[j].text)};
    if (fields[j].apart) ++apart;
  }
  found.certain = apart > (fields.size() == names.size() ? 1 : 0);
  return found;
}

}  // namespace

std::optional<shifted_columns> find_shift(std::string_view header, std::string_view rows,
                                          char comment) {
  auto const names = words_of(header);
  std::optional<shifted_columns> certain, likely;
  std::size_t longer = 0, agree = 0;
  auto const keep = [](auto& kept, auto&& found) {
    if (!kept || found->first < kept->first) kept = std::move(found);
  };
  for (std::size_t row = 0; row < most_rows && !rows.empty(); ++row) {
    auto const end = std::min(rows.find('\n'), rows.size());
    auto const fields = words_of(rows.substr(0, end));
    rows.remove_prefix(std::min(end + 1, rows.size()));
    if (fields.empty() || fields[0].text[0] == comment) continue;
    auto found = compare(names, fields);
    if (found.shift) found.shift->row = row;
    bool const is_longer = fields.size() > names.size();
    if (is_longer) ++longer;
    if (found.certain) {
      keep(certain, std::move(found.shift));
    } else if (found.shift && is_longer) {
      ++agree;
      keep(likely, std::move(found.shift));
    }
  }
  if (!certain && longer > 1 && agree == longer) return likely;
  return certain;
}

}  // namespace upsweep::io
