/// Cases of the golden set: selections, runs, and rows that become longer or shorter.
#include "set_parts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::golden_set {

namespace {

template <class T, class Test>
std::string selected_by(cpu const& on, call_case const& c, std::vector<T> const& x,
                        Test const& test) {
  room<T> const yes(x.size()), no(x.size());
  room<std::uint64_t> const at(x.size());
  if (c.verb == "select") return moved(yes.all().first(upsweep::select(on, x, yes.all(), test)));
  if (c.verb == "select_positions")
    return listed(at.all().first(upsweep::select_positions(on, x, at.all(), test)));
  auto const counts = upsweep::partition(on, x, yes.all(), no.all(), test);
  return moved(yes.all().first(counts.yes)) + " " + moved(no.all().first(counts.no));
}

template <class T, class Same>
std::string runs_by(cpu const& on, std::vector<T> const& x, Same const& equal) {
  room<T> const values(x.size()), again(x.size());
  room<std::uint64_t> const starts(x.size()), lengths(x.size());
  std::size_t const count = upsweep::runs(on, x, values.all(), lengths.all(), equal);
  upsweep::run_starts(on, x, starts.all(), equal);
  upsweep::unique(on, x, again.all(), equal);
  std::string const firsts = moved(again.all().first(count));
  return (firsts == moved(values.all().first(count)) ? firsts : "unique and runs differ") + " " +
         listed(starts.all().first(count)) + " " + listed(lengths.all().first(count));
}

template <class T>
std::string selection(cpu const& on, call_case const& c) {
  auto const x = elements<T>(c.get("kind"), c.n());
  if (c.verb == "runs")
    return c.is("equal", "value") ? runs_by(on, x, same{}) : runs_by(on, x, same_bits{});
  if (c.is("test", "positive")) return selected_by(on, c, x, [](T const& e) { return e > T(0); });
  return selected_by(on, c, x, [](T const& e) { return (bits_of(e) & 1) != 0; });
}

template <class T>
std::string rows(cpu const& on, call_case const& c) {
  auto const shape = c.shape();
  std::size_t const n = c.n();
  auto x = elements<T>(c.get("kind"), n, 1);
  T const behind = x.back();
  x.pop_back();
  if (c.verb == "pad") {
    std::size_t const padded = c.number("padded");
    x.resize(shape[0] * padded);
    upsweep::pad(on, x, shape[0], shape[1], padded, behind);
  } else {
    std::size_t const columns = c.number("columns");
    upsweep::unpad(on, x, shape[0], columns, shape[1]);
    x.resize(shape[0] * columns);
  }
  return moved(x);
}

}  // namespace

result_text selection_case(cpu const& on, call_case const& c) {
  if (c.verb == "pad" || c.verb == "unpad")
    return dispatch_type(types<std::uint8_t, double>{}, c,
                         [&]<class T>() { return rows<T>(on, c); });
  if (c.verb != "select" && c.verb != "select_positions" && c.verb != "partition" &&
      c.verb != "runs")
    return {};
  return dispatch_type(dynamic::numbers{}, c, [&]<class T>() { return selection<T>(on, c); });
}

}  // namespace upsweep::golden_set
