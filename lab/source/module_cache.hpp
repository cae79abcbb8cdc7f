/// Compiled modules of earlier runs, in the user's cache folder.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

/// A hash of what a compilation depends on: FNV-1a of 64 bits, twice, from different beginnings:
/// for names of files, not against attackers.
class content_hash {
 public:
  /// Adds a text and its end, so that "a", "bc" differs from "ab", "c".
  void add(std::string_view text) {
    for (char const c : text) step(static_cast<unsigned char>(c));
    step(256);
  }
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string all;
    for (auto const half : halves_)
      for (unsigned shift = 64; shift > 0; shift -= 4) all += digits[half >> (shift - 4) & 15];
    return all;
  }

 private:
  void step(std::uint64_t byte) {
    for (auto& half : halves_) half = (half ^ byte) * 0x100000001b3u;
    halves_[1] ^= halves_[1] >> 29;
  }
  std::array<std::uint64_t, 2> halves_{0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
};

/// What belongs to a module besides its shared object.
struct module_record {
  std::vector<std::filesystem::path> depends_on;  ///< files whose contents are not in the key
  std::vector<std::string> notes;                 ///< sentences for the user
};

/// $XDG_CACHE_HOME/upsweep, or ~/.cache/upsweep, with mode 0700. Its files are executed, so it
/// counts only if no other user can have put it there. Entries appear by a rename, so concurrent
/// runs see a whole module or none. When the folder is not safe or cannot be written, a temporary
/// one replaces it and is removed with this object.
class module_cache {
 public:
  explicit module_cache(std::uint64_t most_bytes = std::uint64_t{256} << 20);
  ~module_cache();
  module_cache(module_cache const&) = delete;
  module_cache& operator=(module_cache const&) = delete;

  /// Why a temporary folder is used, as a sentence; else empty.
  [[nodiscard]] std::string const& complaint() const { return complaint_; }

  /// The module with that key, if what it depends on is unchanged; else an empty path. The path is
  /// that of a descriptor, /proc/self/fd/N, which this object holds: what was checked is loaded,
  /// whatever happens to its name.
  [[nodiscard]] std::filesystem::path find(std::string const& key, module_record& record);

  /// A folder of compiled headers, whether it is there or not; empty in a temporary cache, where it
  /// would not pay.
  [[nodiscard]] std::filesystem::path headers(std::string const& key) const;
  /// Whether they are there.
  [[nodiscard]] bool has_headers(std::string const& key) const;
  /// Moves the folder `made` there.
  void keep_headers(std::string const& key, std::filesystem::path const& made) const;

  /// A new folder to compile in, which `keep` or the end of this object removes.
  [[nodiscard]] std::filesystem::path new_folder();

  /// Moves `module` into the cache, removes what was used least recently if there is too much, and
  /// returns its path as `find` does.
  std::filesystem::path keep(std::string const& key, std::filesystem::path const& module,
                             module_record const& record);

 private:
  void remove_oldest(std::filesystem::path const& kept) const;
  std::filesystem::path held(int descriptor);

  std::uint64_t most_bytes_;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> work_;
  std::vector<int> descriptors_;  ///< of modules
  bool is_temporary_ = false;
  std::string complaint_;
};

/// Of a file's content; empty if it cannot be read.
[[nodiscard]] std::string hash_of(std::filesystem::path const& file);

}  // namespace upsweep::lab::source
