/// The expected results of a kernel, from the library, and the differences from the actual ones.
#pragma once

#include <lab/run.hpp>
#include <upsweep/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <vector>

namespace upsweep::lab {

/// The reference implementation for small inputs, else the serial executor, which is tested against
/// it.
template <class T, class Op>
[[nodiscard]] std::vector<T> expected(request const& asked, bool scan, std::vector<T> const& x,
                                      Op const& op) {
  bool const literal = x.size() <= 600;
  if (!scan) return {literal ? reference::reduce(x, op) : reduce(serial{}, x, op)};
  if (literal)
    return asked.exclusive ? reference::exclusive_scan(x, op) : reference::inclusive_scan(x, op);
  std::vector<T> out(x.size());
  if (asked.exclusive)
    exclusive_scan(serial{}, x, out, op);
  else
    inclusive_scan(serial{}, x, out, op);
  return out;
}

template <class T>
void compare(std::vector<T> const& wanted, std::vector<T> const& got, outcome& out) {
  out.results = wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (got[i] == wanted[i]) continue;
    if (!out.first) out.first = difference{i, text_of(wanted[i]), text_of(got[i])};
    ++out.different;
  }
  if (!got.empty()) out.value = text_of(got.back());
}

}  // namespace upsweep::lab
