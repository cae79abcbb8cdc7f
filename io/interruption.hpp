/// What must happen when the process is stopped from outside: temporary files vanish, a mapped file
/// that shrinks becomes a sentence.
#pragma once

namespace upsweep::io {

/// Removes `path` if SIGINT, SIGTERM or SIGHUP ends the process, until `forget_temporary`. Signals
/// that are ignored, or that the program handles itself, keep their handling. At most 8 paths of up
/// to 4095 bytes at a time; a further one is simply not watched.
void remember_temporary(char const* path) noexcept;
void forget_temporary(char const* path) noexcept;

/// From now on reading a mapped page that its file has lost (SIGBUS) ends the process with a
/// sentence and exit code 4, not a crash.
void watch_mappings() noexcept;

}  // namespace upsweep::io
