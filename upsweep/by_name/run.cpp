/// The entries of all families, and the calls of an entry.
#include <upsweep/by_name/instances.hpp>
#include <upsweep/by_name/run.hpp>

namespace upsweep::dynamic {
namespace {

/// The entries by operator and type; null for a pair that is not compiled.
class directory {
 public:
  directory() {
    for (auto const family : all_entries())
      for (call_entry const& e : family) at(e.op, e.element) = &e;
  }
  [[nodiscard]] call_entry const*& at(catalog::id op, dtype element) {
    return entries_[static_cast<int>(op)][static_cast<int>(element)];
  }

 private:
  call_entry const* entries_[catalog::operator_count][std::size(all_dtypes)] = {};
};

// The tables are defined in instances/, which clang would have declared here once more.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// The tables of all families, in the order of the list.
template <class Families>
struct tables;
template <class... Family>
struct tables<types<Family...>> {
  static constexpr std::span<call_entry const> entries[] = {Family::entries...};
  static constexpr call_function const* reductions[] = {Family::reductions.data()...};
  static constexpr call_function const* inclusive_scans[] = {Family::inclusive_scans.data()...};
  static constexpr call_function const* exclusive_scans[] = {Family::exclusive_scans.data()...};
  static constexpr windowed_function const* windows[] = {Family::windows.data()...};
  static constexpr plan_function const* plans[] = {Family::plans.data()...};
};
using of_all = tables<all_calls>;

template <class F>
F at_place(F const* const* families, call_entry const& e) {
  return families[e.place[0]][e.place[1]];
}

}  // namespace

void call_entry::reduce(void const* in, std::size_t n, request const& how, void* out) const {
  at_place(of_all::reductions, *this)(in, n, how, out);
}

void call_entry::inclusive_scan(void const* in, std::size_t n, request const& how,
                                void* out) const {
  at_place(of_all::inclusive_scans, *this)(in, n, how, out);
}

void call_entry::exclusive_scan(void const* in, std::size_t n, request const& how,
                                void* out) const {
  at_place(of_all::exclusive_scans, *this)(in, n, how, out);
}

void call_entry::run(verb v, void const* in, std::size_t n, request const& how, void* out) const {
  if (v == verb::reduce) return reduce(in, n, how, out);
  if (v == verb::inclusive_scan) return inclusive_scan(in, n, how, out);
  exclusive_scan(in, n, how, out);
}

host::plan call_entry::plan(verb v, std::size_t n, int threads, bool in_place) const {
  return at_place(of_all::plans, *this)(v, n, threads, in_place);
}

void call_entry::windowed(void const* in, std::size_t n, std::size_t width, request const& how,
                          void* out) const {
  at_place(of_all::windows, *this)(in, n, width, how, out);
}

std::span<std::span<call_entry const> const> all_entries() noexcept {
  return of_all::entries;
}

call_entry const* find(catalog::id op, dtype element) noexcept {
  static directory all;
  return static_cast<std::size_t>(op) < catalog::operator_count ? all.at(op, element) : nullptr;
}

}  // namespace upsweep::dynamic
