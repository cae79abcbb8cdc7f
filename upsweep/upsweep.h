/** The C interface: reductions and prefix scans of built-in types with built-in operators, on all
 * cores, with the same bits everywhere.
 *
 *   double x[] = {1, 2, 3}, total;
 *   if (upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, NULL, &total) != UPSWEEP_OK)
 *     puts(upsweep_last_error_message());
 *
 * The contract is that of the C++ interface (docs/contracts.md). No function throws, exits or
 * prints. All may be called from many threads at once. Arrays are contiguous and aligned to their
 * type. Within version 0.x new enumerators are added only at the end of an enum.
 * @file
 */
#ifndef UPSWEEP_UPSWEEP_H
#define UPSWEEP_UPSWEEP_H

#include <stddef.h>
#include <stdint.h>
#include <upsweep/core/export.h>
#include <upsweep/core/version.h>

#ifdef __cplusplus
/* Makes every int a valid value in C++ too; unknown ones give UPSWEEP_INVALID_ARGUMENT. */
#define UPSWEEP_INT_ENUM : int
extern "C" {
#else
#define UPSWEEP_INT_ENUM
#endif

/** Why a call failed; upsweep_last_error_message() has the details. */
typedef enum upsweep_status UPSWEEP_INT_ENUM {
  UPSWEEP_OK = 0,               /**< the call succeeded */
  UPSWEEP_INVALID_ARGUMENT = 1, /**< a null or misaligned pointer, an unknown enumerator, a partial
                                   overlap, wrong options */
  UPSWEEP_UNSUPPORTED = 2,   /**< the operator is not defined for this type: bitwise operators for
                                floats, for example */
  UPSWEEP_OVERFLOW = 3,      /**< a CHECKED operator overflowed; upsweep_last_error_index() is the
                                index of the element */
  UPSWEEP_OUT_OF_MEMORY = 4, /**< no memory for the call's scratch space */
  UPSWEEP_INTERNAL = 5,      /**< anything else; please report it */
  UPSWEEP_UNAVAILABLE = 6,   /**< upsweep_cuda.h: no GPU, or no driver, that this library can use */
  UPSWEEP_DEVICE_ERROR = 7   /**< upsweep_cuda.h: a CUDA call failed; upsweep_cuda_last_error_code()
                                is its cudaError_t */
} upsweep_status;

/** The type of an element. */
typedef enum upsweep_type UPSWEEP_INT_ENUM {
  UPSWEEP_I8 = 1,    /**< int8_t */
  UPSWEEP_I16 = 2,   /**< int16_t */
  UPSWEEP_I32 = 3,   /**< int32_t */
  UPSWEEP_I64 = 4,   /**< int64_t */
  UPSWEEP_U8 = 5,    /**< uint8_t */
  UPSWEEP_U16 = 6,   /**< uint16_t */
  UPSWEEP_U32 = 7,   /**< uint32_t */
  UPSWEEP_U64 = 8,   /**< uint64_t */
  UPSWEEP_F16 = 9,   /**< IEEE binary16; C without it can pass uint16_t */
  UPSWEEP_BF16 = 10, /**< the upper half of a binary32; C without it can pass uint16_t */
  UPSWEEP_F32 = 11,  /**< float */
  UPSWEEP_F64 = 12   /**< double */
} upsweep_type;

/** The operator. upsweep_result_type() returns the type of its results, which for elements of type
 * T is: */
typedef enum upsweep_operator UPSWEEP_INT_ENUM {
  UPSWEEP_SUM = 1,        /**< I64 or U64 for integers (wraps), F32 for F16, BF16, F32, and F64 */
  UPSWEEP_PRODUCT = 2,    /**< as SUM */
  UPSWEEP_MIN = 3,        /**< T, but F32 for F16 and BF16; NaN if any element is NaN; -0 < +0 */
  UPSWEEP_MAX = 4,        /**< as MIN */
  UPSWEEP_MIN_NUMBER = 5, /**< as MIN, but NaN only if all elements are; floats only */
  UPSWEEP_MAX_NUMBER = 6, /**< as MAX, but NaN only if all elements are; floats only */
  UPSWEEP_BIT_AND = 7,    /**< T; integers only */
  UPSWEEP_BIT_OR = 8,     /**< T; integers only */
  UPSWEEP_BIT_XOR = 9,    /**< T; integers only */
  UPSWEEP_ALL = 10,       /**< U8, 0 or 1: whether every element is non-zero */
  UPSWEEP_ANY = 11,       /**< U8, 0 or 1: whether any element is non-zero */
  UPSWEEP_PARITY = 12,    /**< U8, 0 or 1: whether an odd number of elements is non-zero */
  UPSWEEP_ARGMIN = 13, /**< U64: index of the first least element, or of the first NaN; none if n =
                          0; takes no initial value */
  UPSWEEP_ARGMAX = 14, /**< U64: index of the first greatest element, or first NaN; as ARGMIN */
  UPSWEEP_GCD = 15,    /**< U64, of the magnitudes; 0 if n = 0; integers only */
  UPSWEEP_CHECKED_SUM = 16, /**< I64 or U64; UPSWEEP_OVERFLOW instead of wrapping; integers only */
  UPSWEEP_CHECKED_PRODUCT = 17, /**< as CHECKED_SUM */
  UPSWEEP_EXACT_SUM = 18, /**< F32 for F16, BF16, F32, and F64: the correctly rounded sum, whatever
                            the order; floats only */
} upsweep_operator;

/** How elements may be grouped. */
typedef enum upsweep_mode UPSWEEP_INT_ENUM {
  UPSWEEP_REPRODUCIBLE = 0, /**< the default: the bits depend only on the values, their number and
                               the operator */
  UPSWEEP_FAST = 1          /**< may regroup */
} upsweep_mode;

/** Flags of a call, combined with |. */
typedef enum upsweep_flags UPSWEEP_INT_ENUM {
  UPSWEEP_REVERSE = 1 /**< from the last element to the first: "earlier" means nearer the end */
} upsweep_flags;

/** The options of a call. Start from UPSWEEP_OPTIONS_INIT, so that members which later versions add
 * have their defaults. */
typedef struct upsweep_options {
  size_t size;       /**< sizeof(upsweep_options) where the caller was compiled */
  int threads;       /**< 0: as many as the affinity mask and the cgroup quota allow */
  upsweep_mode mode; /**< UPSWEEP_REPRODUCIBLE */
  unsigned flags;    /**< upsweep_flags */
  /** One value of the result type, combined on the left of everything; NULL: none. */
  void const* initial;
} upsweep_options;

/** The defaults. */
#define UPSWEEP_OPTIONS_INIT {sizeof(upsweep_options), 0, UPSWEEP_REPRODUCIBLE, 0u, NULL}

/** Writes the combination of in[0 .. n) to *out, one value of the result type. n = 0, for which
 * `in` may be NULL, gives the initial value or the operator's identity; for ARGMIN and ARGMAX it is
 * UPSWEEP_INVALID_ARGUMENT. `options` may be NULL. On failure *out is unchanged. */
UPSWEEP_API upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in,
                                          size_t n, upsweep_options const* options, void* out);

/** Writes n values of the result type: out[i] is the combination of in[0 .. i]. out == in is
 * allowed when the result type is the type; any other overlap is UPSWEEP_INVALID_ARGUMENT. On
 * UPSWEEP_OVERFLOW the contents of out are unspecified; on any other failure they are unchanged. */
UPSWEEP_API upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op,
                                                  void const* in, size_t n,
                                                  upsweep_options const* options, void* out);
/** The same without element i: out[i] is the combination of in[0 .. i), and out[0] the initial
 * value or the identity (UINT64_MAX for ARGMIN and ARGMAX). */
UPSWEEP_API upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op,
                                                  void const* in, size_t n,
                                                  upsweep_options const* options, void* out);

/** The type of the results of `op` over elements of `type`; UPSWEEP_UNSUPPORTED if there is none.
 */
UPSWEEP_API upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op,
                                               upsweep_type* result);

/** Bytes of one element, 0 for an unknown type. */
UPSWEEP_API size_t upsweep_type_size(upsweep_type type);

/** The version of the library at run time, as "0.1.0"; UPSWEEP_VERSION is the version that the
 * program was compiled with. */
UPSWEEP_API char const* upsweep_version(void);
/** The version of the combine tree: results in REPRODUCIBLE mode are bit-identical between
 * libraries that agree on it. */
UPSWEEP_API int upsweep_tree_version(void);

/** The error message of this thread's last failed call, "" if none has failed. Valid until the next
 * failed call of this thread. */
UPSWEEP_API char const* upsweep_last_error_message(void);

/** The index of the element at which the last UPSWEEP_OVERFLOW of this thread happened. */
UPSWEEP_API uint64_t upsweep_last_error_index(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
