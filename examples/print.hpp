/// `print` of the reference's examples: numbers, strings and ranges on one line, with "; " between.
#pragma once

#include <cstddef>
#include <iostream>
#include <string>

template <class T>
void put(T const& value) {
  if constexpr (
      requires { value.begin(), value.size(), value.data() - &value[0]; } &&
      !requires { std::string(value); })
    for (std::size_t i = 0; i < value.size(); ++i) std::cout << (i ? " " : "") << value[i];
  else
    std::cout << value;
}

/// Prints its arguments on one line.
void print(auto const&... values) {
  char const* between = "";
  ((std::cout << between, put(values), between = "; "), ...);
  std::cout << '\n';
}

/// An example of the reference and its name.
struct example {
  char const* name;
  void (*run)();
};
#define EXAMPLE(name) {#name, name}

/// Runs the examples, with "[name]" before the output of each.
template <std::size_t n>
void run_all(example const (&examples)[n]) {
  for (auto const& [name, run] : examples) {
    std::cout << "[" << name << "]\n";
    run();
  }
}
