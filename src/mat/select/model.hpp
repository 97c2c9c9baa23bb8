#pragma once

/// \file model.hpp
/// How long a product is expected to take as each type, before anything is built: bytes over bandwidth, and what
/// entries, rows and misses of x cost a type. The numbers are in model_tuning.hpp; how far they are off is in
/// docs/tuning.md.

#include <cstdint>
#include <string_view>

#include "core/execution.hpp"
#include "core/format.hpp"
#include "select/structure.hpp"
#include "select/windows.hpp"

namespace petscspmv::select {

/// Seconds of a product that reads forecast.bytes of matrix. `windows` has been looked at for `s`. `bandwidth` in bytes
/// a second, from memory; 0 stands for that of the machine that the model was fitted on, so that the same matrix gets
/// the same choice everywhere.
double predicted_seconds(std::string_view type, const Forecast &forecast, const Structure &s, MemorySpace space, double bandwidth = 0);

/// What building, and taking new values, is expected to take.
struct UpkeepSeconds {
  double build, refresh;
};
UpkeepSeconds predicted_upkeep(std::string_view type, double nonzeros, const Execution &execution);

/// A product on a device takes no less if it reads so much of a matrix.
double least_device_seconds(double bytes);

/// What looking at a matrix of so many entries is expected to take.
double predicted_look_seconds(std::int64_t nonzeros, std::int64_t rows);

/// What the model looks at of a matrix.
template <class Scalar, class Index> struct Look {
  using View = CsrView<Scalar, Index>;

  /// `entries`: how many to look at, see Windows.
  Look(const View &a, std::int64_t entries) : windows(a, entries), structure(structure_of(a, windows.views())) { }

  Windows<Scalar, Index> windows;
  Structure              structure;

  /// The forecast for the whole matrix from that for the windows. Throws what the type throws.
  Forecast forecast(const FormatType<Scalar, Index> &type, const OptionValues &options, MemorySpace space) const
  {
    double bytes = 0, nanoseconds = 0, lines = 0;
    for (const View &v : windows.views()) {
      const Forecast f = type.forecast(v, options, space);
      bytes += double(f.bytes);
      nanoseconds += f.nanoseconds;
      lines += f.lines;
    }
    return {static_cast<std::size_t>(bytes * windows.scale()), nanoseconds * windows.scale(), lines * windows.scale()};
  }
};

/// How many entries of a matrix are worth looking at for a choice that takes effect in all its products.
std::int64_t entries_to_look_at(std::int64_t nonzeros);

} // namespace petscspmv::select
