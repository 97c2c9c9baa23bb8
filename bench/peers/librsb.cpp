/// \file librsb.cpp
/// librsb's recursive sparse blocks, a tree of CSR and COO parts that fit the cache, after its own search for the best
/// tree.

#include <stdexcept>

#include <omp.h>
#include <rsb.h>

#include "peers/host_product.hpp"

namespace petscspmv::bench {

namespace {

void check(rsb_err_t status, const char *what)
{
  if (status != RSB_ERR_NO_ERROR) throw std::runtime_error(std::string("librsb's ") + what + " returned error " + std::to_string(status));
}

/// Once a process, which it lasts as long as. OpenMP's number of threads of then is that of its parallel regions.
void start(int threads)
{
  omp_set_num_threads(threads);
  static const rsb_err_t status = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  check(status, "rsb_lib_init");
}

class LibrsbProduct final : public HostProduct {
public:
  explicit LibrsbProduct(const Setup &setup) : HostProduct(setup) { }
  ~LibrsbProduct() override { rsb_mtx_free(matrix_); }
  LibrsbProduct(const LibrsbProduct &)            = delete;
  LibrsbProduct &operator=(const LibrsbProduct &) = delete;

  void build() override
  {
    constexpr rsb_time_t most_seconds = 1; // of the search
    start(threads());
    const CsrMatrix &a      = matrix();
    rsb_err_t        status = RSB_ERR_NO_ERROR;
    use_threads();
    rsb_mtx_free(matrix_);
    matrix_ = rsb_mtx_alloc_from_csr_const(values(), a.row_ptr.data(), a.col.data(), a.nonzeros(), RSB_NUMERICAL_TYPE_DOUBLE, a.rows,
                                           a.cols, RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &status);
    check(status, "rsb_mtx_alloc_from_csr_const");
    check(rsb_tune_spmm(&matrix_, nullptr, nullptr, 0, most_seconds, RSB_TRANSPOSITION_N, &one, nullptr, 1,
                        RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, nullptr, 0, &zero, nullptr, 0),
          "rsb_tune_spmm");
  }

  void multiply() override
  {
    use_threads();
    check(rsb_spmv(RSB_TRANSPOSITION_N, &one, matrix_, x(), 1, &zero, y(), 1), "rsb_spmv");
  }

  std::optional<ProductBytes> bytes() const override { return std::nullopt; }

  void refresh_and_multiply() override
  {
    build(); // new values are given entry by entry, with their places
    multiply();
  }

private:
  static constexpr double one = 1, zero = 0;

  void use_threads() const
  {
    const rsb_int_t number = threads();
    check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &number), "rsb_lib_set_opt");
  }

  rsb_mtx_t *matrix_ = nullptr;
};

class LibrsbPeer final : public Peer {
public:
  std::string_view         name() const override { return "librsb"; }
  std::string_view         help() const override { return "librsb's recursive sparse blocks, tuned"; }
  Role                     role() const override { return Role::peer; }
  std::string              version() const override { return RSB_LIBRSB_VER_STRING; }
  std::string              limits(int ranks, int) const override { return ranks > 1 ? "librsb runs in one process" : ""; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<LibrsbProduct>(setup); }
};

const PeerRegistration<LibrsbPeer> registration;

} // namespace

} // namespace petscspmv::bench
