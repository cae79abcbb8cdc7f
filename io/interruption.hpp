/// Handling of signals: removes temporary files on interruption, and reports a mapped file that
/// shrinks.
#pragma once

namespace upsweep::io {

/// From now until `forget_temporary`, `path` is removed if SIGINT, SIGTERM or SIGHUP ends the
/// process. Signals that are ignored or already handled are left alone. Holds at most 8 paths of up
/// to 4095 bytes; further ones are not removed.
void remember_temporary(char const* path) noexcept;
void forget_temporary(char const* path) noexcept;

/// From now on, reading a mapped page that its file no longer has (SIGBUS) ends the process with a
/// message and exit code 4.
void watch_mappings() noexcept;

}  // namespace upsweep::io
