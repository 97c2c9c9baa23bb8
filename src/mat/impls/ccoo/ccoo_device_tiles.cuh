#pragma once

/// \file ccoo_device_tiles.cuh
/// A matrix on a device: how its image gets there, takes new values, and is multiplied.

#include <optional>

#include "impls/ccoo/ccoo_device.hpp"
#include "impls/ccoo/ccoo_device_arrays.cuh"
#include "impls/ccoo/ccoo_device_hot_columns.cuh"
#include "impls/ccoo/ccoo_device_launches.cuh"
#include "impls/ccoo/ccoo_device_make.cuh"

namespace petscspmv::ccoo::device {

template <class Scalar> class Tiles final : public DeviceTiles<Scalar> {
  using S     = typename kernels::OnDevice<Scalar>::type;
  using Image = image::Image<Scalar>;

public:
  void upload(const Image &m, int threads, const kernels::DeviceRows<Scalar> *rows) override
  {
    stored_.upload(m, threads);
    launches_ = Launches<S>(m);
    if (rows) kernels::with_rows(*rows, [&](const auto &view) { Filling(stored_.arrays(), stored_.layout(), view).make(m); });
  }

  kernels::RowsWanted wanted() const override
  {
    const auto &a = stored_.arrays();
    if (stored_.summary().long_tables) return {}; // values in long tables are looked up on the host
    return {a.unit.size() + a.node.size() + a.repeated.size() + a.local.size() + a.batch.size() > 0, false, true};
  }

  std::optional<Image> constants() const override
  {
    const image::Summary &s = stored_.summary();
    if (s.entries_in_units == 0 || stored_.arrays().unit_value.size() > 0 || !has_all_in_units(s)) return {};
    return stored_.constants();
  }
  void renew_constants(const Image &m) override { stored_.renew_constants(m); }

  bool refresh(const kernels::DeviceRows<Scalar> &rows) override
  {
    const image::Summary &s = stored_.summary();
    // Pieces that are not known here have to be made anew.
    if (s.entries_in_units + s.entries_in_nodes + s.entries_in_chunks + s.entries_repeated + s.entries_in_local + s.entries_in_batches !=
        rows.nonzeros())
      return false;
    const std::size_t patterns = stored_.arrays().pattern.size();
    if (notes_.size() != 1 + patterns) notes_ = kernels::DeviceArray<unsigned>(1 + patterns);
    unsigned *const misfits = notes_.data();
    notes_.clear();
    kernels::with_rows(
      rows, [&](const auto &view) { Filling(stored_.arrays(), stored_.layout(), view).renew(s.batch_coding, misfits + 1, misfits); });
    unsigned found = 0;
    notes_.download(&found, 1);
    return found == 0;
  }

  Image download() const override { return stored_.download(); }

  void multiply(bool conjugate, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const override
  {
    const Product<S> product(stored_.layout(), conjugate, alpha, x, beta, y);
    if (const std::size_t n = stored_.arrays().batch.size(); n > 0)
      launches_.multiply(stored_.batches(product.x, product.update, conjugate), static_cast<unsigned>(n));
    else launches_.multiply(product);
  }

  bool has_scratch() const override { return stored_.has_scratch(); }

  void add_to(Footprint &f, const std::string &prefix) const override { stored_.add_to(f, prefix); }

private:
  static bool has_all_in_units(const image::Summary &s)
  {
    return s.entries_in_nodes + s.entries_in_chunks + s.entries_repeated + s.entries_in_local + s.entries_in_batches == 0;
  }

  Stored<Scalar> stored_;
  kernels::DeviceArray<unsigned>
              notes_; ///< of a refresh: the mark of misfits, and a unit of each pattern. Kept, as to allocate takes longer than to refresh
  Launches<S> launches_;
};

} // namespace petscspmv::ccoo::device
