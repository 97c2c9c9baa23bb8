#pragma once

/// \file format.hpp
/// The one contract between the formats and everybody who uses them (the PETSc glue, the tests, the bench): a table of
/// what a method has, and an abstract class for a matrix that it has built.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csr_view.hpp"
#include "engine.hpp"
#include "execution.hpp"
#include "footprint.hpp"
#include "options.hpp"
#include "runtime.hpp"

namespace petscspmv {

/// A matrix as a method keeps it.
///
/// Several threads may multiply with one object at the same time, each with x and y of its own, and on a device with a
/// stream of its own: what products write besides y belongs to each, or streams wait for one another, on the device.
/// Whatever else is called wants the object for itself.
template <class Scalar, class Index> class Format : public Engine<Scalar, Index> {
public:
  using View = CsrView<Scalar, Index>;
  using Engine<Scalar, Index>::Engine;

  /// y = alpha op(A) x + beta y, where x has cols (op none) or rows entries and y the other; x and y do not overlap.
  /// With beta == 0, y is written only, whatever it held, NaN included; with alpha == 0 x is not used. The same input
  /// gives the same bits, for any number of threads. Never throws.
  virtual void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) = 0;

  /// Y = alpha op(A) X + beta Y for `columns` >= 0 vectors at once, op being none or transpose. Column c of X begins at
  /// x + c ldx, that of Y at y + c ldy, and no column is longer than ldx or ldy; what lies between columns is neither
  /// read nor written.
  ///
  /// Each column is what multiply() gives, to rounding, and with all that is said of it there about alpha, beta, what x
  /// holds and threads. Its bits need not be those of multiply(), and may depend on the number of columns. On the host,
  /// memory may be allocated for it at the first call, which may therefore throw std::bad_alloc; Y is then as it was.
  ///
  /// A format that does nothing about it does one column after the other.
  virtual void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                             int columns)
  {
    for (int c = 0; c < columns; ++c) multiply(op, alpha, x + c * ldx, beta, y + c * ldy);
  }

  /// On the host, whether plain CSR beside it is faster with several vectors.
  virtual bool leaves_several() const { return false; }
};

template <class Scalar, class Index> using FormatPtr = std::unique_ptr<Format<Scalar, Index>>;

/// A method: what can be known of a format before one is built, and how it is built.
///
/// What not every method has is null or false where it is left out, as an operation is that a method may lack. Whoever
/// wants it looks here first, and leaves it to the first method that has it, or to PETSc.
template <class Scalar, class Index> struct FormatType {
  using View  = CsrView<Scalar, Index>;
  using Build = FormatPtr<Scalar, Index>(const View &, const OptionValues &, const Execution &);

  std::string_view name;       ///< the matrix type that users write, "aijspec"
  std::string_view method;     ///< one line: the method and the paper it is from
  bool             borrows;    ///< products read the arrays of the CsrView that are in their memory, which stay until the next refresh
  bool             transposes; ///< products may have any op. Without, op is none: transposed ones are left to one that transposes

  std::span<const OptionSpec> options;

  /// Bytes a product would read, found without building or allocating much.
  std::size_t (*predicted_bytes)(const View &, const OptionValues &);

  // How a matrix is built. They throw FormatError or std::bad_alloc (MemoryError, if they know how much it takes); then
  // nothing is left behind.

  Build *on_host;
  /// Null if this build cannot. Products take device pointers and are only queued on runtime::use_stream's stream,
  /// without allocation or synchronisation; those arrays of the CsrView that are host arrays are copied when it is
  /// built and refreshed, and may change or go away afterwards. The first transposed product is an exception: it may
  /// build an index, with allocation, synchronisation and FormatError.
  Build *on_device = nullptr;
  /// With portable kernels, in any memory; null: it has none. Sums may be in another order.
  Build *through_kokkos = nullptr;

  /// Whether what it multiplies with on a device is for several vectors at once, too: Kokkos' kernels are.
  bool several_on_device() const { return on_device && on_device == through_kokkos; }

  FormatPtr<Scalar, Index> build(const View &a, const OptionValues &values, const Execution &execution) const
  {
    if (through_kokkos && execution.kernels == Kernels::kokkos) return through_kokkos(a, values, execution);
    if (execution.space == MemorySpace::host) return on_host(a, values, execution);
    if (!on_device) throw FormatError(runtime::device_problem());
    return on_device(a, values, execution);
  }
};

} // namespace petscspmv
