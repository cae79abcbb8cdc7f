/// Where the arrays of a call are, and the tallies of those that a GPU has.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/device.hpp>
#include <upsweep/system/system.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace upsweep::c_api {

namespace {

constexpr char const* advice =
    "` is in memory that the CPU cannot read. For memory of a GPU configure the library with "
    "UPSWEEP_CUDA=ON, link upsweep_cuda, and set ranks->device to upsweep_cuda_device() (in "
    "Fortran compile upsweep.F90 with -DUPSWEEP_CUDA)";

using state = detail::superaccumulator<double>;

bool has_elements(upsweep_array const& array) {
  return is_there(array) && array_reader(array).size() > 0;
}

/// The exact sums of one range, where the others are zero.
void add(state const& sum, product_range range, tally& to) {
  constexpr std::size_t shift = product_of_two::shift / 32;
  static_assert(shift <= tally::first && tally::middle_end + shift < tally::limb_count);
  to.add(sum, range == product_range::usual   ? tally::first
              : range == product_range::small ? tally::first - shift
                                              : tally::first + shift);
}

void add_integer(device_facts const& facts, tally& to) {
  to.reach(tally::first, tally::first + 6);
  for (std::size_t k = 0; k < 6; ++k) {
    auto const digit = static_cast<std::uint32_t>(facts.word[k / 2] >> (k % 2 * 32));
    to.limb[tally::first + k] +=
        k == 5 ? std::int64_t{static_cast<std::int32_t>(digit)} : std::int64_t{digit};
  }
  to.other = 1;
}

}  // namespace

memory_place local_part::place(char const* name, upsweep_array const& array) const {
  if (!has_elements(array)) return memory_place::both;
  if (device) return device->place(array.data);
  if (has_cuda && !system::can_read(array.data)) refuse(function, "`" + std::string(name) + advice);
  return memory_place::host;
}

bool local_part::is_on_device(upsweep_field const& field, upsweep_array const* index) const {
  if (!device && !has_cuda) return false;
  upsweep_array const none{};
  bool const on_device = place("values", field.values) == memory_place::device;
  auto const require_same = [&](char const* name, upsweep_array const& array) {
    memory_place const other = place(name, array);
    if (on_device && array.dims == 0) return;  // one element, which is copied
    if (other == (on_device ? memory_place::host : memory_place::device))
      refuse(function, "`values` are in the memory of the " +
                           std::string(on_device ? "GPU and `" : "host and `") + name +
                           "` in that of the " + (on_device ? "host" : "GPU") +
                           "; copy one of them, so that both are in one memory");
  };
  require_same("mask", field.mask);
  require_same("weights", field.weights);
  require_same("index", index ? *index : none);
  return on_device;
}

void local_part::require_host(char const* name, upsweep_array const& array) const {
  if (place(name, array) == memory_place::device)
    refuse(function, "`" + std::string(name) +
                         "` is in the memory of a GPU, where this function does not run; copy it "
                         "to the host");
}

device_array local_part::of(upsweep_array const& array) const {
  device_array to{array_reader(array), false, 0, 1};
  if (array.dims > 0) return to;
  to.is_single = true;
  alignas(8) char element[8] = {};
  std::size_t const bytes = upsweep_type_size(array.type);
  if (device->place(array.data) == memory_place::device)
    device->copy_to_host(element, array.data, bytes);
  else
    std::memcpy(element, array.data, bytes);
  upsweep_array host = array;
  host.data = element;
  device_array const copy{array_reader(host), false, 0, 1};
  if (is_real(array.type))
    to.real = copy.real_at(0);
  else
    to.integer = copy.integer_at(0);
  return to;
}

device_field local_part::of(upsweep_field const& field, upsweep_array const* index) const {
  device_field to;
  to.values = of(field.values);
  to.has_mask = is_there(field.mask);
  to.has_weights = is_there(field.weights);
  to.has_index = index != nullptr;
  if (to.has_mask) to.mask = of(field.mask);
  if (to.has_weights) to.weights = of(field.weights);
  if (to.has_index) to.index = of(*index);
  return to;
}

void local_part::finish(device_task const& task, device_result const& result, tally& to) const {
  device_field const& field = task.field;
  constexpr auto special = state::nan | state::positive_infinity | state::negative_infinity;
  bool const has_special = (result.sum.notes() & special) != 0;
  if (has_special && field.has_weights && !task.wants_facts) {  // rare, so all is done again
    device_task const again{field, product_range::usual, true, true};
    device_result complete;
    device->run({&again, 1}, {&complete, 1});
    finish(again, complete, to);
    return;
  }
  device_facts facts = result.facts;
  if (!field.is_real()) {
    add_integer(facts, to);
  } else {
    add(result.sum, product_range::usual, to);
    std::vector<device_task> more;
    if (!task.wants_facts) {
      facts.n = field.size();
      if (has_special) more.push_back({field, product_range::usual, false, true});
    }
    if (field.has_weights && facts.word[0] > 0)
      more.push_back({field, product_range::small, true, false});
    if (field.has_weights && facts.word[1] > 0)
      more.push_back({field, product_range::large, true, false});
    std::vector<device_result> results(more.size());
    if (!more.empty()) device->run(more, results);
    for (std::size_t k = 0; k < more.size(); ++k) {
      if (more[k].wants_sum)
        add(results[k].sum, more[k].range, to);
      else
        facts = results[k].facts;
    }
  }
  to.n = facts.n;
  to.nan = facts.nan;
  to.plus_infinity = facts.plus_infinity;
  to.minus_infinity = facts.minus_infinity;
  to.make_canonical();
}

void local_part::sums(std::span<upsweep_field const> fields, std::span<tally> to) const {
  std::vector<std::size_t> there;
  std::vector<device_task> tasks;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    upsweep_field const& field = fields[k];
    if (!is_on_device(field, nullptr)) {
      to[k] = tally_of(field, threads);
      continue;
    }
    device_task task{of(field, nullptr)};
    task.wants_sum = task.field.is_real();
    task.wants_facts = !task.wants_sum || task.field.has_mask;
    tasks.push_back(task);
    there.push_back(k);
  }
  if (tasks.empty()) return;
  std::vector<device_result> results(tasks.size());
  device->run(tasks, results);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    tally& total = to[there[k]];
    total = tally(fields[there[k]].values.type);
    finish(tasks[k], results[k], total);
  }
}

tally local_part::sum(upsweep_field const& field) const {
  tally total;
  sums({&field, 1}, {&total, 1});
  return total;
}

tally local_part::sum_of_squares(upsweep_field const& field) const {
  upsweep_field squares = field;
  squares.weights = field.values;
  return sum(squares);
}

extremum local_part::extreme(upsweep_field const& field, upsweep_array const* index,
                             bool largest) const {
  if (!is_on_device(field, index)) return extremum_of(field, index, largest);
  device_task const task{of(field, index), product_range::usual, false, true};
  device_result result;
  device->run({&task, 1}, {&result, 1});
  device_key const first = device->first_key({task.field, task.field.is_real(), largest});
  extremum best;
  best.key = first.key;
  best.position = first.position;
  best.counts.type = field.values.type;
  best.counts.n = result.facts.n;
  best.counts.nan = result.facts.nan;
  best.counts.plus_infinity = result.facts.plus_infinity;
  best.counts.minus_infinity = result.facts.minus_infinity;
  return best;
}

}  // namespace upsweep::c_api
