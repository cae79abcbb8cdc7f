/* The golden set by the C interface: what docs/spec/golden.md says a C program prints.
 *
 *   golden_c                        compares with what was compiled in, prints the hash
 *   golden_c --set FILE             compares with the lines of set.txt
 *   golden_c --recipe FILE          computes the cases of that recipe
 *   golden_c --lines                prints the lines that it computes, instead of the hash
 *   golden_c --threads K            on at most K threads */
#include <golden/golden.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** The text of a file; ends the program if it cannot be read. */
static char* content(char const* path) {
  FILE* const file = fopen(path, "rb");
  size_t size = 0, room = 1 << 16;
  char* text = file != NULL ? malloc(room) : NULL;
  while (text != NULL) {
    size_t const got = fread(text + size, 1, room - size - 1, file);
    size += got;
    if (got == 0) break;
    if (room - size > 1) continue;
    char* const longer = realloc(text, room *= 2);
    if (longer == NULL) free(text);
    text = longer;
  }
  if (text != NULL) text[size] = 0;
  if (file != NULL) fclose(file);
  if (text != NULL) return text;
  fprintf(stderr, "golden_c: %s cannot be read\n", path);
  exit(4);
}

static void print_line(void* context, char const* line, int covered) {
  (void)context;
  if (covered) puts(line);
}

static void print_difference(void* context, golden_difference const* d) {
  (void)context;
  printf("case %zu differs: %s\n  computed %s\n", d->number, d->text, d->computed);
  if (d->expected != NULL) printf("  expected %s\n", d->expected);
}

int main(int argc, char** argv) {
  golden_options how = {0};
  golden_report report;
  how.differs = print_difference;
  for (int i = 1; i < argc; ++i) {
    char const* const value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--lines") == 0) {
      how.line = print_line;
      continue;
    }
    if (value != NULL && strcmp(argv[i], "--threads") == 0)
      how.threads = atoi(value);
    else if (value != NULL && strcmp(argv[i], "--set") == 0)
      how.set = content(value);
    else if (value != NULL && strcmp(argv[i], "--recipe") == 0)
      how.recipe = content(value);
    else {
      fputs("usage: golden_c [--set FILE] [--recipe FILE] [--lines] [--threads K]\n", stderr);
      return 2;
    }
    ++i;
  }
  time_t const begin = time(NULL);
  int const status = golden_check(&how, &report);
  free((char*)how.set);
  free((char*)how.recipe);
  if (status != 0) {
    fputs(status == -1 ? "golden_c: a line of the recipe cannot be read\n" : "no memory\n", stderr);
    return 3;
  }
  if (how.line == NULL) golden_print(&report, "the C interface", difftime(time(NULL), begin));
  return report.same ? 0 : 1;
}
