/// What people read about an operator: its member `about`, from which the tool's list, its help and
/// the test of its example are made.
#pragma once

#include <upsweep/core/compiler.hpp>

namespace upsweep::catalog {

/// What values an operator takes: `maps` are pairs (a, b) that represent x -> a x + b, `pairs`
/// others, `matrices` four numbers.
enum class operand_kind { numbers, integers, maps, pairs, matrices, text };

/// An operator in words, and an example: the values, separated by spaces, and what `upsweep reduce`
/// prints for them.
struct description {
  operand_kind takes;
  char const* identity;
  char const* accumulator;
  bool ordered;  ///< results are numbers with an order, not row numbers, bit sets or matrices
  char const* meaning;
  char const* example;
  char const* result;
  char const* parameter = "";  ///< its name, in brackets when it is optional
};

}  // namespace upsweep::catalog
