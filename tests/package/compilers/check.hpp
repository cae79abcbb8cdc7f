/// What the files of the program share.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>

/// Ends the program if `got` is not `want`.
template <class A, class B>
void check(char const* what, A const& got, B const& want) {
  if (got == static_cast<A>(want)) return;
  std::fprintf(stderr, "%s is wrong\n", what);
  std::exit(1);
}

void check_reductions_and_scans();
void check_other_verbs();
