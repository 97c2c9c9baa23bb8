#pragma once

/// \file scalar.cuh
/// Scalars on the device: loads, shuffles, and y = alpha s + beta y.

#include <complex>
#include <cstdint>

#include <Kokkos_Complex.hpp>

namespace petscspmv::kernels {

using DeviceComplex = Kokkos::complex<double>;

/// How a scalar is called on the device; the same bits.
template <class Scalar> struct OnDevice {
  using type = Scalar;
};
template <> struct OnDevice<std::complex<double>> {
  using type = DeviceComplex;
};

/// Loads of what is read by many (x): they stay in the first-level cache.
__device__ inline double load_shared(const double *p)
{
  return __ldg(p);
}
__device__ inline float load_shared(const float *p)
{
  return __ldg(p);
}
__device__ inline DeviceComplex load_shared(const DeviceComplex *p)
{
  const double2 v = __ldg(reinterpret_cast<const double2 *>(p));
  return {v.x, v.y};
}

/// Loads of what is read once (the matrix): they take no room in the first-level cache.
__device__ inline std::int32_t load_once(const std::int32_t *p)
{
  std::int32_t v;
  asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ inline std::int64_t load_once(const std::int64_t *p)
{
  std::int64_t v;
  asm("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(v) : "l"(p));
  return v;
}
__device__ inline float load_once(const float *p)
{
  float v;
  asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}
__device__ inline double load_once(const double *p)
{
  double v;
  asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(v) : "l"(p));
  return v;
}
__device__ inline DeviceComplex load_once(const DeviceComplex *p)
{
  double re, im;
  asm("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];" : "=d"(re), "=d"(im) : "l"(p));
  return {re, im};
}

/// a b, or conj(a) b.
__device__ inline double product(double a, double b, bool)
{
  return a * b;
}
__device__ inline DeviceComplex product(DeviceComplex a, DeviceComplex b, bool conjugate)
{
  return (conjugate ? Kokkos::conj(a) : a) * b;
}

/// The sum over `lanes` (a power of two) neighbouring lanes, in all of them, added in a fixed order.
__device__ inline double sum_over_lanes(double s, int lanes)
{
  for (int d = lanes / 2; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  return s;
}
__device__ inline DeviceComplex sum_over_lanes(DeviceComplex s, int lanes)
{
  return {sum_over_lanes(s.real(), lanes), sum_over_lanes(s.imag(), lanes)};
}

/// The sum over this lane of a warp and those below it.
__device__ inline int scan_over_lanes(int n, int lane)
{
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(~0u, n, d);
    if (lane >= d) n += below;
  }
  return n;
}

/// Loads of what other multiprocessors have written during this kernel: not from the first-level cache.
__device__ inline double load_fresh(const double *p)
{
  return __ldcg(p);
}
__device__ inline DeviceComplex load_fresh(const DeviceComplex *p)
{
  const double2 v = __ldcg(reinterpret_cast<const double2 *>(p));
  return {v.x, v.y};
}

/// How sums enter y; see rows/update.hpp.
template <class Scalar> struct DeviceRowUpdate {
  Scalar *y;
  Scalar  alpha, beta;
  bool    unit;     ///< alpha == 1
  bool    replaces; ///< beta == 0: y is not read
  bool    adds;     ///< beta == 1

  DeviceRowUpdate(Scalar alpha_, Scalar beta_, Scalar *y_)
    : y(y_), alpha(alpha_), beta(beta_), unit(alpha_ == Scalar(1)), replaces(beta_ == Scalar(0)), adds(beta_ == Scalar(1))
  {
  }

  /// y = A x: sums need not be changed, and y is not read.
  bool stores() const { return unit && replaces; }

  /// With `stores`, only for an update that stores(). A kernel that need not ask is faster: 27-point 128^3 16.0 us
  /// instead of 18.9, and 16.5 if it asks once for four rows (H200, cold).
  template <bool stores, class Index> __device__ void put(Index row, Scalar sum) const
  {
    if constexpr (stores) store(y + row, sum);
    else (*this)(row, sum);
  }

  template <class Index> __device__ void operator()(Index row, Scalar sum) const
  {
    if (!unit) sum = alpha * sum;
    if (!replaces) sum += adds ? y[row] : beta * y[row];
    store(y + row, sum);
  }

  template <class Index> __device__ void empty(Index row) const
  {
    if (adds) return;
    store(y + row, replaces ? Scalar(0) : beta * y[row]);
  }

private:
  // y is not read again before other data has passed through the caches.
  __device__ static void store(double *p, double v) { __stcs(p, v); }
  __device__ static void store(DeviceComplex *p, DeviceComplex v) { __stcs(reinterpret_cast<double2 *>(p), double2{v.real(), v.imag()}); }
};

} // namespace petscspmv::kernels
