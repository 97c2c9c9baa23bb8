#pragma once

/// \file arrays.hpp
/// What all kernels through Kokkos are written with: scalars, arrays, and leagues of teams.

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

namespace petscspmv::kernels {

/// How a scalar is called in these kernels; the same bits.
template <class Scalar> struct KokkosScalarOf {
  using type = Scalar;
};
template <> struct KokkosScalarOf<std::complex<double>> {
  using type = Kokkos::complex<double>;
};
template <class Scalar> using KokkosScalar = typename KokkosScalarOf<Scalar>::type;

/// An array of a matrix. It may be somebody else's.
template <class T, class Memory> using KokkosArray = Kokkos::View<T *, Memory>;

/// Room for n entries that are not set.
template <class T, class Memory = Kokkos::HostSpace> KokkosArray<T, Memory> new_array(std::size_t n)
{
  return KokkosArray<T, Memory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "petscspmv"), n);
}

/// A copy of the elements of a std::vector, or whatever has data() and size().
template <class Vector> auto host_array(const Vector &from)
{
  auto to = new_array<typename Vector::value_type>(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// Somebody else's n entries, which must stay, and are only read.
template <class Memory, class T> KokkosArray<T, Memory> borrowed_array(const T *from, std::size_t n)
{
  return KokkosArray<T, Memory>(const_cast<T *>(from), n);
}

/// All i from 0 to n - 1.
template <class Exec> auto indices(const Exec &exec, std::int64_t n)
{
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n);
}

/// Sets elements of an array.
template <class T, class Memory> struct Fill {
  KokkosArray<T, Memory> array;
  T                      value;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { array(i) = value; }
};

/// Queues it for all of them, by one kernel for each T. Kokkos::deep_copy() has six.
template <class Exec, class T, class Memory> void fill(const Exec &exec, const KokkosArray<T, Memory> &array, std::type_identity_t<T> value)
{
  Kokkos::parallel_for("petscspmv fill", indices(exec, array.extent(0)), Fill<T, Memory>{array, value});
}

/// Where values are in a CSR matrix: number i is entry from(i), or no entry and 0 if that is negative.
template <class S, class Index, class Memory> struct GatherValues {
  KokkosArray<Index, Memory> from;
  KokkosArray<S, Memory>     entry, to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i) < 0 ? S(0) : entry(from(i)); }
};

/// to[from[i]] = i.
template <class Index> struct Invert {
  const Index *from;
  Index       *to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[from[i]] = static_cast<Index>(i); }
};

/// Whether an execution space is one of the host.
template <class Exec>
inline constexpr bool is_host_space = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// A league of teams of `team` threads with `lanes` vector lanes each, and with `scratch` bytes to share. Kernels go to
/// a device as arguments, however many there are: Kokkos would have those of 512 bytes and more wait for the one
/// before.
///
/// With `threads`, which a team then has at most, a multiprocessor has room for so many teams `at_a_time`: the compiler
/// leaves a thread so few registers. 0: it decides.
template <int threads = 0, int at_a_time = 0, class Exec>
auto league_of_teams(const Exec &exec, std::int64_t league, int team, int lanes, std::size_t scratch = 0)
{
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, at_a_time>> policy(exec, static_cast<int>(league), team, lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// n entries of a team's scratch memory.
template <class T, class Member> KOKKOS_FUNCTION T *team_scratch(const Member &member, int n)
{
  return static_cast<T *>(member.team_scratch(0).get_shmem_aligned(n * sizeof(T), alignof(T)));
}

} // namespace petscspmv::kernels
