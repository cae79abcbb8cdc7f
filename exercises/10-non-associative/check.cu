// The operator is associative, and every block scans its own tile of steps.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <string>
#include <vector>

bool operator==(step x, step y) {
  return x.a == y.a && x.b == y.b;
}

std::string text_of(step s) {
  return std::to_string(s.a) + "x+" + std::to_string(s.b);
}

/// A counterexample among the first elements is reported.
bool is_associative(check::run& run, std::vector<step> const& x) {
  recurrence const op;
  std::size_t const few = x.size() < 12 ? x.size() : 12;
  for (std::size_t i = 0; i + 2 < few; ++i) {
    step const a = x[i], b = x[i + 1], c = x[i + 2], left = op(op(a, b), c),
               right = op(a, op(b, c));
    if (left == right) continue;
    run.wrong("recurrence is not associative: with a = " + text_of(a) + ", b = " + text_of(b) +
                  ", c = " + text_of(c) + ", (a op b) op c is " + text_of(left) +
                  ", and a op (b op c) is " + text_of(right),
              "A tree also combines results with results. What must an element hold so that two "
              "consecutive ranges of steps can be combined into one?");
    return false;
  }
  return true;
}

/// Every step applied to a + b x, from left to right.
std::vector<step> composed(std::vector<step> const& x) {
  auto all = x;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (i % threads != 0) all[i] = {x[i].a * all[i - 1].a, x[i].a * all[i - 1].b + x[i].b};
  return all;
}

void check_run(check::run& run) {
  if (!run.is("steps of the recurrence")) return;
  std::vector<step> x(run.n);
  for (step& s : x)
    s = {static_cast<unsigned>(run.random() % 5 * 2 + 1),
         static_cast<unsigned>(run.random() % 100)};
  if (!is_associative(run, x)) return;
  check::device const in("in", x);
  check::device<step> const out("out", x.size());
  scan_steps<<<check::blocks_for(run.n, threads), threads>>>(in.data(), out.data(),
                                                             static_cast<int>(run.n), recurrence{});
  run.expect("out", out, composed(x));
}
