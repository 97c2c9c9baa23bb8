#pragma once

/// \file parallel.hpp
/// One call for "do these parts, at the same time if there are threads for it".

namespace petscspmv::kernels {

/// Calls work(context, part) for part = 0 .. parts - 1, on as many threads as runtime::start was given, and returns when all are done.
void run_parts(int parts, void (*work)(const void *context, int part), const void *context);

/// Calls work(part) for part = 0 .. parts - 1, at the same time if there are threads, and returns when all are done.
/// `work` must not throw.
///
/// One part is called as it is: Kokkos::Serial would take a lock and visit its profiling hooks, which is more than a whole
/// product of a small matrix takes.
template <class Work> void for_each_part(int parts, const Work &work)
{
  if (parts == 1) return work(0);
  run_parts(
    parts, [](const void *context, int part) { (*static_cast<const Work *>(context))(part); }, &work);
}

} // namespace petscspmv::kernels
