/// One message of 81 integers, whose sum over the ranks says how many ranks have faults and whether
/// all make the same call, and has the sum of one field. For several fields it has instead which
/// limbs and counters any of them uses on any rank, and a second message has those.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/exchange.hpp>
#include <upsweep/core/errors.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace upsweep::c_api {

namespace {

/// The parts of the first message before the first sum.
enum part : std::size_t {
  rank_count,
  with_other_shape,
  with_wrong_argument,
  without_memory,
  with_failed_device,
  agreement,
  agreement_squared,
  wide_sums,
  header
};

constexpr auto every_column = [] {
  std::array<std::uint8_t, tally::columns> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
  return all;
}();

int copy_alone(void*, std::int64_t const* in, std::int64_t* out, int n) {
  std::copy(in, in + n, out);
  return 0;
}
int nothing_before(void*, std::int64_t const*, std::int64_t* out, int n) {
  std::fill(out, out + n, 0);
  return 0;
}

upsweep_ranks known_ranks(char const* verb, upsweep_ranks const* given) {
  if (!given) return one_rank();
  if (given->size != sizeof *given)
    refuse(verb, "ranks->size is " + std::to_string(given->size) + ", but this library knows " +
                     std::to_string(sizeof *given) +
                     " bytes of upsweep_ranks; start from upsweep_mpi_ranks");
  if (!given->add || !given->add_before || !given->least)
    refuse(verb, "a function of `ranks` is NULL; start from upsweep_mpi_ranks");
  return *given;
}

/// Which part counts the ranks with this fault; rank_count for none.
part part_of(std::exception_ptr const& fault) {
  if (!fault) return rank_count;
  try {
    std::rethrow_exception(fault);
  } catch (other_shape const&) {
    return with_other_shape;
  } catch (refusal const&) {
    return with_wrong_argument;
  } catch (error const&) {
    return with_failed_device;
  } catch (...) {
    return without_memory;
  }
}

std::string sentence_of(std::exception_ptr const& fault) {
  try {
    if (fault) std::rethrow_exception(fault);
  } catch (refusal const& r) {
    return r.sentence.substr(r.sentence.find(": ") + 2);
  } catch (error const& e) {
    return e.what();
  } catch (...) {
  }
  return "";
}

std::string of_ranks(std::int64_t const* all, part which) {
  return "on " + std::to_string(all[which]) + " of " + std::to_string(all[rank_count]) + " ranks";
}

}  // namespace

upsweep_ranks one_rank() {
  return {sizeof(upsweep_ranks), nullptr, copy_alone, nothing_before, copy_alone, -1, 0, nullptr};
}

ranks_of_call::ranks_of_call(char const* verb, upsweep_ranks const* ranks)
    : function_(verb), ranks_(known_ranks(verb, ranks)) {
  for (char const* c = verb; *c; ++c) must_agree(*c);
  must_agree(ranks_.tag);
}

void ranks_of_call::refuse(std::string const& sentence, upsweep_status status) const {
  c_api::refuse(function_, sentence, status);
}

void ranks_of_call::must_agree(std::int64_t what) {
  constexpr std::int64_t prime = 2147483647;
  agreed_ = (31 * agreed_ + (what % prime + prime) % prime) % prime;
}

void ranks_of_call::call(message send, char const* name, std::int64_t const* in, std::int64_t* out,
                         std::size_t n) const {
  constexpr std::size_t at_once = std::size_t{1} << 24;
  for (std::size_t i = 0; i < n; i += at_once) {
    int const code =
        send(ranks_.context, in + i, out + i, static_cast<int>(std::min(at_once, n - i)));
    if (code != 0)
      refuse(std::string("ranks->") + name + " returned " + std::to_string(code) +
                 "; the communicator failed",
             UPSWEEP_COMMUNICATION);
  }
}
void ranks_of_call::add(std::int64_t const* in, std::int64_t* out, std::size_t n) {
  call(ranks_.add, "add", in, out, n);
}
void ranks_of_call::add_before(std::int64_t const* in, std::int64_t* out, std::size_t n) {
  call(ranks_.add_before, "add_before", in, out, n);
}
std::int64_t ranks_of_call::least(std::int64_t x) {
  std::int64_t all = 0;
  call(ranks_.least, "least", &x, &all, 1);
  return all;
}

void ranks_of_call::throw_faults(std::int64_t const* all) const {
  if (all[with_other_shape] > 0)
    refuse("the mask, the weights or another array differ in shape from the array, " +
               of_ranks(all, with_other_shape),
           UPSWEEP_INVALID_ARGUMENT);
  auto const refuse_all = [&](char const* what, part which, upsweep_status status) {
    if (all[which] == 0) return;
    std::string const own = part_of(fault_) == which ? sentence_of(fault_) : "";
    refuse(what + of_ranks(all, which) + (own.empty() ? "" : "; on this one " + own), status);
  };
  refuse_all("arguments are wrong ", with_wrong_argument, UPSWEEP_INVALID_ARGUMENT);
  refuse_all("the GPU failed ", with_failed_device, UPSWEEP_DEVICE_ERROR);
  if (all[without_memory] > 0)
    refuse("there is no memory " + of_ranks(all, without_memory), UPSWEEP_OUT_OF_MEMORY);
  // All numbers are equal if and only if the mean of their squares is the square of their mean.
  auto const number = [&](part p) { return static_cast<std::uint64_t>(all[p]); };
  if (number(rank_count) * number(agreement_squared) != number(agreement) * number(agreement))
    refuse(
        "the ranks call different functions, or with different kinds or numbers of arrays, or "
        "with other tags",
        UPSWEEP_RANKS_DIFFER);
}

void ranks_of_call::exchange(std::span<tally> tallies, bool wants_counts) {
  must_agree(static_cast<std::int64_t>(tallies.size()));
  bool const is_one = tallies.size() == 1;
  reused<std::int64_t> memory;
  std::vector<std::int64_t>& both = memory.elements;
  run_locally([&] {  // before the first message, so that all ranks learn if there is no memory
    std::size_t const most = is_one ? 0 : 2 * tallies.size() * tally::columns;
    if (both.size() < most) both.resize(most);
  });
  std::int64_t mine[header + tally::columns] = {}, all[header + tally::columns] = {};
  mine[rank_count] = 1;
  if (part const fault = part_of(fault_); fault != rank_count) mine[fault] = 1;
  for (tally const& t : tallies) {
    must_agree(static_cast<std::int64_t>(t.type));
    mine[wide_sums] += t.is_wide() ? 1 : 0;
    if (!is_one) t.add_uses(wants_counts, mine + header);
  }
  if (is_one)
    for (std::size_t i = 0; i < tally::columns; ++i) mine[header + i] = tallies[0].column(i);
  mine[agreement] = agreed_;
  mine[agreement_squared] = agreed_ * agreed_;
  add(mine, all, header + tally::columns);
  throw_faults(all);
  if (is_one)
    tallies[0].read(every_column, all + header);
  else
    exchange_columns(tallies, all + header, both);
  if (all[wide_sums] == 0) return;
  for (tally& t : tallies) exchange_wide(t);
}

void ranks_of_call::exchange_columns(std::span<tally> tallies, std::int64_t const* uses,
                                     std::vector<std::int64_t>& both) {
  std::vector<std::uint8_t> sent;
  sent.reserve(tally::columns);
  for (std::uint8_t const i : every_column)
    if (uses[i] > 0) sent.push_back(i);
  std::size_t const size = tallies.size() * sent.size();
  std::int64_t *to = both.data(), *const got = to + size;
  for (tally const& t : tallies)
    for (std::uint8_t const i : sent) *to++ = t.column(i);
  add(both.data(), got, size);
  for (std::size_t k = 0; k < tallies.size(); ++k) tallies[k].read(sent, got + k * sent.size());
}

void ranks_of_call::exchange_wide(tally& t) {
  auto const middle = t.all_limbs();
  auto mine = middle;
  std::fill_n(mine.begin() + tally::first, tally::middle, 0);  // all ranks have their sum
  auto all = mine;
  add(mine.data(), all.data(), mine.size());
  std::copy_n(middle.begin() + tally::first, tally::middle, all.begin() + tally::first);
  t.set_all_limbs(all);
}

}  // namespace upsweep::c_api
