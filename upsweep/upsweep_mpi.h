/** The ranks of an MPI communicator, for the functions of c_api/ranks.h. The library itself needs
 * no MPI: this header uses the caller's <mpi.h>, so that one library serves every MPI.
 * @file
 */
#ifndef UPSWEEP_C_API_MPI_H
#define UPSWEEP_C_API_MPI_H

#include <upsweep/c_api/ranks.h>

#include <mpi.h>
#include <string.h>

static inline MPI_Comm upsweep_mpi_comm(void* context) {
  MPI_Comm comm;
  /* A communicator is an int or a pointer, so it fits into the context. */
  (void)sizeof(char[sizeof(MPI_Comm) <= sizeof(void*) ? 1 : -1]);
  memcpy(&comm, &context, sizeof comm);
  return comm;
}
static inline int upsweep_mpi_add(void* context, int64_t const* in, int64_t* out, int n) {
  return MPI_Allreduce(in, out, n, MPI_INT64_T, MPI_SUM, upsweep_mpi_comm(context)) != MPI_SUCCESS;
}
static inline int upsweep_mpi_add_before(void* context, int64_t const* in, int64_t* out, int n) {
  MPI_Comm const comm = upsweep_mpi_comm(context);
  int rank = 0;
  int const code = MPI_Exscan(in, out, n, MPI_INT64_T, MPI_SUM, comm);
  if (code != MPI_SUCCESS || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return 1;
  if (rank == 0) memset(out, 0, (size_t)n * sizeof *out); /* where MPI_Exscan stores nothing */
  return 0;
}
static inline int upsweep_mpi_least(void* context, int64_t const* in, int64_t* out, int n) {
  return MPI_Allreduce(in, out, n, MPI_INT64_T, MPI_MIN, upsweep_mpi_comm(context)) != MPI_SUCCESS;
}

/** The ranks of `comm`, an intra-communicator, which must not be freed as long as they are used.
 * Each rank uses OMP_NUM_THREADS threads, or one; set the member `threads` for others. Errors of
 * MPI end the job unless the communicator returns them (MPI_ERRORS_RETURN); then they are
 * UPSWEEP_COMMUNICATION. */
static inline upsweep_ranks upsweep_mpi_ranks(MPI_Comm comm) {
  upsweep_ranks ranks;
  memset(&ranks, 0, sizeof ranks);
  ranks.size = sizeof ranks;
  memcpy(&ranks.context, &comm, sizeof comm);
  ranks.add = upsweep_mpi_add;
  ranks.add_before = upsweep_mpi_add_before;
  ranks.least = upsweep_mpi_least;
  ranks.threads = -1;
  return ranks;
}

#endif
