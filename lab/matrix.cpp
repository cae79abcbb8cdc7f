/// Chooses the runs of verify.
#include <lab/matrix.hpp>

#include <lab/gpu_kernels.hpp>
#include <lab/run.hpp>

#include <algorithm>
#include <cstdint>

namespace upsweep::lab {

namespace {

struct typed_operation {
  element_type type;
  operation_name op;
};

/// Sizes around a warp, a tile of one or two elements per thread, several tiles, and more tiles
/// than resident blocks.
std::vector<std::uint64_t> edge_sizes(std::uint64_t block, bool quick) {
  std::vector<std::uint64_t> sizes{
      0, 1, 2, 31, 32, 33, block - 1, block, block + 1, 2 * block, 2 * block + 1, 7 * block + 3};
  if (!quick)
    sizes.insert(sizes.end(),
                 {3, 7, 63, 64, 65, 2 * block - 1, 4 * block + 1, 997, 40 * block + 17});
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Blocks that do not communicate need few schedules.
std::vector<sim::options> schedules(effort const& much, bool several_blocks) {
  std::vector<sim::options> all;
  auto add = [&](sim::schedule how, std::uint64_t seed, unsigned resident) {
    all.push_back({.count = false, .how = how, .seed = seed, .resident_blocks = resident});
  };
  add(sim::schedule::in_order, 0, 16);
  if (!several_blocks) return all;
  add(sim::schedule::round_robin, 1, 4);
  add(sim::schedule::adversarial, 2, 4);
  add(sim::schedule::in_order, 3, 1);
  for (unsigned s = 0; s < much.seeds; ++s) add(sim::schedule::random, 4 + s, 2 + 3 * s % 16);
  return all;
}

/// The forms that the algorithm has, inclusive and exclusive.
std::vector<bool> forms_of(textbook::entry const& row) {
  std::vector<bool> forms{!row.inclusive && row.exclusive};
  if (row.inclusive && row.exclusive) forms.push_back(true);
  return forms;
}

std::vector<request> matrix_on_gpu(std::string const& stem, bool quick) {
  std::vector<request> all;
  auto const block = static_cast<std::uint64_t>(gpu::block_size());
  auto sizes = edge_sizes(block, quick);
  sizes.insert(sizes.end(), {65537, 1000003});
  for (auto const n : sizes)
    for (auto const& w : {typed_operation{element_type::i32, operation_name::sum},
                          typed_operation{element_type::f32, operation_name::sum},
                          typed_operation{element_type::affine, operation_name::affine}})
      for (bool const exclusive : forms_of(catalog_row(stem))) {
        request asked;
        asked.stem = stem;
        asked.on = machine_name::cuda;
        asked.type = w.type;
        asked.op = w.op;
        asked.n = n;
        asked.threads = gpu::block_size();
        asked.exclusive = exclusive;
        if (objection(asked).empty()) all.push_back(asked);
      }
  return all;
}

}  // namespace

std::vector<request> matrix(std::string const& stem, effort const& much) {
  if (much.on == machine_name::cuda) return matrix_on_gpu(stem, much.quick);
  auto const& row = catalog_row(stem);
  std::vector<typed_operation> operations{{element_type::i32, operation_name::sum},
                                          {element_type::f64, operation_name::max}};
  if (row.keeps_order) operations.push_back({element_type::affine, operation_name::affine});
  if (!much.quick)
    operations.insert(operations.end(), {{element_type::f32, operation_name::sum},
                                         {element_type::i64, operation_name::product}});
  std::vector<request> all;
  for (int const block : much.quick ? std::vector{128} : std::vector{32, 128, 512})
    for (auto const n : edge_sizes(static_cast<std::uint64_t>(block), much.quick))
      for (auto const& w : operations)
        for (bool const exclusive : forms_of(row))
          for (auto const& how : schedules(much, n > static_cast<std::uint64_t>(block))) {
            request asked;
            asked.stem = stem;
            asked.type = w.type;
            asked.op = w.op;
            asked.n = n;
            asked.threads = block;
            asked.exclusive = exclusive;
            asked.machine = how;
            if (objection(asked).empty()) all.push_back(asked);
          }
  return all;
}

verified verify(std::string const& stem, effort const& much) {
  verified v{.stem = stem, .runs = 0, .failure = {}, .again = {}};
  for (auto const& asked : matrix(stem, much)) {
    ++v.runs;
    auto const out = asked.on == machine_name::cuda ? run_on_gpu(asked).result : run(asked);
    if (out.clean()) continue;
    v.failure = out.agrees() ? out.report.findings.front().sentence : verdict(asked, out);
    v.again = command_line(asked);
    break;
  }
  return v;
}

}  // namespace upsweep::lab
