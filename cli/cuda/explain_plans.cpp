/// `upsweep bench --explain`: prints the library's plans without running them.
#include <bench/contestants/ours.hpp>
#include <bench/harness/machine.hpp>
#include <cli/bench/rows.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <text/figures.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

void write(std::string const& path, bool force, nlohmann::ordered_json const& object) {
  io::output_file file(path, force);
  file.write(object.dump(1) + "\n");
  file.commit();
}

std::string number(std::size_t x) {
  return fmt::format("{}", x);
}

nlohmann::ordered_json object_of(gpu::launch_row const& p) {
  return {{"algorithm", p.algorithm},
          {"tile", p.tile},
          {"blocks", p.blocks},
          {"threads", p.threads},
          {"launches", p.launches},
          {"shared_bytes", p.shared_bytes},
          {"workspace_bytes", p.workspace_bytes},
          {"traffic_bytes", p.traffic_bytes}};
}

nlohmann::ordered_json object_of(gpu::planned_device const& d,
                                 nlohmann::ordered_json const& plans) {
  return {{"on", "cuda"},
          {"device",
           {{"name", d.name},
            {"is_there", d.is_there},
            {"capability", d.capability},
            {"multiprocessors", d.multiprocessors},
            {"shared_bytes", d.shared_bytes}}},
          {"plans", plans}};
}

void print_device(gpu::planned_device const& device) {
  fmt::print(
      "Plans for {}{}: compute capability {}.{}, {} multiprocessors, {} bytes of shared memory per "
      "block\n",
      device.name, device.is_there ? "" : ", because there is no GPU here", device.capability / 10,
      device.capability % 10, device.multiprocessors, device.shared_bytes);
}

void print_gpu_table(std::vector<gpu::plan_row> const& rows) {
  text::text_table table({"n", "kernel", "tile", "blocks", "threads", "launches", "shared bytes",
                          "workspace bytes", "traffic bytes"});
  for (auto const& p : rows)
    table.add({text::size_name(p.what.n), p.algorithm, number(p.tile), number(p.blocks),
               number(p.threads), number(p.launches), number(p.shared_bytes),
               number(p.workspace_bytes), number(p.traffic_bytes)});
  fmt::print("\n{}\n{}", bench::title_of(rows.front().what.work), table.text());
}

}  // namespace

int explain_gpu_plans(std::vector<bench::configuration> const& all, std::string const& path,
                      bool force) {
  auto const device = gpu::device_for_plans();
  auto const rows = gpu::plans(all);
  if (!path.empty()) {
    nlohmann::ordered_json plans = nlohmann::ordered_json::array();
    for (auto const& p : rows) {
      nlohmann::ordered_json one{{"verb", name_of(p.what.work.verb)},
                                 {"op", name_of(p.what.work.op)},
                                 {"type", name_of(p.what.work.type)},
                                 {"n", p.what.n}};
      one.update(object_of(p));
      plans.push_back(std::move(one));
    }
    write(path, force, object_of(device, plans));
    if (path == "-") return 0;
  }
  print_device(device);
  for (std::size_t i = 0; i < rows.size();) {
    std::vector<gpu::plan_row> one;
    auto const work = rows[i].what.work;
    for (; i < rows.size() && rows[i].what.work == work; ++i) one.push_back(rows[i]);
    print_gpu_table(one);
  }
  return 0;
}

namespace {

nlohmann::ordered_json object_of(gpu::verb_plan const& plan) {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  for (auto const& p : plan.launches) launches.push_back(object_of(p));
  return {{"verb", plan.what.verb},
          {"op", plan.what.op},
          {"type", plan.what.type},
          {"what", plan.what.what},
          {"n", plan.n},
          {"workspace_bytes", plan.workspace_bytes},
          {"scratch_bytes", plan.scratch_bytes},
          {"launches", launches}};
}

/// A line for each launch; of launches that CUB decides on, only the name is known.
void add_lines(text::text_table& table, gpu::verb_plan const& plan) {
  std::string n = text::size_name(plan.n), workspace = number(plan.workspace_bytes),
              scratch = number(plan.scratch_bytes);
  for (auto const& p : plan.launches) {
    auto const shown = [&](std::size_t x) { return p.launches > 0 ? number(x) : "-"; };
    table.add({n, workspace, scratch, p.algorithm, shown(p.tile), shown(p.blocks), shown(p.threads),
               shown(p.shared_bytes)});
    n = workspace = scratch = "";
  }
}

}  // namespace

int explain_gpu_verbs(bench_choice const& o) {
  auto const sizes = o.sizes_or(o.quick ? "20" : "10,20,28");
  auto const device = gpu::device_for_plans();
  std::vector<gpu::verb_plan> plans;
  for (auto const& row : chosen_rows(gpu::verb_rows(), o, sizes))
    for (auto const n : sizes)
      if (row.takes(n)) plans.push_back(gpu::plan_of(row, n));
  if (!o.json.empty()) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (auto const& p : plans) all.push_back(object_of(p));
    write(o.json, o.force, object_of(device, all));
    if (o.json == "-") return 0;
  }
  print_device(device);
  for (std::size_t i = 0; i < plans.size();) {
    std::string const title = plans[i].what.title();
    text::text_table table({"n", "workspace bytes", "scratch bytes", "kernel", "tile", "blocks",
                            "threads", "shared bytes"});
    for (; i < plans.size() && plans[i].what.title() == title; ++i) add_lines(table, plans[i]);
    fmt::print("\n{}\n{}", title, table.text());
  }
  return 0;
}

int explain_cpu_plans(std::vector<bench::row> const& rows, int threads, std::string const& path,
                      bool force) {
  auto const here = bench::this_machine();
  if (threads == 0) threads = here.threads;
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  std::string text = fmt::format("Plans for {}: {} threads, vector kernels for {}\n", here.cpu,
                                 threads, here.simd);
  for (auto const& r : rows) {
    text::text_table table(
        {"n", "strategy", "threads", "order", "tile", "stores", "traffic bytes"});
    bool const scan = r.work.verb != bench::verb::reduce;
    for (auto const n : r.sizes) {
      auto const p = bench::plan_of(r.work, n, threads);
      bool const few = p.few != host::few_strategy::nothing;
      std::string const strategy = few ? host::name_of(p.few) : host::name_of(p.strategy);
      std::string const order = p.threads == 1 ? "-" : host::name_of(p.order);
      std::string const stores = !scan ? "-" : p.streamed ? "non-temporal" : "cached";
      table.add({text::size_name(n), strategy, number(static_cast<std::size_t>(p.threads)), order,
                 number(p.tile(n)), stores, number(bench::traffic(r.work, n))});
      plans.push_back({{"verb", name_of(r.work.verb)},
                       {"op", name_of(r.work.op)},
                       {"type", name_of(r.work.type)},
                       {"in_place", r.work.in_place},
                       {"n", n},
                       {"strategy", strategy},
                       {"threads", p.threads},
                       {"order", host::name_of(p.order)},
                       {"tile", p.tile(n)},
                       {"streams", p.streamed},
                       {"traffic_bytes", bench::traffic(r.work, n)}});
    }
    text += fmt::format("\n{}\n{}", bench::title_of(r.work), table.text());
  }
  if (!path.empty()) {
    write(path, force,
          {{"on", "cpu"},
           {"cpu", here.cpu},
           {"threads", threads},
           {"simd", here.simd},
           {"plans", plans}});
    if (path == "-") return 0;
  }
  fmt::print("{}", text);
  return 0;
}

}  // namespace upsweep::cli
