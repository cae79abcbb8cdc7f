/** The recipe of the golden set, expanded into cases. */
#include <golden/golden.h>

#include <golden/case.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_lists = 16, most_entries = 64, most_words = golden_most_keys + 1, line_size = 1024 };

/** The entries of a list. Their text is in `text`, or in that of a list that it names. */
typedef struct entries {
  size_t count;
  char const* entry[most_entries];
  char text[line_size];
} entries;

typedef struct expansion {
  size_t lists;
  char name[most_lists][32];
  entries list[most_lists];
  entries word[most_words]; /**< of a line: its verbs, then the values of its keys */
  char key[most_words][32];
} expansion;

static entries const* find_list(expansion const* all, char const* name) {
  for (size_t i = 0; i < all->lists; ++i)
    if (strcmp(all->name[i], name) == 0) return &all->list[i];
  return NULL;
}

/** Splits `text` at its commas; false for an unknown list, or more than there is room for. */
static int split(expansion const* all, char const* text, entries* to) {
  if (strlen(text) >= sizeof to->text) return 0;
  strcpy(to->text, text);
  to->count = 0;
  for (char* at = to->text; at != NULL;) {
    char* const comma = strchr(at, ',');
    if (comma != NULL) *comma = 0;
    entries const* const list = *at == '@' ? find_list(all, at + 1) : NULL;
    size_t const added = list != NULL ? list->count : 1;
    if ((*at == '@' && list == NULL) || to->count + added > most_entries) return 0;
    for (size_t i = 0; i < added; ++i) to->entry[to->count++] = list != NULL ? list->entry[i] : at;
    at = comma != NULL ? comma + 1 : NULL;
  }
  return 1;
}

/** Every combination of the entries of `words` words, the last of which varies fastest. */
static int combine(expansion const* all, int words, int (*each)(void*, golden_case const*),
                   void* context) {
  size_t chosen[most_words] = {0};
  for (;;) {
    golden_case c = {all->word[0].entry[chosen[0]], words - 1, {0}, {0}};
    for (int k = 1; k < words; ++k) {
      c.key[k - 1] = all->key[k];
      c.value[k - 1] = all->word[k].entry[chosen[k]];
    }
    int const status = each(context, &c);
    if (status != 0) return status;
    int k = words - 1;
    while (k >= 0 && ++chosen[k] == all->word[k].count) chosen[k--] = 0;
    if (k < 0) return 0;
  }
}

/** A word "key=a,b"; the first of a line has no key. */
static int read_word(expansion* all, int number, char* word) {
  if (number == most_words) return 0;
  char* const equals = number == 0 ? NULL : strchr(word, '=');
  if (number > 0 && (equals == NULL || (size_t)(equals - word) >= sizeof all->key[0])) return 0;
  if (equals != NULL) {
    *equals = 0;
    strcpy(all->key[number], word);
  }
  return split(all, equals != NULL ? equals + 1 : word, &all->word[number]);
}

static int expand_line(expansion* all, char* line, int (*each)(void*, golden_case const*),
                       void* context) {
  char* word[most_words + 2];
  int words = 0;
  line[strcspn(line, "#")] = 0;
  for (char* at = line; *(at += strspn(at, " \r")) != 0;) {
    if (words == most_words + 2) return -1;
    word[words++] = at;
    at += strcspn(at, " \r");
    if (*at != 0) *at++ = 0;
  }
  if (words == 0) return 0;
  if (strcmp(word[0], "list") == 0) {
    if (words != 3 || all->lists == most_lists || strlen(word[1]) >= sizeof all->name[0]) return -1;
    strcpy(all->name[all->lists], word[1]);
    if (!split(all, word[2], &all->list[all->lists])) return -1;
    ++all->lists;
    return 0;
  }
  for (int k = 0; k < words; ++k)
    if (!read_word(all, k, word[k])) return -1;
  return combine(all, words, each, context);
}

int golden_expand(char const* recipe, int (*each)(void*, golden_case const*), void* context) {
  expansion* const all = calloc(1, sizeof *all);
  if (all == NULL) return -2;
  int status = 0;
  for (char const* at = recipe; status == 0 && *at != 0;) {
    char line[line_size];
    size_t const length = strcspn(at, "\n");
    if (length >= sizeof line) {
      status = -1;
      break;
    }
    memcpy(line, at, length);
    line[length] = 0;
    status = expand_line(all, line, each, context);
    at += length + (at[length] != 0);
  }
  free(all);
  return status;
}

void golden_case_text(golden_case const* c, char text[golden_text_size]) {
  int used = snprintf(text, golden_text_size, "%s", c->verb);
  for (int k = 0; k < c->keys && used < golden_text_size; ++k)
    used +=
        snprintf(text + used, (size_t)(golden_text_size - used), " %s=%s", c->key[k], c->value[k]);
}

char const* golden_get(golden_case const* c, char const* key) {
  for (int k = 0; k < c->keys; ++k)
    if (strcmp(c->key[k], key) == 0) return c->value[k];
  return "";
}

int golden_is(golden_case const* c, char const* key, char const* value) {
  return strcmp(golden_get(c, key), value) == 0;
}

size_t golden_number(golden_case const* c, char const* key) {
  return (size_t)strtoull(golden_get(c, key), NULL, 10);
}

int golden_extents(golden_case const* c, size_t extent[4]) {
  char const* at = golden_get(c, "shape");
  int dimensions = 0;
  while (*at != 0 && dimensions < 4) {
    char* end;
    extent[dimensions++] = (size_t)strtoull(at, &end, 10);
    at = *end == 'x' ? end + 1 : end;
  }
  return dimensions;
}

size_t golden_size(golden_case const* c) {
  size_t extent[4], n = 1;
  int const dimensions = golden_extents(c, extent);
  if (dimensions == 0) return golden_number(c, "n");
  for (int d = 0; d < dimensions; ++d) n *= extent[d];
  return n;
}
