/// MPI processes as ranks. The library itself needs no MPI: this header uses the caller's <mpi.h>.
#pragma once

#include <upsweep/ranks.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

namespace upsweep {

/// The processes of an MPI communicator. The object keeps a duplicate of the communicator, so its
/// messages cannot meet others. The constructor is a collective call. So is the destructor of the
/// last copy, which must run before MPI_Finalize. Errors are thrown if the communicator returns
/// them (MPI_ERRORS_RETURN); otherwise they end the job. Inter-communicators are rejected.
class mpi {
 public:
  explicit mpi(MPI_Comm of) : comm_(duplicate_of(of)) {
    check(MPI_Comm_rank(comm_->comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_->comm, &size_), "MPI_Comm_size");
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    return detail::exchange_in_parts(
        bytes, [&](void const* out, std::size_t out_count, void* in, std::size_t in_count) {
          check(MPI_Sendrecv(out, static_cast<int>(out_count), MPI_BYTE, other, 0, in,
                             static_cast<int>(in_count), MPI_BYTE, other, 0, comm_->comm,
                             MPI_STATUS_IGNORE),
                "MPI_Sendrecv");
        });
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    return detail::broadcast_in_parts(bytes, rank_ == other, [&](void* part, std::size_t count) {
      check(MPI_Bcast(part, static_cast<int>(count), MPI_BYTE, other, comm_->comm), "MPI_Bcast");
    });
  }

 private:
  struct duplicate {
    MPI_Comm comm = MPI_COMM_NULL;

    duplicate() = default;
    ~duplicate() {
      int finalized = 0;
      if (comm != MPI_COMM_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
        MPI_Comm_free(&comm);
    }
    duplicate(duplicate const&) = delete;
    duplicate& operator=(duplicate const&) = delete;
  };

  /// A rank without memory takes part, so that the others do not wait for it: they throw too.
  static std::shared_ptr<duplicate> duplicate_of(MPI_Comm of) {
    detail::expects(of != MPI_COMM_NULL, "mpi: MPI_COMM_NULL has no ranks; give a communicator");
    int is_inter = 0;
    check(MPI_Comm_test_inter(of, &is_inter), "MPI_Comm_test_inter");
    detail::expects(is_inter == 0,
                    "mpi: the ranks of an inter-communicator have no common order; give the "
                    "communicator of MPI_Intercomm_merge");
    std::shared_ptr<duplicate> made;
    int own = 1, all = 0;
    try {
      made = std::make_shared<duplicate>();
    } catch (std::bad_alloc const&) {
      own = 0;
    }
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_dup(of, &comm), "MPI_Comm_dup");
    int const code = MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    if (code != MPI_SUCCESS || all == 0) MPI_Comm_free(&comm);
    check(code, "MPI_Allreduce");
    if (own == 0) throw std::bad_alloc();
    detail::expects(all != 0, "mpi: another rank has no memory left for a communicator");
    made->comm = comm;
    return made;
  }
  static void check(int code, char const* function) {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING + 1] = "", sentence[MPI_MAX_ERROR_STRING + 64];
    int length = 0;
    MPI_Error_string(code, words, &length);
    std::snprintf(sentence, sizeof sentence, "%s failed: %s", function, words);
    throw error(sentence);
  }

  std::shared_ptr<duplicate> comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace upsweep
