/// \file mkl.cpp
/// Intel MKL's inspector-executor product, loaded while the program runs: no dependency of the build.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "peers/host_product.hpp"
#include "peers/look_up.hpp"
#include "peers/several.hpp"

namespace petscspmv::bench {

namespace {

// The part of mkl_spblas.h that is used. MKL promises to keep these numbers.
constexpr int kZeroBased = 0, kNonTranspose = 10, kTranspose = 11, kColumnMajor = 102, kGeneral = 20, kLower = 40, kNonUnit = 50,
              kAggressive = 81;

struct Description {
  int type = kGeneral, mode = kLower, diag = kNonUnit;
};
using Handle = void *;

struct Functions {
  int (*create)(Handle *, int base, Index rows, Index cols, Index *begin, Index *end, Index *col, double *val) = nullptr;
  int (*set_mv_hint)(Handle, int operation, Description, Index calls)                                          = nullptr;
  int (*set_mm_hint)(Handle, int operation, Description, int layout, Index columns, Index calls)               = nullptr;
  int (*multiply_many)(int operation, double alpha, Handle, Description, int layout, const double *x, Index columns, Index ldx, double beta,
                       double *y, Index ldy)                                                                   = nullptr;
  int (*set_memory_hint)(Handle, int policy)                                                                   = nullptr;
  int (*optimize)(Handle)                                                                                      = nullptr;
  int (*multiply)(int operation, double alpha, Handle, Description, const double *x, double beta, double *y)   = nullptr;
  int (*destroy)(Handle)                                                                                       = nullptr;
  int (*set_threads)(int)                                                                                      = nullptr;
  void (*version)(char *, int)                                                                                 = nullptr;

  bool complete() const
  {
    return create && set_mv_hint && set_mm_hint && multiply_many && set_memory_hint && optimize && multiply && destroy && set_threads;
  }
};

/// Folders where pip, conda and Intel's installer put it, besides those that the loader knows.
std::vector<std::string> folders()
{
  std::vector<std::string> list;
  const auto               add = [&list](const char *variable, const char *below) {
    if (const char *value = std::getenv(variable)) list.push_back(std::string(value) + below);
  };
  add("VIRTUAL_ENV", "/lib");
  add("CONDA_PREFIX", "/lib");
  add("MKLROOT", "/lib");
  add("MKLROOT", "/lib/intel64");
  add("HOME", "/.local/lib");
  list.insert(list.end(), {"/usr/local/lib", "/opt/intel/oneapi/mkl/latest/lib"});
  return list;
}

void *open_library()
{
  // Its own threads would stay awake for 200 ms after each product; with GNU's, MKL shares those of everybody else
  // here.
  setenv("MKL_THREADING_LAYER", "GNU", 0);
  setenv("MKL_INTERFACE_LAYER", sizeof(Index) == 8 ? "ILP64" : "LP64", 0);
  const std::array<const char *, 3> names = {"libmkl_rt.so", "libmkl_rt.so.2", "libmkl_rt.so.3"};
  if (const char *path = std::getenv("PETSCSPMV_BENCH_MKL")) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (const char *name : names)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  for (const std::string &folder : folders())
    for (const char *name : names)
      if (const std::string path = folder + "/" + name; std::filesystem::exists(path))
        if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

const Functions &mkl()
{
  static const Functions functions = [] {
    Functions f;
    void     *library = open_library();
    if (!library) return f;
    look_up(library, "mkl_sparse_d_create_csr", f.create);
    look_up(library, "mkl_sparse_set_mv_hint", f.set_mv_hint);
    look_up(library, "mkl_sparse_set_mm_hint", f.set_mm_hint);
    look_up(library, "mkl_sparse_d_mm", f.multiply_many);
    look_up(library, "mkl_sparse_set_memory_hint", f.set_memory_hint);
    look_up(library, "mkl_sparse_optimize", f.optimize);
    look_up(library, "mkl_sparse_d_mv", f.multiply);
    look_up(library, "mkl_sparse_destroy", f.destroy);
    look_up(library, "MKL_Set_Num_Threads_Local", f.set_threads);
    look_up(library, "MKL_Get_Version_String", f.version);
    return f;
  }();
  return functions;
}

void check(int status, const char *what)
{
  if (status != 0) throw std::runtime_error(std::string("MKL's ") + what + " returned status " + std::to_string(status));
}

/// A matrix of MKL's, made anew for each build: an optimised one keeps values of its own, and has no call to bring in
/// all new ones.
class MklMatrix {
public:
  MklMatrix() = default;
  ~MklMatrix() { release(); }
  MklMatrix(const MklMatrix &)            = delete;
  MklMatrix &operator=(const MklMatrix &) = delete;

  /// `hint(mkl, handle)` says what it is for. Hints may be refused, for empty matrices for one; products work all the
  /// same.
  template <class Hint> void build(const CsrMatrix &a, double *values, int threads, const Hint &hint)
  {
    release();
    mkl_.set_threads(threads);
    auto *row_ptr = const_cast<Index *>(a.row_ptr.data()), *col = const_cast<Index *>(a.col.data());
    check(mkl_.create(&handle_, kZeroBased, a.rows, a.cols, row_ptr, row_ptr + 1, col, values), "mkl_sparse_d_create_csr");
    (void)hint(mkl_, handle_);
    (void)mkl_.set_memory_hint(handle_, kAggressive);
    check(mkl_.optimize(handle_), "mkl_sparse_optimize");
  }
  Handle handle() const { return handle_; }

private:
  void release()
  {
    if (handle_) mkl_.destroy(handle_);
    handle_ = nullptr;
  }

  const Functions &mkl_    = mkl(); // all there, see MklPeer::unavailable()
  Handle           handle_ = nullptr;
};

class MklProduct final : public HostProduct {
public:
  explicit MklProduct(const Setup &setup) : HostProduct(setup) { }

  void build() override
  {
    a_.build(matrix(), values(), threads(),
             [](const Functions &mkl, Handle a) { return mkl.set_mv_hint(a, kNonTranspose, Description(), 1000); });
  }

  void multiply() override
  {
    mkl().set_threads(threads()); // NOLINT(*.CallAndMessage): all are there, see MklPeer::unavailable()
    check(mkl().multiply(kNonTranspose, 1.0, a_.handle(), Description(), x(), 0.0, y()), "mkl_sparse_d_mv");
  }

  std::optional<ProductBytes> bytes() const override { return std::nullopt; }

  void refresh_and_multiply() override
  {
    build();
    multiply();
  }

private:
  MklMatrix a_;
};

/// Products with several vectors.
class MklMany final : public Product {
public:
  MklMany(bool transposed, const CsrMatrix &a, int columns)
    : operation_(transposed ? kTranspose : kNonTranspose), csr_(a), values_(a.val), columns_(Index(columns)),
      ldx_(transposed ? a.rows : a.cols), ldy_(transposed ? a.cols : a.rows), y_(std::size_t(ldy_) * std::size_t(columns))
  {
  }

  void build() override
  {
    a_.build(csr_, values_.data(), 1, [this](const Functions &mkl, Handle a) {
      return mkl.set_mm_hint(a, operation_, Description(), kColumnMajor, columns_, 1000);
    });
  }
  void set_x(std::span<const double> local) override { x_ = columns_from(local, int(columns_)); }
  void fill_y(double value) override { std::fill(y_.begin(), y_.end(), value); }
  void read_y(std::span<double> local) const override { read_columns(y_, int(columns_), local); }
  void multiply() override
  {
    // NOLINTNEXTLINE(*.CallAndMessage): as above
    check(mkl().multiply_many(operation_, 1.0, a_.handle(), Description(), kColumnMajor, x_.data(), columns_, ldx_, 0.0, y_.data(), ldy_),
          "mkl_sparse_d_mm");
  }
  void scale_values(double factor) override
  {
    for (double &v : values_) v *= factor;
  }
  std::optional<ProductBytes> bytes() const override { return std::nullopt; }

private:
  int                 operation_;
  const CsrMatrix    &csr_;
  std::vector<double> values_;
  Index               columns_, ldx_, ldy_;
  std::vector<double> x_, y_;
  MklMatrix           a_;
};

class MklPeer final : public Peer {
public:
  std::string_view name() const override { return "mkl"; }
  std::string_view help() const override { return "Intel MKL's inspector-executor, optimised for 1000 products"; }
  Role             role() const override { return Role::peer; }

  /// "2025.1" of "Intel(R) oneAPI Math Kernel Library Version 2025.1-Product Build ...".
  std::string version() const override
  {
    if (!mkl().version) return "";
    std::string text(256, ' ');
    mkl().version(text.data(), int(text.size()));
    const std::size_t begin = std::min(text.find("Version ") + 8, text.size());
    return text.substr(begin, text.find_first_of("- ", begin) - begin);
  }

  std::string unavailable() const override
  {
    return mkl().complete() ? ""
                            : "Intel MKL is not there: libmkl_rt.so was found neither by the loader nor where pip and Intel's installer "
                              "put it. 'pip install mkl' in a virtual environment that is active will do, or give its path in the "
                              "environment variable PETSCSPMV_BENCH_MKL";
  }
  std::string              limits(int ranks, int) const override { return ranks > 1 ? "MKL runs in one process" : ""; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<MklProduct>(setup); }
};

const PeerRegistration<MklPeer> registration;

} // namespace

std::vector<SeveralPeer> several_by_mkl(bool transposed)
{
  if (!mkl().complete()) return {};
  return {{"mkl", "", false,
           [transposed](const Setup &, const CsrMatrix &a, int columns) { return std::make_unique<MklMany>(transposed, a, columns); }}};
}

} // namespace petscspmv::bench
