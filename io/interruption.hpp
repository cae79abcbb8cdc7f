/// Handling of signals: removes temporary files on interruption, and reports a mapped file that
/// shrinks.
#pragma once

namespace upsweep::io {

/// From now until `forget_temporary`, the file `name` of the open folder `folder` is removed if
/// SIGINT, SIGTERM or SIGHUP ends the process. Signals that are ignored or already handled are left
/// alone. Holds at most 8 names of up to 255 bytes, each of its own open folder; further ones are
/// not removed.
void remember_temporary(int folder, char const* name) noexcept;
void forget_temporary(int folder) noexcept;

/// From now on the first SIGINT, SIGTERM or SIGHUP does not end the process, which asks for it by
/// deferred_interruption() and writes what it has. Another one, more than a second later, does.
void defer_interruption() noexcept;
/// The signal that came, or 0.
[[nodiscard]] int deferred_interruption() noexcept;
/// Ends the process by the signal that came, if one did.
void end_if_interrupted() noexcept;

/// From now on, reading a mapped page that its file no longer has (SIGBUS) ends the process with a
/// message and exit code 4.
void watch_mappings() noexcept;

}  // namespace upsweep::io
