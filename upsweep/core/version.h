/** The version of the library, for the preprocessor, in C and in C++: `#if UPSWEEP_VERSION >= 200`
 * asks for 0.2.0 or newer. CMake takes the project's version from here.
 * @file
 */
#ifndef UPSWEEP_CORE_VERSION_H
#define UPSWEEP_CORE_VERSION_H

#define UPSWEEP_VERSION_MAJOR 0 /**< 0: every minor version may break the interface */
#define UPSWEEP_VERSION_MINOR 1 /**< new features */
#define UPSWEEP_VERSION_PATCH 0 /**< repairs */

/** One number that grows with every version: 10000 major + 100 minor + patch. */
#define UPSWEEP_VERSION \
  (UPSWEEP_VERSION_MAJOR * 10000 + UPSWEEP_VERSION_MINOR * 100 + UPSWEEP_VERSION_PATCH)

#endif
