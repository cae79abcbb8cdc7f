/* The heat in the ocean, on any number of ranks: the cells inside of a halo, weighted with their
 * area, without land. The printed total has the same bits on 1 and on 1,000 ranks. */
#include <upsweep/upsweep_mpi.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  size_t const columns = 60, rows = 40;
  size_t const first = rows * (size_t)rank / (size_t)count; /* this rank's rows */
  size_t const own = rows * ((size_t)rank + 1) / (size_t)count - first;
  size_t const halo_shape[] = {own + 2, columns + 2}, shape[] = {own, columns};
  double* heat = malloc(halo_shape[0] * halo_shape[1] * sizeof *heat);
  double* area = malloc(own * columns * sizeof *area + 1);
  unsigned char* ocean = malloc(own * columns + 1);
  for (size_t j = 0; j < halo_shape[0]; ++j)
    for (size_t i = 0; i < halo_shape[1]; ++i)
      heat[j * halo_shape[1] + i] = 4.0e6 * (15 + (double)(i * i % 31) * 0.1 * (double)(first + j));
  for (size_t j = 0; j < own; ++j) {
    size_t const row = first + j + 1;
    for (size_t i = 0; i < columns; ++i) {
      area[j * columns + i] = 1.0e10 / (1 + 0.03 * (double)row);
      ocean[j * columns + i] = (i + 1) * row % 7 != 3;
    }
  }

  upsweep_ranks const world = upsweep_mpi_ranks(MPI_COMM_WORLD);
  upsweep_array cells = upsweep_array_of_shape(UPSWEEP_F64, heat, 2, halo_shape);
  cells = upsweep_array_slice(cells, 0, 1, own + 1, 1); /* without the halo, and without a copy */
  cells = upsweep_array_slice(cells, 1, 1, columns + 1, 1);
  upsweep_field const field = {.values = cells,
                               .mask = upsweep_array_of_shape(UPSWEEP_U8, ocean, 2, shape),
                               .weights = upsweep_array_of_shape(UPSWEEP_F64, area, 2, shape)};
  upsweep_element_counts counts;
  double total;
  if (upsweep_global_sum(&world, &field, &counts, &total) != UPSWEEP_OK) {
    fprintf(stderr, "%s\n", upsweep_last_error_message()); /* the same status on all ranks */
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) printf("heat %.17g J in %lld cells\n", total, (long long)counts.elements);
  free(heat);
  free(area);
  free(ocean);
  MPI_Finalize();
  return 0;
}
