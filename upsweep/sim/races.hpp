/// What is said about two accesses that nothing orders, and when: some are no mistake, which only a
/// later access shows.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/state.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

struct memory;

/// The bits of an epoch that name its block and thread.
inline constexpr epoch thread_bits = 0xffffffull << 40 | 0x3ffull << 14;

/// A value instead of an epoch in a shadow: several blocks have accessed the element, or atomics
/// have read it, and its history knows which. No block has this serial number.
inline constexpr epoch see_history = epoch{0xffffff} << 40 | 3;

/// Of each thread its last access. Complete up to `room` threads; of more, two blocks and the
/// latest threads are kept.
class access_set {
 public:
  void add(epoch s, std::size_t room);
  /// Removes the access by the thread of `s` with the same low bits, unless it was before `since`.
  void remove(epoch s, epoch since);
  [[nodiscard]] epoch take_last();
  void clear() {
    of_.clear();
    next_ = 0;
  }
  [[nodiscard]] bool empty() const { return of_.empty(); }
  [[nodiscard]] auto begin() const { return of_.begin(); }
  [[nodiscard]] auto end() const { return of_.end(); }

 private:
  std::vector<epoch> of_;
  std::size_t next_ = 0;  // the position of the next one, when it is full
};

/// What a shadow cannot hold of its element: accesses by several threads, of which one epoch cannot
/// tell the order.
struct history {
  std::uint64_t begin = 0, bytes = 0;  ///< the element: memory::identity plus its offset
  access_set reads;                    ///< plain, and by atomic loads: their kind is by_atomic
  access_set atomics;                  ///< atomic writes since the plain one
  epoch plain_write = 0;               ///< the last before the atomic ones
};

/// The low bits of an epoch in history::reads.
enum history_kind : unsigned { by_plain_read = 0, by_atomic_load = 2 };

/// The histories of the elements that need one, in one launch.
class histories {
 public:
  histories() : all_(1) {}

  /// Null if the element has none.
  [[nodiscard]] history* find(memory& m, std::uint64_t element);
  /// An empty one if it has none.
  [[nodiscard]] history& of(memory& m, std::uint64_t element);
  /// The threads that a set may hold: two warps, or less where a great many elements have one.
  [[nodiscard]] std::size_t room() const { return all_.size() - free_.size() < many ? 64 : 8; }
  /// The elements of `m` are no longer accessed.
  void forget(memory const& m);

 private:
  static constexpr std::size_t many = std::size_t{1} << 17;
  history& add(memory& m, std::uint64_t element);

  std::deque<history> all_;
  std::vector<std::uint32_t> free_;
};

enum class access_verb : unsigned char { reads, writes, reads_atomically, writes_atomically };

/// What a site does besides what its epochs say.
enum site_property : unsigned char { volatile_site = 1, block_scope_site = 2 };

/// A race as it is when the later of its accesses is about to be made.
struct race_facts {
  epoch before = 0, now = 0;  ///< the two accesses
  bool before_writes = false;
  access_verb verb = access_verb::reads;
  memory const* of = nullptr;
  std::uint64_t element = 0;
  bool may_be_updates = false;  ///< one has read and written the element, the other one has read it
  bool are_updates = false;     ///< both read the element and write it
  bool by_volatile = false;
  bool of_block = false;             ///< an atomic of the block's scope, and another block's access
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
  /// A thread that has read the element at site `read` writes it at `write`, and has met nobody in
  /// between: perhaps an update.
  void note_update(unsigned read, position write) {
    reads_of_updates_[number_of(write)] = static_cast<std::uint16_t>(read);
  }
  [[nodiscard]] bool is_update(unsigned write) const { return reads_of_updates_[write] != 0; }
  /// Whether both are updates by one statement.
  [[nodiscard]] bool are_updates(unsigned write, unsigned other) const {
    return reads_of_updates_[write] != 0 && reads_of_updates_[other] == reads_of_updates_[write];
  }
  void note_property(unsigned site, site_property p) {
    properties_[site] = static_cast<unsigned char>(properties_[site] | p);
  }
  [[nodiscard]] bool has(unsigned site, site_property p) const {
    return (properties_[site] & p) != 0;
  }

  [[nodiscard]] std::string name_of_thread_at(epoch s) const;

  void report(race_facts r);
  /// `reader` has read the element at `place`, and what it does next decides what the race is: a
  /// plain read of what atomics write is no mistake if a compare-and-swap of the element follows,
  /// as the usual loops have it; and if a write follows, it is an update that is lost. `met`: how
  /// many warp operations the reader has taken part in, or `unknown`.
  void hold(epoch reader, std::uint64_t place, race_facts const& r, unsigned met);
  static constexpr unsigned unknown = ~0u;
  /// `thread` goes on with a compare-and-swap of what it read at `site`.
  void excuse(epoch thread, std::uint64_t place, unsigned site);
  /// `thread` goes on with a plain write. Returns whether that makes it an update.
  bool confirm_update(epoch thread, std::uint64_t place, unsigned met);
  /// The threads of this block have met at a barrier or returned.
  void report_held(std::uint64_t serial);
  void report_all();

 private:
  struct recent_site {
    std::uint64_t key = 0;
    unsigned number = 0;
  };
  struct held_race {
    race_facts facts;
    unsigned met;
  };
  /// Two plain writes of the same value: one element, or several by the same two lines.
  struct equal_writes {
    race_facts first;
    std::uint64_t count = 0;
    bool are_several = false;
  };
  [[nodiscard]] unsigned find_number(position at);
  [[nodiscard]] bool are_of_one_statement(race_facts const& r) const;
  [[nodiscard]] bool is_read_of(unsigned write, unsigned read) const;
  void compare_values();
  void say_held(race_facts r);
  void say_it(race_facts const& r, bool are_several = false);
  [[nodiscard]] std::string sentence(race_facts const& r, bool are_several) const;
  [[nodiscard]] std::string advice(race_facts const& r, bool are_several) const;
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
  std::array<unsigned char, 4096> properties_{};  // of sites
  std::bitset<4096> swap_sites_;                  // of reads that a compare-and-swap has followed
  std::map<std::pair<epoch, std::uint64_t>, held_race> held_;    // by thread and position
  std::map<std::pair<unsigned, unsigned>, equal_writes> equal_;  // by their sites
  // Two plain writes: whether the second writes the same value is known after it.
  std::optional<race_facts> writes_;
  std::array<std::byte, 16> first_value_{};
};

}  // namespace upsweep::sim
