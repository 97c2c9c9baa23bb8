#pragma once

/// \file resident.hpp
/// Memory that Kokkos holds for a matrix, on the host or on the device of this build: how things get there, which work
/// waits for which, and what becomes of it.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/errors.hpp"
#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "core/runtime.hpp"
#include "kernels/device/memory/staged.hpp"
#include "kernels/device/order.hpp"
#include "kernels/kokkos/arrays.hpp"
#include "kernels/kokkos/instance.hpp"

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

/// make(Place()) for the place of a memory. Throws FormatError if Kokkos cannot be started, or if there is no device.
template <class Make> auto made_at(MemorySpace space, const Make &make) -> decltype(make(KokkosHost()))
{
  if (space == MemorySpace::device && !runtime::has_device()) throw FormatError(runtime::device_problem());
  if (!runtime::start_kokkos())
    throw FormatError("These kernels need Kokkos, which cannot be started here (it has ended, the process was forked, or it is in a "
                      "parallel region); leave out -mat_spmv_kernels kokkos, or choose a type with kernels of its own, such as ccoo.");
  if (space == MemorySpace::host) return make(KokkosHost());
  if constexpr (!is_host_space<Kokkos::DefaultExecutionSpace>) return make(KokkosDevice());
  throw FormatError(runtime::device_problem());
}

/// What has arrays of Kokkos'. Programs may destroy a matrix when Kokkos has ended, which then takes no memory back.
struct LeaveBehind {
  template <class T> void operator()(T *arrays) const
  {
    if (!Kokkos::is_finalized()) delete arrays;
  }
};
template <class T> using Resident = std::unique_ptr<T, LeaveBehind>;

template <class T, class... From> Resident<T> make_resident(From &&...from)
{
  return Resident<T>(new T(std::forward<From>(from)...));
}

/// Adds an array of Kokkos' to a footprint, unless it is empty.
template <class Array> void add_array(Footprint &f, const std::string &name, const Array &array, bool borrowed = false)
{
  if (const std::size_t bytes = array.extent(0) * sizeof(*array.data()); bytes > 0) f.arrays.push_back({name, bytes, borrowed});
}

/// The same of all arrays of a matrix (kokkos/format.hpp). Those that are somebody else's are borrowed, if this is
/// told.
template <class Kept> void add_arrays(Footprint &f, const std::string &prefix, const Kept &kept, bool tells_borrowed = true)
{
  Kept::each(
    [&](const std::string &name, const auto &array) {
      add_array(f, prefix + (name.empty() ? "parts of sums" : name), array, tells_borrowed && array.use_count() == 0);
    },
    kept);
}

/// The memory at a place as one matrix sees it, with so many threads of the host.
template <class Place> class KokkosMemory {
public:
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

  explicit KokkosMemory(int threads) : threads_(threads) { }

  int         threads() const { return threads_; }
  std::string name() const { return Place::name(threads_); }

  /// go(execution space), which queues work.
  template <class Go> void run(const Go &go) const { Place::run(threads_, go); }

  /// The same when it is the matrix's turn: on a device, streams are kept in order.
  template <class Go> void run(DeviceWork work, const Go &go)
  {
    [[maybe_unused]] const auto turn = take_turn(work);
    run(go);
  }
  auto take_turn([[maybe_unused]] DeviceWork work)
  {
    if constexpr (on_host) return 0;
    else return StreamTurn(order_, work);
  }

  /// Does what takes memory there, and says so if there is none.
  template <class Take> void taking(const Take &take) const
  {
    try {
      take();
    } catch (const FormatError &) {
      throw;
    } catch (const std::exception &e) {
      if constexpr (on_host) throw;
      throw FormatError(std::string("The device has no room for the matrix (") + e.what() +
                        "). Spread it over more devices, or use host vectors.");
    }
  }

  /// On a device, waits for what is queued.
  void wait() const
  {
    if constexpr (!on_host) run([](const auto &exec) { exec.fence("petscspmv: a matrix is brought to the device"); });
  }

  /// Queues a copy. To and from CUDA's memory it is done by the threads, which are faster than the one of the driver.
  template <class From, class To> void copy(const From &from, const To &to) const
  {
    constexpr bool from_host = std::is_same_v<typename From::memory_space, Kokkos::HostSpace>,
                   to_host   = std::is_same_v<typename To::memory_space, Kokkos::HostSpace>;
    const std::size_t bytes  = to.extent(0) * sizeof(*to.data());
    if (bytes == 0) return;
    if constexpr (built_for_device && from_host && !to_host) upload(to.data(), from.data(), bytes, threads_);
    else if constexpr (built_for_device && !from_host && to_host) download(to.data(), from.data(), bytes, threads_);
    else run([&](const auto &exec) { Kokkos::deep_copy(exec, to, from); });
  }

  /// Queues a copy of n entries of this memory to the host.
  template <class T> void copy_to_host(const T *from, std::size_t n, T *to) const
  {
    copy(borrowed_array<Memory>(from, n), borrowed_array<Kokkos::HostSpace>(to, n));
  }

  /// n entries of an array of the host or of this memory, in this memory; borrowed if they are there. Null if there are
  /// none.
  template <class T> KokkosArray<T, Memory> shown(const T *from, std::size_t n) const
  {
    KokkosArray<T, Memory> array;
    if (n > 0) show(from, n, array);
    return array;
  }
  /// The same in the place of an array, where the copy goes if it has as many entries of its own.
  template <class T> void show(const T *from, std::size_t n, KokkosArray<T, Memory> &array) const
  {
    const bool here = on_host || runtime::is_on_device(from), aligned = reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0;
    if (on_host || (here && aligned)) {
      array = borrowed_array<Memory>(from, n);
      return;
    }
    if (array.use_count() == 0 || array.extent(0) != n) array = new_array<T, Memory>(n);
    if (here) copy(borrowed_array<Memory>(from, n), array);
    else copy(borrowed_array<Kokkos::HostSpace>(from, n), array);
  }

  /// A copy of a std::vector's elements, which must stay until wait(). Null if there are none.
  template <class Vector> auto copied(const Vector &from) const
  {
    using T = typename Vector::value_type;
    KokkosArray<T, Memory> to;
    if (from.empty()) return to;
    to = new_array<T, Memory>(from.size());
    copy(borrowed_array<Kokkos::HostSpace>(from.data(), from.size()), to);
    return to;
  }

  /// Queues zeros, byte by byte: one kernel for all types.
  template <class Array> void zero(const Array &array) const
  {
    using To                = typename Array::memory_space;
    const auto *const first = reinterpret_cast<const std::uint8_t *>(array.data());
    const auto        bytes = borrowed_array<To>(first, array.extent(0) * sizeof(*array.data()));
    if constexpr (std::is_same_v<To, Kokkos::HostSpace>) std::fill_n(bytes.data(), bytes.extent(0), std::uint8_t(0));
    else run([&](const auto &exec) { fill(exec, bytes, 0); });
  }

  /// A matrix (kokkos/format.hpp) in another memory, or itself.
  template <class To, class From> To brought(const From &from) const
  {
    if constexpr (std::is_same_v<To, From>) return from;
    else {
      To to;
      to.summary = from.summary;
      taking([&] {
        To::each(
          [this](const std::string &name, auto &array, const auto &source) {
            if (source.extent(0) == 0) return;
            using Array = std::decay_t<decltype(array)>;
            array       = new_array<typename Array::value_type, typename Array::memory_space>(source.extent(0));
            if (!name.empty()) return this->copy(source, array); // Clang takes a `this` that is not written for unused
            this->zero(array);
          },
          to, from);
        wait();
      });
      return to;
    }
  }

private:
  int         threads_;
  StreamOrder order_; ///< on a device
};

} // namespace petscspmv::kernels
