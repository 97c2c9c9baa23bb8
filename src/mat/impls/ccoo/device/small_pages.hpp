#pragma once

/// \file small_pages.hpp
/// Memory that many threads touch first, and once.

#include "kernels/host/room.hpp"

namespace petscspmv::ccoo {

/// The room in small pages, if it is large: a large page is cleared by the thread that comes first, for which all
/// others wait that write to it, and what goes to a device is so little that this is most of the time.
template <class T> kernels::Room<T> in_small_pages(kernels::Room<T> room)
{
#if defined(__linux__)
  constexpr std::size_t page = 4096, least = std::size_t(1) << 19; // what has large pages else, see Arena
  if (const std::size_t bytes = room.size() * sizeof(T); bytes >= least)
    madvise(room.data(), (bytes + page - 1) / page * page, MADV_NOHUGEPAGE);
#endif
  return room;
}

} // namespace petscspmv::ccoo
