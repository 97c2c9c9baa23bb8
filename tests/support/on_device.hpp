#pragma once

/// \file on_device.hpp
/// A format on the device that takes host vectors: what is tested on the host can then be tested on the device, too.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "core/format.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {

inline void check(cudaError_t error)
{
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// A device array with the entries of a host vector.
template <class T> class DeviceVector {
public:
  explicit DeviceVector(std::size_t n) : n_(n) { check(cudaMalloc(&p_, n * sizeof(T) + 1)); }
  explicit DeviceVector(const std::vector<T> &from) : DeviceVector(from.size()) { set(from); }
  DeviceVector(const DeviceVector &)            = delete;
  DeviceVector &operator=(const DeviceVector &) = delete;
  ~DeviceVector() { cudaFree(p_); }

  T *data() const { return p_; }
  /// Of another length in memory of its own, in which nothing can be read behind the end. From memory that is not
  /// page-locked, a copy returns before all has arrived, and streams of their own do not wait for it.
  void set(const std::vector<T> &from)
  {
    if (from.size() != n_) {
      check(cudaFree(std::exchange(p_, nullptr)));
      n_ = from.size();
      check(cudaMalloc(&p_, n_ * sizeof(T) + 1));
    }
    check(cudaMemcpy(p_, from.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  std::vector<T> get() const
  {
    std::vector<T> to(n_);
    check(cudaMemcpy(to.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

private:
  T          *p_ = nullptr;
  std::size_t n_;
};

/// A matrix whose arrays are on a device, and its pattern on the host, too.
template <class Scalar, class Index> struct HeldOnDevice {
  const CsrMatrix<Scalar, Index> &a;
  DeviceVector<Index>             row_ptr{a.row_ptr}, col{a.col};
  DeviceVector<Scalar>            val{a.val};

  CsrView<Scalar, Index> view() const
  {
    CsrView<Scalar, Index> v = a.view();
    v.device_row_ptr         = row_ptr.data();
    v.device_col             = col.data();
    v.val                    = val.data();
    return v;
  }
};

/// What `work` puts on a stream, recorded as a graph.
class Recording {
public:
  template <class Work> Recording(cudaStream_t stream, const Work &work) : stream_(stream)
  {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work();
    check(cudaStreamEndCapture(stream, &graph_));
    check(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~Recording()
  {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  Recording(const Recording &)            = delete;
  Recording &operator=(const Recording &) = delete;

  /// Does it so many times, and waits.
  void replay(int times) const
  {
    for (int k = 0; k < times; ++k) check(cudaGraphLaunch(executable_, stream_));
    check(cudaStreamSynchronize(stream_));
  }

private:
  cudaStream_t    stream_;
  cudaGraph_t     graph_      = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

template <class F> class OnDevice {
public:
  using scalar_type = typename F::scalar_type;
  using index_type  = typename F::index_type;
  using View        = CsrView<scalar_type, index_type>;

  static constexpr std::string_view name           = F::name;
  static constexpr bool             on_device_only = true;
  static constexpr bool             transposes     = F::transposes;
  static constexpr bool             borrows        = false; // of arrays on the host

  static auto options() { return F::options(); }

  OnDevice(const View &a, const OptionValues &options, const Execution &)
    : rows_(a.rows), cols_(a.cols), format_(a, options, {MemorySpace::device, 1})
  {
  }

  bool refresh(const View &a) { return format_.refresh(a); }

  void multiply(Operation op, scalar_type alpha, const scalar_type *x, scalar_type beta, scalar_type *y)
  {
    const std::size_t in = op == Operation::none ? cols_ : rows_, out = op == Operation::none ? rows_ : cols_;
    on_device({x, x + in}, {y, y + out}, y, [&] { format_.multiply(op, alpha, x_.data(), beta, y_.data()); });
  }

  void multiply_many(Operation op, scalar_type alpha, const scalar_type *x, std::int64_t ldx, scalar_type beta, scalar_type *y,
                     std::int64_t ldy, int columns)
  {
    const auto in = op == Operation::none ? cols_ : rows_, out = op == Operation::none ? rows_ : cols_;
    on_device(several(in, x, ldx, columns), several(out, y, ldy, columns), y,
              [&] { format_.multiply_many(op, alpha, x_.data(), ldx, beta, y_.data(), ldy, columns); });
  }

  Footprint footprint() const { return format_.footprint(); }
  Facts     facts() const { return format_.facts(); }
  F        &format() { return format_; }

private:
  using Vector = std::vector<scalar_type>;

  /// `columns` vectors of n entries.
  static Vector several(index_type n, const scalar_type *from, std::int64_t ld, int columns)
  {
    return {from, from + (columns > 0 ? (columns - 1) * ld + n : 0)};
  }

  /// A product with x_ and y_, of which the latter is brought to `result`.
  template <class Go> void on_device(const Vector &x, const Vector &y, scalar_type *result, const Go &go)
  {
    x_.set(x);
    y_.set(y);
    go();
    check(cudaDeviceSynchronize());
    const Vector got = y_.get();
    std::copy(got.begin(), got.end(), result);
  }

  index_type                rows_, cols_;
  F                         format_;
  DeviceVector<scalar_type> x_{0}, y_{0};
};

template <class List> struct AllOnDevice;
template <class... F> struct AllOnDevice<::testing::Types<F...>> {
  using types = ::testing::Types<OnDevice<F>...>;
};

} // namespace petscspmv::test
