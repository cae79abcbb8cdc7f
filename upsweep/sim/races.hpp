/// What is said about two accesses that nothing orders, and when: some are no mistake, which only a
/// later access shows.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

enum class access_verb : unsigned char { reads, writes, reads_atomically, writes_atomically };

/// A race as it is when the later of its accesses is about to be made.
struct race_facts {
  epoch before = 0, now = 0;  ///< the two accesses
  bool before_writes = false;
  access_verb verb = access_verb::reads;
  memory const* of = nullptr;
  std::uint64_t element = 0;
  bool are_updates = false;  ///< both read the element and write it
  bool by_volatile = false;
  std::optional<heard_flag> flag{};  ///< it orders the threads, but no fence orders the data
  bool same_value = false;           ///< both write this value
};

class races {
 public:
  races(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial)
      : found_(found), shape_(shape), first_serial_(first_serial), sites_(1) {}

  /// The number of a site in an epoch; 0 if there are too many.
  [[nodiscard]] unsigned number_of(position at) {
    std::uint64_t const key = at.word();
    recent_site const& r = recent_sites_[key / 8 % 256];
    return r.key == key ? r.number : find_number(at);
  }
  [[nodiscard]] position site(unsigned number) const { return sites_[number]; }
  /// The write at `write` updates what was read at `read`.
  void note_update(position read, position write) {
    reads_of_updates_[number_of(write)] = static_cast<std::uint16_t>(number_of(read));
  }
  /// Whether one update is lost. `last_read`: of the running thread, if it was of this element.
  [[nodiscard]] bool are_updates(race_facts const& r, position last_read);

  [[nodiscard]] std::string name_of_thread_at(epoch s) const;

  void report(race_facts r);
  /// `reader` has read plainly what atomics write; if it goes on with a compare-and-swap of the
  /// element at `place`, before its block's next barrier, that is how such loops begin, and no
  /// mistake.
  void hold(epoch reader, std::uint64_t place, race_facts const& r);
  void excuse(epoch reader, std::uint64_t place);
  /// The threads of this block have met at a barrier or returned.
  void report_held(std::uint64_t serial);
  void report_all();

 private:
  struct recent_site {
    std::uint64_t key = 0;
    unsigned number = 0;
  };
  [[nodiscard]] unsigned find_number(position at);
  void compare_values();
  void say_it(race_facts const& r);
  [[nodiscard]] std::string sentence(race_facts const& r) const;
  [[nodiscard]] std::string advice(race_facts const& r) const;
  [[nodiscard]] thread_number thread_at(epoch s) const {
    return {serial_of(s) - first_serial_, thread_of(s)};
  }

  findings& found_;
  simt::launch_shape const& shape_;
  std::uint64_t first_serial_;
  std::vector<position> sites_;
  std::unordered_map<std::uint64_t, unsigned> site_numbers_;
  std::array<recent_site, 256> recent_sites_{};
  // The site of the read of an update, indexed by the site of its write.
  std::array<std::uint16_t, 4096> reads_of_updates_{};
  std::map<std::pair<epoch, std::uint64_t>, race_facts> held_;  // by thread and place
  // Two plain writes: whether the second writes the same value is known after it.
  std::optional<race_facts> writes_;
  std::array<std::byte, 16> first_value_{};
};

}  // namespace upsweep::sim
