/// The ranks of MPI. The library itself needs no MPI: this header uses the caller's <mpi.h>.
#pragma once

#include <upsweep/ranks.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace upsweep {

/// The processes of an MPI communicator, of which it keeps a duplicate, so that its messages meet
/// no others. To make one is a collective call, and so is to destroy its last copy, which must
/// happen before MPI_Finalize. Errors are thrown if the communicator returns them
/// (MPI_ERRORS_RETURN), and end the job otherwise.
class mpi {
 public:
  explicit mpi(MPI_Comm of) : comm_(std::make_shared<duplicate>(of)) {
    check(MPI_Comm_rank(comm_->comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_->comm, &size_), "MPI_Comm_size");
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    auto const out = static_cast<std::uint64_t>(count_of(bytes.size()));
    std::uint64_t in = 0;
    check(MPI_Sendrecv(&out, 1, MPI_UINT64_T, other, 0, &in, 1, MPI_UINT64_T, other, 0, comm_->comm,
                       MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    std::vector<std::byte> received(static_cast<std::size_t>(in));
    check(
        MPI_Sendrecv(bytes.data(), count_of(bytes.size()), MPI_BYTE, other, 0, received.data(),
                     count_of(received.size()), MPI_BYTE, other, 0, comm_->comm, MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
    return received;
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    std::vector<std::byte> all(bytes);
    auto size = static_cast<std::uint64_t>(count_of(bytes.size()));
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, other, comm_->comm), "MPI_Bcast");
    all.resize(static_cast<std::size_t>(size));
    check(MPI_Bcast(all.data(), count_of(all.size()), MPI_BYTE, other, comm_->comm), "MPI_Bcast");
    return all;
  }

 private:
  struct duplicate {
    MPI_Comm comm = MPI_COMM_NULL;
    explicit duplicate(MPI_Comm of) { check(MPI_Comm_dup(of, &comm), "MPI_Comm_dup"); }
    ~duplicate() {
      int finalized = 0;
      if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) MPI_Comm_free(&comm);
    }
    duplicate(duplicate const&) = delete;
    duplicate& operator=(duplicate const&) = delete;
  };

  static void check(int code, char const* function) {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw error((std::string(function) + " failed: " + words).c_str());
  }
  static int count_of(std::size_t bytes) {
    detail::expects(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                    "mpi: the totals of a piece take more than 2^31 bytes");
    return static_cast<int>(bytes);
  }

  std::shared_ptr<duplicate> comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace upsweep
