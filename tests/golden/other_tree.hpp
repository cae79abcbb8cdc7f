/// What the tests of the other trees' golden sets share: each set is a recipe, a line for each
/// case, and a hash on the tree's page.
#pragma once

#include "set_dispatch.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace upsweep::golden_set {

/// f.operator()<T>(op) for the operator and the type of a case: of Table, or a recurrence.
template <class Table, class F>
result_text with_operator(call_case const& c, F const& f) {
  if (c.get("coefficients").empty())
    return dispatch(Table{}, c,
                    [&]<class Op, class T>(Op const& op) { return f.template operator()<T>(op); });
  return dispatch_type(types<float, double>{}, c, [&]<class T>() {
    return f.template operator()<T>(recurrence({static_cast<T>(1.6), static_cast<T>(-0.64)}));
  });
}

inline std::string content(char const* path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

/// The cases of a set whose result is not what `compute` gives.
template <class Table, class Compute>
std::vector<std::string> differing_cases_of(char const* recipe_path, char const* set_path,
                                            Compute const& compute) {
  std::ifstream recipe(recipe_path), set(set_path);
  std::vector<std::string> differ;
  for (call_case const& c : expand(recipe)) {
    std::string line;
    if (!std::getline(set, line)) return {"the set has fewer cases than the recipe"};
    auto const text = with_operator<Table>(c, [&]<class T>(auto const& op) {
      return text_of([&] { return compute.template operator()<T>(c, op); });
    });
    if (line != c.text() + " => " + text.value_or("nothing")) differ.push_back(line);
  }
  return differ;
}

}  // namespace upsweep::golden_set
