/// Prepares the machine and the elements, runs the kernel, and compares with the library.
#include <lab/run.hpp>

#include <io/error.hpp>
#include <lab/compare.hpp>
#include <lab/picture.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace upsweep::lab {

namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 25;  // about 64 bytes of memory each

/// The hardware operation that implements `op`, if there is one.
textbook::hardware_operation instruction_of(operation_name op) {
  constexpr dynamic::operators_for<dynamic::target::lab, std::int32_t> known;
  if (!dynamic::has_operator(known, op)) return textbook::hardware_operation::none;
  return dynamic::dispatch_operator(
      known, op, []<class Op>(Op) { return textbook::hardware_operation_of<Op>; });
}

fit start(compiled_kernel const& k, sim::machine& m, kernel_arguments<std::int32_t> const& j) {
  return k.run_i32(m, j);
}
fit start(compiled_kernel const& k, sim::machine& m, kernel_arguments<std::int64_t> const& j) {
  return k.run_i64(m, j);
}
fit start(compiled_kernel const& k, sim::machine& m, kernel_arguments<float> const& j) {
  return k.run_f32(m, j);
}
fit start(compiled_kernel const& k, sim::machine& m, kernel_arguments<double> const& j) {
  return k.run_f64(m, j);
}
fit start(compiled_kernel const& k, sim::machine& m, kernel_arguments<map_element> const& j) {
  return k.run_affine(m, j);
}

/// Whether the algorithm is compiled for this block size and element type.
fit asked_only(request const& asked) {
  return with_element(asked.type, [&]<class T>() {
    return with_operation<T>(asked.op, [&](auto const& op) {
      sim::machine machine(asked.machine);
      T* const none = machine.template allocate<T>(1, "in");
      return start(
          compiled_kernel_of(find_kernel(asked.stem)), machine,
          kernel_arguments<T>{none, none, 0, sim::operation<T>{op}, instruction_of(asked.op),
                              asked.threads, asked.exclusive, true});
    });
  });
}

template <class T, class Op>
outcome run_with(request const& asked, std::vector<T> const& x, Op const& op) {
  bool const scan = catalog_row(asked.stem).what == textbook::kind::scan;
  std::size_t const n = x.size(), results = scan ? n : 1;
  sim::machine machine(asked.machine);
  auto const in = machine.template allocate<T>(std::max<std::size_t>(n, 1), "in");
  auto const to = machine.template allocate<T>(std::max<std::size_t>(results, 1), "out");
  if (n > 0) machine.to_device(in, std::span<T const>(x));
  outcome out;
  auto const begin = std::chrono::steady_clock::now();
  try {
    auto const instruction = instruction_of(asked.by_addition ? operation_name::sum : asked.op);
    (void)start(compiled_kernel_of(find_kernel(asked.stem)), machine,
                kernel_arguments<T>{in, to, n, sim::operation<T>{op}, instruction, asked.threads,
                                    asked.exclusive});
  } catch (sim::kernel_failure const& e) {
    out.failure = e.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (out.failure.empty() && results > 0)
    compare(expected(asked, scan, x, called<T>(op)), machine.to_host(to, results),
            tolerances(asked, x, results), out);
  out.report = machine.result();
  return out;
}

/// {0}, {1}, {2} ... as bits.
template <class T>
std::vector<T> single_sets(std::uint64_t n) {
  std::vector<T> x;
  if constexpr (std::is_integral_v<T>)
    for (std::uint64_t i = 0; i < n; ++i)
      x.push_back(static_cast<T>(std::uint64_t{1} << (i + free_bits)));
  return x;
}

}  // namespace

kernel const& find_kernel(std::string_view stem) {
  for (auto const& k : kernels())
    if (k.stem == stem) return k;
  std::vector<std::string> stems;
  for (auto const& k : kernels()) stems.emplace_back(k.stem);
  throw io::usage_error(fmt::format(
      "'{}' is not an algorithm of the textbook; 'upsweep list reduce' and 'upsweep list "
      "scan' list them{}",
      stem, text::did_you_mean(stem, stems)));
}

std::string_view text_of_file(std::string_view name) {
  for (auto const& f : source_files())
    if (f.name == name) return f.text;
  return {};
}

textbook::entry const& catalog_row(std::string_view stem) {
  if (auto const* const row = textbook::find(stem)) return *row;
  (void)find_kernel(stem);
  throw io::usage_error(
      fmt::format("{} is compiled but has no row in the textbook's catalog", stem));
}

request settled(request asked) {
  auto const& row = catalog_row(asked.stem);
  if (row.what == textbook::kind::scan && !row.inclusive) asked.exclusive = true;
  return asked;
}

namespace {

/// What is wrong with the request on any machine.
std::string objection_anywhere(request const& asked) {
  auto const& row = catalog_row(asked.stem);
  if (std::find(block_sizes.begin(), block_sizes.end(), asked.threads) == block_sizes.end())
    return fmt::format("a block of {} threads is not compiled; --block takes {}", asked.threads,
                       fmt::join(block_sizes, ", "));
  if (!combine(asked.op, asked.type))
    return fmt::format("{} does not combine elements of type {}; {}", name_of(asked.op),
                       name_of(asked.type),
                       asked.op == operation_name::affine || asked.type == element_type::affine
                           ? "affine maps combine only with --op affine"
                           : "bits combine only in i32 and i64");
  if (!row.keeps_order && !commutes(asked.op))
    return fmt::format(
        "{} combines elements out of order, so its operator must commute, but {} does not; "
        "'upsweep explain' says whether an algorithm keeps the order",
        asked.stem, name_of(asked.op));
  if (!asked.values.empty())  // throws a sentence about what is no element
    with_element(asked.type, [&]<class T>() { static_cast<void>(listed<T>(asked.values)); });
  if (asked.exclusive && row.what == textbook::kind::reduce)
    return fmt::format("{} is a reduction; --exclusive is for scans", asked.stem);
  if (asked.exclusive && !row.exclusive)
    return fmt::format(
        "{} is an inclusive scan only; blelloch and kogge_stone have an exclusive form",
        asked.stem);
  if (asked.ones && asked.type == element_type::f32 && asked.n > (1u << 24))
    return fmt::format(
        "--ones: sums of more than 2^24 ones are rounded in f32, so that they depend on the "
        "grouping; use --dtype f64 or i32");
  if (asked.stem == "warp_reduce_sync" &&
      instruction_of(asked.op) == textbook::hardware_operation::none)
    return fmt::format(
        "warp_reduce_sync: the instruction supports sum, min, max, bit-and, bit-or, bit-xor, but "
        "not {}; use shuffle_reduce",
        name_of(asked.op));
  return {};
}

}  // namespace

std::string objection(request const& asked) {
  if (auto sentence = objection_anywhere(asked); !sentence.empty()) return sentence;
  if (asked.on == machine_name::cuda) return gpu_objection(asked);
  if (asked.n > most_elements)
    return fmt::format(
        "{} elements are too many for the emulator, which takes at most {}; use a smaller -n: the "
        "cost per element is the same",
        asked.n, most_elements);
  switch (asked_only(asked)) {
    case fit::not_this_element:
      return fmt::format(
          "{} does not support elements of type {}; 'upsweep explain {} --page' lists the types",
          asked.stem, name_of(asked.type), asked.stem);
    case fit::not_this_block:
      return fmt::format(
          "{} has no blocks of {} threads for elements of type {}: blocks smaller than a warp "
          "exist only for integers, in algorithms that need no whole warp; use --block 32 or more",
          asked.stem, asked.threads, name_of(asked.type));
    case fit::taken:
      break;
  }
  return {};
}

void check(request const& asked) {
  if (auto const sentence = objection(asked); !sentence.empty()) throw io::usage_error(sentence);
}

outcome run(request const& asked) {
  return with_element(asked.type, [&]<class T>() {
    auto const x = asked.sets ? single_sets<T>(asked.n) : elements_of<T>(asked);
    return with_operation<T>(asked.op, [&](auto const& op) { return run_with(asked, x, op); });
  });
}

std::string verdict(request const& asked, outcome const& out) {
  if (!out.failure.empty()) return out.failure;
  if (out.first) {
    std::string const where =
        out.results == 1 ? std::string("the result") : fmt::format("result {}", out.first->index);
    return fmt::format(
        "{}: {} should be {} but is {}{}", asked.stem, where, out.first->expected, out.first->got,
        out.different > 1 ? fmt::format("; {} of {} results are wrong", out.different, out.results)
                          : std::string());
  }
  std::string const how =
      out.rounded == 0 ? ""
                       : ", up to rounding, since the kernel groups the elements in its own way";
  if (out.results == 1)
    return fmt::format("the result, {}, agrees with the library's{}", out.value, how);
  return fmt::format("all {} results agree with the library's{}", out.results, how);
}

std::string command_line(request const& asked) {
  std::string text = fmt::format("upsweep run {} {} --op {}", asked.stem,
                                 asked.values.empty() ? fmt::format("-n {}", asked.n)
                                                      : fmt::format("--values '{}'", asked.values),
                                 name_of(asked.op));
  if (asked.type != element_type::i32 && asked.type != element_type::affine)
    text += fmt::format(" --dtype {}", name_of(asked.type));
  if (asked.ones) text += " --ones";
  if (asked.on == machine_name::cuda) {
    text += fmt::format(" --block {} --seed {} --on gpu{}", asked.threads, asked.machine.seed,
                        asked.exclusive ? " --exclusive" : "");
    return text;
  }
  text +=
      fmt::format(" --block {} --schedule {} --seed {} --resident {}", asked.threads,
                  name_of(asked.machine.how), asked.machine.seed, asked.machine.resident_blocks);
  if (asked.exclusive) text += " --exclusive";
  return text;
}

std::string_view name_of(sim::schedule how) {
  switch (how) {
    case sim::schedule::round_robin:
      return "round-robin";
    case sim::schedule::random:
      return "random";
    case sim::schedule::adversarial:
      return "adversarial";
    case sim::schedule::lockstep:
      return "lockstep";
    case sim::schedule::in_order:
      break;
  }
  return "in-order";
}

sim::schedule schedule_named(std::string_view name) {
  for (auto const how : {sim::schedule::round_robin, sim::schedule::random,
                         sim::schedule::adversarial, sim::schedule::lockstep})
    if (name == name_of(how)) return how;
  return sim::schedule::in_order;
}

}  // namespace upsweep::lab
