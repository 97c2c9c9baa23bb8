#pragma once

/// \file runtime.hpp
/// The parallel runtime (Kokkos) as those see it who must not see Kokkos. Defined in kernels/host/runtime.cpp, but for
/// scratch_bytes().

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace petscspmv::runtime {

/// Starts Kokkos at the first call, and never before: a process that uses no type of ours pays nothing.
///
/// `threads` is the number of host threads that Kokkos may use; it counts at the first call that starts Kokkos only,
/// and a Kokkos that somebody else has started is used as it is. Kokkos cannot be started twice in a process, so ours
/// ends with the process. One thread needs no Kokkos in a build without a device: then nothing is started. Nor is
/// anything in a parallel region of the program, where Kokkos cannot start, after a fork, which threads do not survive,
/// and at the end of the process; there, one thread does the work. Several threads may call it at a time. Throws
/// std::runtime_error if Kokkos cannot start.
void start(int threads);

/// Starts Kokkos also where start() would not, because one thread on the host needs none; with as many threads as
/// start() was asked for. False where it cannot be. Same exception.
bool start_kokkos();

/// The number of host threads that a format may ask for: at least 1.
int max_threads();

/// True if there are more threads than the calling one, and it may deal work to them: it is not in a parallel region,
/// the process has not been forked since this library was loaded, nor is it ending.
bool has_workers();

/// The number of processors that this process may run on, as far as the system tells: at least 1. Threads that only
/// prepare something may be more than max_threads().
int processors();

/// Calls work(first, last) for batches of 0 .. n - 1, `batch` each, on so many threads. What `work` throws is thrown
/// again.
void for_each_batch(int threads, std::int64_t n, std::int64_t batch, const std::function<void(std::int64_t, std::int64_t)> &work);

/// Bytes that the process keeps now for what products on the host write besides y, of all matrices together.
std::size_t scratch_bytes();

/// One line for reports: the version of Kokkos and its backends.
std::string description();

/// True if products can run on a device: this build has kernels for one, and the current device of the calling thread
/// (of CUDA, as PETSc sets it) can run them. Looked up once for each device; cheap afterwards.
bool has_device();

/// Why has_device() is false, as a sentence; empty where it is true.
std::string device_problem();

/// From now on, formats in MemorySpace::device build, refresh and multiply for the calling thread on this stream (a
/// cudaStream_t; null, as at first, is CUDA's default stream), each operation behind what is already on it. Products
/// return at once. Does nothing in a build without a device.
void use_stream(void *stream);

/// True if that stream's work is being recorded into a graph, where nothing may be allocated or waited for.
bool is_recording();

/// True for an address in the memory of a device. Throws FormatError if CUDA cannot tell.
bool is_on_device(const void *p);

/// Copies so many bytes from device memory, behind what is on the stream, and waits for them. Throws FormatError.
void bring_to_host(const void *from, std::size_t bytes, void *to);

/// The n values at an address of the device; none if the address is one of the host, where whoever wants them can read
/// them.
template <class T> std::vector<T> from_device(const T *p, std::size_t n)
{
  if (n == 0 || !is_on_device(p)) return {};
  std::vector<T> values(n);
  bring_to_host(p, n * sizeof(T), values.data());
  return values;
}

} // namespace petscspmv::runtime
