/// Lexical analysis by a scan of functions: a character is a table from state to state, tables
/// compose, and the composition of all tables up to a character gives the automaton's state there.
/// Cost: T·log2 T - (T - 1) compositions of 4 entries and 2·log2 T barriers a tile, 1 composition
/// an element to apply the totals · 3n loads, 3n stores for more than one tile
/// Source: ETH P&S, prefix sum: lexical analysis; Hillis & Steele 1986
///
/// The language has "strings" with backslashes and # comments up to the end of the line.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr unsigned threads = 128, states = 4;
enum state : unsigned char { code, in_string, escaped, in_comment };

__host__ __device__ unsigned char next_state(unsigned char now, char character) {
  switch (now) {
    case code:
      return character == '"' ? in_string : character == '#' ? in_comment : code;
    case in_string:
      return character == '"' ? code : character == '\\' ? escaped : in_string;
    case escaped:
      return in_string;
    default:
      return character == '\n' ? code : in_comment;
  }
}

struct table {
  unsigned char to[states];  // to[s] is the state that follows s
};

__device__ table compose(table first, table second) {
  table both;
  for (unsigned s = 0; s < states; ++s) both.to[s] = second.to[first.to[s]];
  return both;
}

__global__ void make_tables(char const* text, table* tables, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  char const character = text[i];
  table mine;
  for (unsigned s = 0; s < states; ++s)
    mine.to[s] = next_state(static_cast<unsigned char>(s), character);
  tables[i] = mine;
}

/// Kogge-Stone inclusive scan of each tile, in place.
__global__ void scan_tiles(table* tables, table* totals, unsigned n) {
  __shared__ table tile[threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  table mine = {{0, 1, 2, 3}};  // the identity
  if (i < n) mine = tables[i];
  tile[t] = mine;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[t] composes the `stride` tables that end at t
    if (t >= stride) mine = compose(tile[t - stride], mine);
    __syncthreads();  // all have read
    tile[t] = mine;
  }
  if (i < n) tables[i] = mine;
  if (t == threads - 1) totals[blockIdx.x] = mine;
}

__global__ void apply_totals(table* tables, table const* totals, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) tables[i] = compose(totals[blockIdx.x - 1], tables[i]);
}

void scan(table* tables, unsigned n) {
  unsigned const tiles = (n + threads - 1) / threads;
  table* totals;
  cudaMalloc(&totals, tiles * sizeof(table));
  scan_tiles<<<tiles, threads>>>(tables, totals, n);
  if (tiles > 1) {
    scan(totals, tiles);
    apply_totals<<<tiles, threads>>>(tables, totals, n);
  }
  cudaFree(totals);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  char const alphabet[] = {'a', 'b', ' ', '"', '\\', '#', '\n', '\n'};
  std::string characters(n, ' ');
  for (char& character : characters) character = alphabet[std::rand() % sizeof(alphabet)];

  char* text;
  table* tables;
  cudaMalloc(&text, n);
  cudaMalloc(&tables, n * sizeof(table));
  cudaMemcpy(text, characters.data(), n, cudaMemcpyHostToDevice);
  make_tables<<<(n + threads - 1) / threads, threads>>>(text, tables, n);
  scan(tables, n);

  std::vector<table> y(n);
  cudaMemcpy(y.data(), tables, n * sizeof(table), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("lexing: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  unsigned char now = code;
  unsigned strings = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned char const next = next_state(now, characters[i]);
    strings += now == code && next == in_string;
    now = next;
    right = right && y[i].to[code] == now;
  }
  std::printf("lexing: %u characters, %u strings, %s\n", n, strings, right ? "right" : "wrong");
  cudaFree(text);
  cudaFree(tables);
  return right ? 0 : 1;
}
