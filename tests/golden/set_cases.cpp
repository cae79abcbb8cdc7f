/// Any case of the golden set, by the part that it belongs to; also for the runner in C, which asks
/// for the cases that the C interface does not have.
#include "set_dispatch.hpp"

#include <golden/golden.h>

#include <cstdio>
#include <string>

namespace upsweep::golden_set {

result_text text_of_case(cpu const& on, call_case const& c) {
  using part = result_text (*)(cpu const&, call_case const&);
  constexpr part parts[] = {arithmetic_case, catalog_case,   statistics_case,
                            recurrence_case, segments_case,  windows_case,
                            selection_case,  histogram_case, order_case};
  for (part const p : parts)
    if (auto text = p(on, c)) return text;
  return {};
}

}  // namespace upsweep::golden_set

int golden_compute_in_cpp(golden_case const* c, int threads, char text[golden_text_size]) {
  using namespace upsweep::golden_set;
  call_case of{c->verb, {}};
  for (int k = 0; k < c->keys; ++k) of.keys.emplace_back(c->key[k], c->value[k]);
  auto const result = text_of_case(upsweep::cpu{.threads = threads}, of);
  std::snprintf(text, golden_text_size, "%s", result.value_or("").c_str());
  return result.has_value() ? 1 : 0;
}
