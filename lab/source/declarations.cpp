/// Moves alignas before __shared__, and drops the casts of kernels to void*.
#include <lab/source/declarations.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

namespace {

bool takes_kernel(std::string_view word) {
  constexpr std::string_view calls[] = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                        "cudaFuncSetAttribute", "cudaFuncGetAttributes",
                                        "cudaFuncSetCacheConfig"};
  return std::find(std::begin(calls), std::end(calls), word) != std::end(calls) ||
         word.starts_with("cudaOccupancyMax");
}

/// The number of tokens of the cast to void* or void const* that begins at `i`, or 0.
std::size_t cast_at(token_view const& t, std::size_t i) {
  if (!t.is(i, "(")) return 0;
  std::size_t const end = t.closing(i);
  bool names_void = false;
  for (std::size_t j = i + 1; j < end; ++j) {
    names_void = names_void || t.is(j, "void");
    if (!t.is(j, "void") && !t.is(j, "const") && !(t.is(j, "*") && j + 1 == end)) return 0;
  }
  return names_void && t.is(end - 1, "*") ? end + 1 - i : 0;
}

}  // namespace

void find_alignments(token_view const& t, std::vector<edit>& edits) {
  for (std::size_t i = 0; i + 2 < t.size(); ++i) {
    if (!t.is(i, "__shared__")) continue;
    std::size_t last = i;
    while (t.is(last + 1, "alignas") && t.is(last + 2, "(") && t.closing(last + 2) < t.size())
      last = t.closing(last + 2);
    if (last == i) continue;
    // The words before it come after alignas too: `static`, `extern`, `volatile`.
    std::size_t first = i;
    while (first > 0 &&
           (t.is(first - 1, "static") || t.is(first - 1, "extern") || t.is(first - 1, "volatile")))
      --first;
    edits.push_back({t[first].begin,
                     t[last].end,
                     {{"", t[i + 1].begin, t[last].end},
                      {" ", t[first].begin, t[i].end},
                      {line_breaks(t.source(), t[i].end, t[i + 1].begin, false), 0, 0}}});
  }
}

void find_casts_of_kernels(token_view const& t, std::vector<edit>& edits) {
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (!t.is_word(i) || !takes_kernel(t.text(i))) continue;
    std::size_t open = i + 1;
    if (t.is(open, "<")) continue;  // its template argument says the type
    if (!t.is(open, "(")) continue;
    for (std::size_t j = open + 1, end = t.closing(open); j < end; ++j) {
      std::size_t const cast = t.is(j - 1, "(") || t.is(j - 1, ",") ? cast_at(t, j) : 0;
      bool const of_name = cast > 0 && t.is_word(j + cast);
      if (of_name)
        edits.push_back({t[j].begin,
                         t[j + cast - 1].end,
                         {{line_breaks(t.source(), t[j].begin, t[j + cast].begin, false), 0, 0}}});
      if (of_name) break;
      if (t.is(j, "(") || t.is(j, "{")) j = t.closing(j);
    }
  }
}

}  // namespace upsweep::lab::source
