/** UPSWEEP_API marks the symbols that the library exports. All others are hidden, so a later shared
 * library can rename or drop them. UPSWEEP_BEGIN_C and UPSWEEP_END_C enclose those for C.
 * @file
 */
#ifndef UPSWEEP_CORE_EXPORT_H
#define UPSWEEP_CORE_EXPORT_H

/** Also set in the static library, which has the same objects as the shared one. A type needs it
 * if it is thrown in one library and caught in another. Windows has no such attribute: there the
 * linker of mingw-w64 exports all symbols of a DLL. */
#if defined(_WIN32)
#define UPSWEEP_API
#else
#define UPSWEEP_API __attribute__((visibility("default")))
#endif

/** Around the declarations of a header for C, so that C++ calls the same functions. */
#ifdef __cplusplus
#define UPSWEEP_BEGIN_C extern "C" {
#define UPSWEEP_END_C }
#else
#define UPSWEEP_BEGIN_C
#define UPSWEEP_END_C
#endif

#endif
