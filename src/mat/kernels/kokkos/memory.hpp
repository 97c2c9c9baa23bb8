#pragma once

/// \file memory.hpp
/// Where matrices of kernels through Kokkos are, on the host or on the device of this build, and how they get there.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "core/execution.hpp"
#include "core/runtime.hpp"
#include "kernels/device/memory/upload.hpp"
#include "kernels/kokkos/instance.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::kernels {

/// The host: Kokkos' threads, if they may be had, or the calling thread.
struct KokkosHost {
  using Memory = Kokkos::HostSpace;

  template <class Go> static void run(int threads, const Go &go)
  {
    if (threads > 1 && runtime::has_workers()) go(Kokkos::DefaultHostExecutionSpace());
    else go(Kokkos::Serial());
  }
  static std::string name(int threads) { return threads > 1 ? Kokkos::DefaultHostExecutionSpace::name() : Kokkos::Serial::name(); }
};

/// The device of this build.
struct KokkosDevice {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;

  template <class Go> static void run(int, const Go &go) { go(current_instance()); }
  static std::string              name(int) { return Kokkos::DefaultExecutionSpace::name(); }
};

/// Brings things there, with so many threads of the host.
template <class Place> struct KokkosMemory {
  static constexpr bool on_host = std::is_same_v<typename Place::Memory, Kokkos::HostSpace>;

  int threads;

  /// Does what takes memory there, and says so if there is none.
  template <class Take> static void taking(const Take &take)
  {
    try {
      take();
    } catch (const std::exception &e) {
      if constexpr (on_host) throw;
      throw FormatError(std::string("The device has no room for the matrix (") + e.what() +
                        "). Spread it over more devices, or use host vectors.");
    }
  }

  /// On a device, waits for what is queued.
  void wait() const
  {
    if constexpr (!on_host) Place::run(threads, [](const auto &exec) { exec.fence("petscspmv: a matrix is brought to the device"); });
  }

  /// Queues a copy. To CUDA's memory it is done by the threads, which are faster than the one of the driver.
  template <class From, class To> void copy(const From &from, const To &to) const
  {
    constexpr bool up =
      std::is_same_v<typename From::memory_space, Kokkos::HostSpace> && !std::is_same_v<typename To::memory_space, Kokkos::HostSpace>;
    if (to.extent(0) == 0) return;
    if constexpr (up && built_for_device) upload(to.data(), from.data(), to.extent(0) * sizeof(*to.data()), threads);
    else Place::run(threads, [&](const auto &exec) { Kokkos::deep_copy(exec, to, from); });
  }

  /// Queues zeros, byte by byte: one kernel for all types.
  template <class Array> void zero(const Array &array) const
  {
    using To                = typename Array::memory_space;
    const auto *const first = reinterpret_cast<const std::uint8_t *>(array.data());
    const auto        bytes = borrowed_array<To>(first, array.extent(0) * sizeof(*array.data()));
    if constexpr (std::is_same_v<To, Kokkos::HostSpace>) std::fill_n(bytes.data(), bytes.extent(0), std::uint8_t(0));
    else Place::run(threads, [&](const auto &exec) { fill(exec, bytes, 0); });
  }
};

/// A matrix (kokkos/format.hpp) in another memory, or itself.
template <class To, class Place, class From> To brought(const KokkosMemory<Place> &memory, const From &from)
{
  if constexpr (std::is_same_v<To, From>) return from;
  else {
    To to;
    to.summary = from.summary;
    memory.taking([&] {
      To::each(
        [&memory](const std::string &name, auto &array, const auto &source) {
          using Array = std::decay_t<decltype(array)>;
          array       = new_array<typename Array::value_type, typename Array::memory_space>(source.extent(0));
          if (!name.empty()) return memory.copy(source, array);
          memory.zero(array);
        },
        to, from);
      memory.wait();
    });
    return to;
  }
}

} // namespace petscspmv::kernels
