/** UPSWEEP_API marks what the library shows to programs; everything else is hidden, and a shared
 * library can rename or drop it.
 * @file
 */
#ifndef UPSWEEP_CORE_EXPORT_H
#define UPSWEEP_CORE_EXPORT_H

/** The same in a static library, whose objects are those of the shared one; and for a type, where
 * an exception has to be caught in another library than it was thrown in. */
#define UPSWEEP_API __attribute__((visibility("default")))

#endif
