/// The entries of all families.
#include <upsweep/dynamic/instances.hpp>
#include <upsweep/dynamic/run.hpp>

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

}  // namespace

std::span<std::span<call_entry const> const> all_entries() noexcept {
  static std::span<call_entry const> const families[] = {
      affine_entries(),  arg_extrema_entries(), arithmetic_entries(),
      bitwise_entries(), checked_entries(),     exact_sum_entries(),
      gcd_entries(),     logical_entries(),     min_max_entries()};
  return families;
}

call_entry const* find(catalog::id op, dtype element) noexcept {
  static directory all;
  return static_cast<std::size_t>(op) < catalog::operator_count ? all.at(op, element) : nullptr;
}

}  // namespace upsweep::dynamic
