#pragma once

/// \file rounding.hpp
/// Values of units and nodes where a matrix may lose bits: the nearest floats, if all values of the matrix are real and
/// in the range of floats.

#include <atomic>
#include <cstddef>
#include <span>
#include <type_traits>

#include "impls/ccoo/device/host_kind.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar, class Index> bool rounds_values(const Source<Scalar, Index> &from)
{
  if constexpr (std::is_same_v<Scalar, double>) {
    if (kernels::losing_coding(from.options) == kernels::plain_coding) return false;
    constexpr std::int64_t batch = 1 << 16;
    const std::span        values(from.a.val, static_cast<std::size_t>(from.a.nonzeros()));
    std::atomic<bool>      all{true};
    kernels::try_each_batch(from.threads, std::ssize(values), batch, [&](std::int64_t first, std::int64_t last) {
      const auto some = values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
      if (all && !kernels::keeps_all<kernels::Coding::rounded>(some)) all = false;
    });
    return all;
  } else return false;
}

/// A room for n values, an even number.
template <class Scalar> Room<Scalar> room_for_values(std::size_t n, bool rounded)
{
  return Room<Scalar>(rounded ? n / 2 : n);
}

/// Calls visit(first value, its end) of a room.
template <class Scalar, class Visit> void with_values(const Room<Scalar> &room, bool rounded, const Visit &visit)
{
  with_kept_type<Scalar>(rounded, [&](auto kept) {
    auto *const first = reinterpret_cast<decltype(kept) *>(room.data());
    visit(first, first + room.size() * sizeof(Scalar) / sizeof kept);
  });
}

} // namespace petscspmv::ccoo::image
