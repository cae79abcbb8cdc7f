/// A tournament is a reduction: the knock-out stage of the World Cup 2010 as a tree of matches,
/// whose operator keeps the winner.
/// Cost: 15 matches · 4 rounds · 2 barriers a round
/// Source: PMPP 4th ed., ch. 10, fig. 10.4
#include <cstdio>
#include <vector>

constexpr unsigned teams = 16, rounds = 4;

struct team {
  char const* name;
  int wins;  // in this stage: of two teams that meet, the one with more wins goes on
};

constexpr team draw[teams] = {
    {"Uruguay", 2},     {"South Korea", 0}, {"USA", 0},     {"Ghana", 1},
    {"Netherlands", 3}, {"Slovakia", 0},    {"Brazil", 1},  {"Chile", 0},
    {"Argentina", 1},   {"Mexico", 0},      {"Germany", 2}, {"England", 0},
    {"Paraguay", 1},    {"Japan", 0},       {"Spain", 4},   {"Portugal", 0},
};

/// `winners` gets the eight, four, two and one that go on.
__global__ void play(int const* wins, int* winners) {
  __shared__ int playing[teams];
  unsigned const t = threadIdx.x;
  playing[t] = t;
  for (unsigned left = teams / 2; left > 0; left /= 2) {
    __syncthreads();  // the first 2 · left numbers are the teams that play
    int winner = 0;
    if (t < left) {
      int const a = playing[2 * t], b = playing[2 * t + 1];
      winner = wins[a] > wins[b] ? a : b;
    }
    __syncthreads();  // all have read
    if (t < left) {
      playing[t] = winner;
      winners[t] = winner;
    }
    winners += left;
  }
}

int main() {
  std::vector<int> x(teams), y(teams - 1);
  for (unsigned i = 0; i < teams; ++i) x[i] = draw[i].wins;
  int *wins, *winners;
  cudaMalloc(&wins, teams * sizeof(int));
  cudaMalloc(&winners, (teams - 1) * sizeof(int));
  cudaMemcpy(wins, x.data(), teams * sizeof(int), cudaMemcpyHostToDevice);
  play<<<1, teams>>>(wins, winners);
  cudaMemcpy(y.data(), winners, (teams - 1) * sizeof(int), cudaMemcpyDeviceToHost);

  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("tournament: %s\n", cudaGetErrorString(error));
    return 1;
  }
  for (unsigned left = teams / 2, first = 0; left > 0; first += left, left /= 2)
    for (unsigned i = 0; i < left; ++i)
      std::printf("%s%s", draw[y[first + i]].name, i + 1 < left ? ", " : "\n");
  std::vector<int> seen(teams, 0);  // how often each team has gone on
  for (int winner : y) ++seen[winner];
  bool const right = seen == x;
  std::printf("tournament: %u teams, %u rounds, %s\n", teams, rounds, right ? "right" : "wrong");
  cudaFree(wins);
  cudaFree(winners);
  return right ? 0 : 1;
}
