#pragma once

/// \file tiles.cuh
/// A matrix on a device: how its image gets there, takes new values, and is multiplied.

#include <optional>

#include "impls/ccoo/device/kinds.cuh"
#include "impls/ccoo/device/matrix.hpp"
#include "impls/ccoo/device/stored.cuh"

namespace petscspmv::ccoo::device {

template <class Scalar> class Tiles final : public DeviceTiles<Scalar> {
  using S     = typename kernels::OnDevice<Scalar>::type;
  using Image = image::Image<Scalar>;

public:
  void upload(const Image &m, int threads, const kernels::DeviceRows<Scalar> *rows) override
  {
    stored_.upload(m, threads);
    kinds_ = Kinds<S>(m);
    if (rows) kernels::with_rows(*rows, [&](const auto &view) { kinds_.fill(filling(view, nullptr), m); });
  }

  kernels::RowsWanted wanted() const override { return {kinds_.want_row_ptr(stored_.arrays()), false, true}; }

  std::optional<Image> constants() const override
  {
    const image::Summary &s = stored_.summary();
    if (s.entries_in_units == 0 || stored_.arrays().unit_value.size() > 0 || s.entries() > s.entries_in_units) return {};
    return download();
  }
  void renew_constants(const Image &m) override { stored_.renew_constants(m); }

  bool refresh(const kernels::DeviceRows<Scalar> &rows) override
  {
    if (stored_.summary().entries() != rows.nonzeros()) return false;
    kernels::DeviceArray<unsigned> &misfits = stored_.misfits();
    misfits.clear();
    kernels::with_rows(rows, [&](const auto &view) { kinds_.renew(filling(view, misfits.data())); });
    if (!kinds_.check()) return true; // the host need not wait for the device
    unsigned found = 0;
    misfits.download(&found, 1);
    return found == 0;
  }

  Image download() const override { return stored_.download(); }

  void multiply(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const override
  {
    const auto *const                 of = reinterpret_cast<const S *>(x);
    const kernels::DeviceRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (stored_.arrays().batch.size() > 0) multiply_batches(stored_.arrays(), stored_.summary(), stored_.batch_part(), of, update);
    else kinds_.multiply({stored_.layout(), of, update});
  }

  bool has_scratch() const override { return stored_.has_scratch(); }

  void add_to(Footprint &f, const std::string &prefix) const override { stored_.add_to(f, prefix); }

private:
  template <class Index> Filling<S, Index> filling(const kernels::RowsView<S, Index> &rows, unsigned *misfits) const
  {
    return {stored_.arrays(), stored_.summary(), stored_.layout(), rows, misfits};
  }

  Stored<Scalar> stored_;
  Kinds<S>       kinds_;
};

} // namespace petscspmv::ccoo::device
