#pragma once

/// \file ccoo.hpp
/// Balanced and compressed coordinates.
///
/// J. I. Aliaga, H. Anzt, E. S. Quintana-Orti, A. E. Tomas, Y. M. Tsai: Balanced and compressed coordinate layout for
/// the sparse matrix-vector product on GPUs. Euro-Par 2020: Parallel Processing Workshops, LNCS 12480, 83-95.
///
/// The paper's idea is kept: coordinates relative to a piece of the matrix, values through tables, work in equal
/// pieces. What a piece is and how it is written is chosen for each one: rows that look alike from the diagonal share a
/// list of column offsets and need no indices (tiles/diagonal.hpp), others are sorted by length and go eight side by
/// side (tiles/gather.hpp), and very long rows are cut into the paper's own chunks (tiles/chunk.hpp), which can also be
/// had for the whole matrix. Values are kept bit for bit (kernels/coding/values.hpp). docs/formats.md has pictures.

#include <functional>
#include <memory>

#include "core/format.hpp"

namespace petscspmv {

namespace ccoo::image {
template <class Scalar> struct Image;
}
namespace kernels {
template <class Scalar, class Index, class Image> class ImageFormat;
template <class Scalar> class RenumberedProducts; // the glue sees this header, and no kernels
} // namespace kernels

template <class Scalar, class Index> class Ccoo {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name       = "ccoo";
  static constexpr std::string_view method     = "balanced and compressed coordinates (Aliaga et al. 2020), tile by tile";
  static constexpr bool             borrows    = false;
  static constexpr bool             on_device  = built_for_device;
  static constexpr bool             transposes = false;

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);
  static Forecast forecast(const View &a, const OptionValues &options, MemorySpace); ///< with rows in the order that they have

  Ccoo(const View &a, const OptionValues &options, const Execution &execution);
  ~Ccoo();
  void      refresh(const View &a);
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);
  void      multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  bool      leaves_several() const;
  Footprint footprint() const;
  Facts     facts() const;

  /// By the kernels of ccoo_kokkos.hpp, with teams of `team` threads and `lanes` vector lanes a thread; 0: as many as
  /// suit. Where `team` is given, tiles on the host are those of a device.
  static std::unique_ptr<AnyFormat<Scalar, Index>> through_kokkos(const View &a, const OptionValues &options, const Execution &execution,
                                                                  int team = 0, int lanes = 0);

  /// Calls visit(row, column, value) for every entry as it is kept: rows of a tile are mixed, the entries of a row are
  /// in their order.
  void decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const;

private:
  struct Impl;

  std::unique_ptr<kernels::RenumberedProducts<Scalar>> order_; // row permutation; null if rows are in their own order
  // one of them
  std::unique_ptr<Impl>                                                            impl_;
  std::unique_ptr<kernels::ImageFormat<Scalar, Index, ccoo::image::Image<Scalar>>> device_;
};

} // namespace petscspmv
