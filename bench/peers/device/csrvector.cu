/// \file csrvector.cu
/// The textbook's kernel for CSR: one warp a row (Bell and Garland, Implementing Sparse Matrix-Vector Multiplication on
/// Throughput-Oriented Processors, SC 2009, section 4.2).

#include "kernels/device/launch.cuh"
#include "peers/device/device_product.hpp"

namespace petscspmv::bench {

namespace {

constexpr unsigned kWarp = 32, kThreads = 256;

__global__ void __launch_bounds__(kThreads)
  multiply_rows(Index rows, const Index *__restrict__ row_ptr, const Index *__restrict__ col, const double *__restrict__ val,
                const double *__restrict__ x, double *__restrict__ y)
{
  const auto     row  = Index((std::int64_t(blockIdx.x) * kThreads + threadIdx.x) / kWarp);
  const unsigned lane = threadIdx.x % kWarp;
  if (row >= rows) return; // all lanes of a warp alike
  double sum = 0;
  for (Index k = row_ptr[row] + Index(lane); k < row_ptr[row + 1]; k += Index(kWarp)) sum += val[k] * x[col[k]];
  for (unsigned step = kWarp / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

class CsrVectorProduct final : public DeviceProduct {
public:
  explicit CsrVectorProduct(const Setup &setup) : DeviceProduct(setup) { }

  void build() override
  {
    row_ptr_ = uploaded(matrix().row_ptr);
    col_     = uploaded(matrix().col);
    val_     = uploaded(values());
  }

  void launch() override
  {
    if (matrix().rows == 0) return;
    const auto blocks = unsigned((std::int64_t(matrix().rows) * kWarp + kThreads - 1) / kThreads);
    kernels::launch(multiply_rows, {blocks, kThreads}, matrix().rows, row_ptr_.data(), col_.data(), val_.data(), x(), y());
    check_cuda(cudaGetLastError(), "launch a kernel");
  }

  std::optional<ProductBytes> bytes() const override { return ProductBytes{csr_bytes(size_of(matrix())), csr_bytes(size_of(matrix()))}; }

private:
  DeviceArray<Index>  row_ptr_, col_;
  DeviceArray<double> val_;
};

class CsrVectorPeer final : public DevicePeer {
public:
  std::string_view         name() const override { return "csrvector"; }
  std::string_view         help() const override { return "the textbook's kernel for CSR: a warp for each row"; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<CsrVectorProduct>(setup); }
};

const PeerRegistration<CsrVectorPeer> registration;

} // namespace

} // namespace petscspmv::bench
