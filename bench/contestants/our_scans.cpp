/// Upsweep's recurrences and polynomials, and the tokenizer of comma-separated values.
#include <bench/contestants/ours.hpp>

#include <upsweep/apps/csv_fields.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <string_view>

namespace upsweep::bench {
namespace {

/// y[i] = x[i] + y[i - 1] - y[i - 2], as in loops.hpp.
template <class T>
void run_recurrence(call& c) {
  upsweep::inclusive_scan(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n),
                          recurrence({T{1}, T{-1}}));
  c.count = c.n;
}

/// The same from y[-1] = 3 and y[-2] = -2 on.
template <class T>
void continue_recurrence(call& c) {
  auto const op = recurrence({T{1}, T{-1}});
  upsweep::inclusive_scan(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n), op,
                          {.initial = op.after({T{3}, T{-2}})});
  c.count = c.n;
}

template <class T>
void run_polynomial(call& c) {
  results_in<T>(c, 1)[0] =
      upsweep::reduce(cpu{.threads = c.threads}, elements_in<T>(c), polynomial(T{-1}));
  c.count = 1;
}

/// The table of the last call stays, because its arrays are the results.
void run_csv(call& c) {
  static apps::csv_table table;
  table = apps::csv_fields(std::string_view(static_cast<char const*>(c.in), c.n),
                           cpu{.threads = c.threads});
  c.out = table.ends.data();
  c.count = table.ends.size();
}

constexpr verb_entry scans[] = {
    {"recurrence f32", run_recurrence<float>},
    {"recurrence f64", run_recurrence<double>},
    {"recurrence initial f32", continue_recurrence<float>},
    {"polynomial f32", run_polynomial<float>},
    {"csv u8", run_csv},
};

}  // namespace

verb_entries our_scans() {
  return scans;
}

}  // namespace upsweep::bench
