/** A case that is computed: its inputs, its memory, its text.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_CALL_H
#define UPSWEEP_GOLDEN_CALL_H

#include <golden/case.h>
#include <golden/golden.h>
#include <golden/inputs.h>
#include <upsweep/upsweep.h>

#include <stddef.h>
#include <stdint.h>

typedef struct golden_call {
  golden_case const* c;
  golden_memory memory;
  char* text; /**< of the results so far */
  upsweep_type type;
  size_t n;
  size_t numbers; /**< of an element: 2 of pairs */
  void* x;        /**< the elements, and eight more */
  upsweep_options how;
  upsweep_operator op; /**< of the verbs that have one; and */
  upsweep_type result; /**< the type of its results, */
  uint64_t initial[4]; /**< one of which options may point to */
} golden_call;

/** The verbs of a file: 1 if the text is complete, 0 if the C interface does not have the call. */
int golden_whole(golden_call* call);
int golden_segments(golden_call* call);
int golden_runs(golden_call* call);
int golden_windows(golden_call* call);
int golden_lines(golden_call* call);
int golden_recurrence(golden_call* call);
int golden_select(golden_call* call);
int golden_runs_of_neighbors(golden_call* call);
int golden_rows(golden_call* call);
int golden_counts(golden_call* call);
int golden_weights(golden_call* call);
int golden_indices(golden_call* call);
int golden_order(golden_call* call);

/** Results of several calls, such as a minimum and a maximum; also 0 for all other results. */
int golden_composed(golden_call* call);

/** Calls the verb of a case with an operator: over segments, or over all elements without
 * offsets. */
upsweep_status golden_run(golden_call* call, upsweep_operator op, uint64_t const* offsets,
                          size_t segments, void* out);
/** Makes the elements of a case, and calls compute_case(); returns what that returns. */
int golden_compute_by(int (*compute_case)(golden_call*), golden_case const* c, int threads,
                      char text[golden_text_size]);
/** The operator of a case, the type of its results and its initial value; 0 if there is no such
 * pair. */
int golden_has_operator(golden_call* call);
/** Which elements a selection takes, a byte each. */
uint8_t* golden_flags(golden_call* call);

/** The bins of a histogram. */
typedef struct golden_bins {
  size_t count;
  double* levels; /**< null: even ones, from low to high */
  double low, high;
} golden_bins;
/** Those of a case, whose flag for the last bin becomes an option. */
golden_bins golden_bins_of(golden_call* call);

/** Whether a call succeeded. If not, the text says how it failed, unless the interface does not
 * have it. */
int golden_succeeded(golden_call* call, upsweep_status status);
/** What a file returns after a call that failed with this status. */
int golden_covered(upsweep_status status);

#endif
