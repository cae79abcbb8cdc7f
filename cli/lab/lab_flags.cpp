/// Declares the laboratory's options for CLI11, and makes a request of them.
#include <cli/lab/lab_flags.hpp>

#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace upsweep::cli {

namespace {

template <class Rows>
std::vector<std::string> names_in(Rows const& rows) {
  std::vector<std::string> names;
  for (auto const& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace

lab::request run_flags::of(std::string const& stem) const {
  lab::request asked;
  asked.stem = stem;
  if (on == "cuda") {
    (void)lab::find_kernel(stem);
    (void)gpu::require("--on cuda", "--on sim, the default, runs the kernels on the emulator");
    asked.on = lab::machine_name::cuda;
  }
  asked.op = lab::parse_operation(op);
  asked.type = !type.empty()                             ? lab::parse_element(type)
               : asked.op == lab::operation_name::affine ? lab::element_type::affine
                                                         : lab::element_type::i32;
  asked.n = n;
  asked.threads = threads();
  asked.exclusive = exclusive;
  asked.ones = ones;
  asked.values = values;
  asked.machine = machine();
  asked = lab::settled(asked);
  lab::check(asked);
  return asked;
}

int run_flags::threads() const {
  int value = 0;
  auto const* const end = block.data() + block.size();
  auto const done = std::from_chars(block.data(), end, value);
  if (done.ec != std::errc{} || done.ptr != end)
    throw io::usage_error(
        "--block: '{}' is not a number of threads; kernels of the textbook have blocks of one "
        "dimension",
        block);
  return value;
}

sim::options run_flags::machine() const {
  sim::options how;
  how.how = lab::schedule_named(schedule);
  how.seed = seed;
  how.resident_blocks = resident;
  how.threads = 0;  // all cores if the blocks are independent; the counts are the same
  return how;
}

lab::request run_flags::of_emulated(std::string const& stem) const {
  if (on == "cuda")
    throw io::usage_error(
        "--on cuda: only the emulator counts and traces; upsweep run, ladder and verify use a GPU");
  return of(stem);
}

void add_element_options(options const& add, run_flags& flags) {
  // parse_operation has a better message than one_of.
  add("--op OP", flags.op,
      "Operator: sum (default), product, min, max, bit-and, bit-or, bit-xor, affine",
      completed_by(names_in(lab::operations())));
  add("--dtype TYPE", flags.type,
      "Element type: i32, i64, f32, f64, affine (default: affine for --op affine, else i32)",
      completed_by(names_in(lab::elements)));
}

void add_run_options(options const& add, run_flags& flags) {
  add("-n,--n N", flags.n, fmt::format("Number of elements (default: {})", flags.n), not_negative);
  add_element_options(add, flags);
  add("--block T", flags.block,
      fmt::format("Threads per block: 32, 64, 128, 256, 512, 1024; of a kernel in a file any "
                  "number, or 16,16 (default: {})",
                  flags.block));
  add("--exclusive", flags.exclusive, "Exclusive scan, if the algorithm has both forms");
  add("--ones", flags.ones, "Make every element 1, instead of a number from the seed");
  add("--on MACHINE", flags.on, "Machine: sim, the emulator (default), or cuda, a GPU",
      one_of({"sim", "cuda"}));
  option_group const group(add.command, "Emulator");
  add("--schedule HOW", flags.schedule,
      "Order of threads: in-order (default), round-robin, random, adversarial, lockstep (for "
      "volatile code of warps)",
      one_of({"in-order", "round-robin", "random", "adversarial", "lockstep"}));
  add("--seed N", flags.seed, "Random seed for the elements and the schedule (default: 0)",
      not_negative);
  add("--resident R", flags.resident, "Number of blocks that run at the same time (default: 16)",
      in_range(1, 1024));
}

void add_values_option(options const& add, run_flags& flags) {
  add("--values LIST", flags.values,
      "Elements, such as 6,2,7,4, or maps such as 3x+1,2x+5 (default: made from --seed); of a "
      "kernel in a file, the elements of the first buffer of --arg without a fill");
}

void settle_values(CLI::App const& command, run_flags& flags) {
  if (command.get_option("--values")->count() == 0) return;
  auto const count = static_cast<std::uint64_t>(std::ranges::count(flags.values, ',')) + 1;
  if (flags.values.find_first_not_of(' ') == flags.values.npos)
    throw io::usage_error("--values lists no element; give them as in --values 6,2,7,4");
  auto const is_given = [&](char const* name) {
    auto const* const option = command.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  if (is_given("--ones")) throw io::usage_error("--values and --ones: give one of them");
  if (is_given("--n") && flags.n != count)
    throw io::usage_error("-n is {}, but --values lists {} element{}; omit -n", flags.n, count,
                          count == 1 ? "" : "s");
  flags.n = count;
}

std::function<option_trait> a_stem(std::vector<std::string> const& others) {
  std::vector<std::string> stems;
  for (auto const& k : lab::kernels()) stems.emplace_back(k.stem);
  stems.insert(stems.end(), others.begin(), others.end());
  return completed_by(std::move(stems));  // find_kernel suggests the nearest
}

}  // namespace upsweep::cli
