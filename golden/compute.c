/** Finds the verb of a case, makes its inputs, and calls. */
#include <golden/call.h>

#include <stdio.h>
#include <string.h>

static upsweep_operator operator_of(char const* name) {
  static char const* const names[] = {
      "sum",         "product",         "min",      "max",     "min-number",
      "max-number",  "bit-and",         "bit-or",   "bit-xor", "all",
      "any",         "parity",          "argmin",   "argmax",  "gcd",
      "checked-sum", "checked-product", "exact-sum"};
  for (int i = 0; i < 18; ++i)
    if (strcmp(names[i], name) == 0) return (upsweep_operator)(i + 1);
  return (upsweep_operator)0;
}

int golden_covered(upsweep_status status) {
  return status != UPSWEEP_UNSUPPORTED;
}

int golden_succeeded(golden_call* call, upsweep_status status) {
  if (status == UPSWEEP_OVERFLOW)
    snprintf(call->text, golden_text_size, "overflow@%llu",
             (unsigned long long)upsweep_last_error_index());
  else if (status == UPSWEEP_INVALID_ARGUMENT)
    strcpy(call->text, "refused");
  else if (status != UPSWEEP_OK)
    snprintf(call->text, golden_text_size, "failed: %s", upsweep_last_error_message());
  return status == UPSWEEP_OK;
}

/** A verb's name, or its end after a "_". */
static int ends_with(char const* verb, char const* end) {
  size_t const length = strlen(verb), part = strlen(end);
  return length >= part && strcmp(verb + length - part, end) == 0;
}

int golden_has_operator(golden_call* call) {
  call->op = operator_of(golden_get(call->c, "op"));
  char const* const weights = golden_get(call->c, "weights");
  upsweep_type const type = *weights != 0 ? golden_type(weights) : call->type;
  if (call->op == 0 || upsweep_result_type(type, call->op, &call->result) != UPSWEEP_OK) return 0;
  if (golden_is(call->c, "initial", "next")) {
    golden_store(
        call->initial, call->result, 0,
        golden_converted(call->type, golden_bits(call->x, call->type, call->n), call->result));
    call->how.initial = call->initial;
  }
  return 1;
}

static int compute(golden_call* call) {
  char const* const verb = call->c->verb;
  static struct {
    char const* verb;
    int (*compute)(golden_call*);
  } const moves[] = {{"select", golden_select},        {"select_positions", golden_select},
                     {"partition", golden_select},     {"runs", golden_runs_of_neighbors},
                     {"sort", golden_order},           {"top", golden_order},
                     {"quantile", golden_order},       {"pad", golden_rows},
                     {"unpad", golden_rows},           {"histogram", golden_counts},
                     {"count_indices", golden_indices}};
  for (size_t k = 0; k < sizeof moves / sizeof *moves; ++k)
    if (strcmp(moves[k].verb, verb) == 0) return moves[k].compute(call);
  int const whole = strcmp(verb, "reduce") == 0 || strcmp(verb, "inclusive_scan") == 0 ||
                    strcmp(verb, "exclusive_scan") == 0;
  if (*golden_get(call->c, "coefficients") != 0) return whole ? golden_recurrence(call) : 0;
  if (golden_is(call->c, "out", "element")) return 0;
  if (golden_composed(call)) return 1;
  if (!golden_has_operator(call)) return 0;
  if (whole) return golden_whole(call);
  if (strcmp(verb, "windowed") == 0) return golden_windows(call);
  if (strcmp(verb, "weighted_histogram") == 0) return golden_weights(call);
  if (ends_with(verb, "_segments")) return golden_segments(call);
  if (ends_with(verb, "_runs")) return golden_runs(call);
  return ends_with(verb, "_lines") ? golden_lines(call) : 0;
}

/** A function of its own, because longjmp() may change variables of the one that calls setjmp(). */
static int compute_or_fail(golden_call* call, int (*compute_case)(golden_call*)) {
  if (setjmp(call->memory.none) != 0) {
    strcpy(call->text, "failed: no memory for the arrays of the case");
    return 1;
  }
  size_t const more = (call->numbers - 1) * call->n + 8;
  call->x =
      golden_elements(&call->memory, call->type, golden_get(call->c, "kind"), call->n, more, 0);
  return compute_case(call);
}

int golden_compute_by(int (*compute_case)(golden_call*), golden_case const* c, int threads,
                      char text[golden_text_size]) {
  upsweep_options const defaults = UPSWEEP_OPTIONS_INIT;
  golden_call call = {.c = c, .text = text, .how = defaults, .n = golden_size(c)};
  *text = 0;
  call.how.threads = threads;
  char const* const type = golden_get(c, "type");
  call.numbers = strncmp(type, "xy-", 3) == 0 ? 2 : 1;
  call.type = golden_type(call.numbers == 2 ? type + 3 : type);
  if (call.type == 0 || strchr(golden_get(c, "kind"), '/') != NULL) return 0;
  if (golden_is(c, "reverse", "yes")) call.how.flags |= UPSWEEP_REVERSE;
  int const covered = compute_or_fail(&call, compute_case);
  golden_free(&call.memory);
  return covered;
}

int golden_compute(golden_case const* c, int threads, char text[golden_text_size]) {
  return golden_compute_by(compute, c, threads, text);
}
