/// The JSON of a run, by nlohmann-json; what the driver and the device say about themselves.
#include <bench/gpu/report.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/cuda/check.cuh>

#include <algorithm>
#include <array>
#include <bench_build.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace upsweep::gpu_bench {
namespace {

using json = nlohmann::ordered_json;

/// "580.159.03" from whichever of the driver's files there is; otherwise the CUDA version that it
/// supports.
std::string driver_version() {
  std::ifstream module("/sys/module/nvidia/version");
  std::string text;
  if (std::getline(module, text) && !text.empty()) return text;
  std::ifstream process("/proc/driver/nvidia/version");  // "NVRM version: NVIDIA UNIX ... Kernel
                                                         // Module  580.159.03  ..."
  for (std::string word; process >> word;)
    if (std::count(word.begin(), word.end(), '.') >= 1 &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  int version = 0;
  check_cuda(cudaDriverGetVersion(&version), "ask for the version of the driver");
  return "of CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version / 10 % 100);
}

double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return std::stod(text.data());
}

json head_of(configuration const& c) {
  return {{"work", name_of(c.work)}, {"type", c.what->type}, {"n", c.n}};
}

json object(row const& r) {
  json all = head_of(r.what);
  double const us = median(r.times.us);
  auto const [least, most] = std::minmax_element(r.times.us.begin(), r.times.us.end());
  all["competitor"] = r.times.competitor;
  all["launch"] = r.times.launch;
  all["cold"] = r.times.cold;
  all["us"] = rounded(us);
  all["us_min"] = rounded(*least);
  all["us_max"] = rounded(*most);
  if (r.times.launch != "host") all["gb_per_s"] = rounded(gigabytes_per_second(r.what, us));
  return all;
}
json object(remark const& r) {
  json all = head_of(r.what);
  all["sentence"] = r.sentence;
  return all;
}

template <class T>
std::string lines(std::vector<T> const& all) {
  std::string text = "[";
  for (auto const& one : all) text += (&one == all.data() ? "\n  " : ",\n  ") + object(one).dump();
  return text + "]";
}

}  // namespace

machine this_machine() {
  int device = 0, runtime = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "find a GPU");
  check_cuda(cudaGetDeviceProperties(&properties, device), "ask what the GPU is");
  check_cuda(cudaRuntimeGetVersion(&runtime), "ask for the version of CUDA");
  machine m;
  m.gpu = properties.name;
  m.driver = driver_version();
  m.cuda = std::to_string(runtime / 1000) + '.' + std::to_string(runtime / 10 % 100);
  m.compiler = bench::build_compiler;
  m.capability = 10 * properties.major + properties.minor;
  m.processors = properties.multiProcessorCount;
  m.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  check_cuda(cudaMemGetInfo(&m.free_bytes, &m.memory_bytes), "ask how much memory is free");
  return m;
}

double gigabytes_per_second(configuration const& c, double us) {
  std::size_t const bytes = c.n * c.what->bytes * (c.work == work::reduce ? 1 : 2);
  return static_cast<double>(bytes) * 1e-3 / us;
}

std::string as_json(run const& r) {
  json const head{{"format", report_format},
                  {"date", r.date},
                  {"command", r.command},
                  {"gpu", r.where.gpu},
                  {"driver", r.where.driver},
                  {"cuda", r.where.cuda},
                  {"capability", r.where.capability},
                  {"processors", r.where.processors},
                  {"l2_bytes", r.where.l2_bytes},
                  {"memory_bytes", r.where.memory_bytes},
                  {"cub", cub_title()},
                  {"version", version},
                  {"revision", bench::build_revision},
                  {"compiler", r.where.compiler},
                  {"seconds", rounded(r.seconds)}};
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // without the line break and the brace that close it
  return text + ",\n \"wrong\": " + lines(r.wrong) + ",\n \"skipped\": " + lines(r.skipped) +
         ",\n \"rows\": " + lines(r.rows) + "\n}\n";
}

void write_file(std::string const& path, std::string const& text) {
  std::string const temporary = path + ".part";
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error("cannot write '" + temporary +
                             "'; is the folder there, and is the disk full?");
  std::filesystem::rename(temporary, path);
}

}  // namespace upsweep::gpu_bench
