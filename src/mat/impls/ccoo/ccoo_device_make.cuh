#pragma once

/// \file ccoo_device_make.cuh
/// The launches that fill the arrays of an image from the rows of its matrix.

#include "impls/ccoo/ccoo_device_arrays.cuh"
#include "impls/ccoo/ccoo_device_fill.cuh"

namespace petscspmv::ccoo::device {

/// S is the device's scalar.
template <class S, class Index> class Filling {
public:
  Filling(const Arrays<S> &arrays, const Layout<S> &layout, const RowsView<S, Index> &rows) : a_(arrays), layout_(layout), rows_(rows) { }

  /// What the image has left.
  template <class Image> void make(const Image &m)
  {
    // One block: to free memory, CUDA waits for what is under way.
    const std::size_t              cols = m.column.is_left() && a_.hot.size() > 0 ? static_cast<std::size_t>(m.cols) : 0;
    kernels::DeviceBlock           block(kernels::DeviceArray<unsigned>::room(1) + kernels::DeviceArray<Local>::room(cols));
    kernels::DeviceArray<unsigned> misfits(1, block); // there are none: codings were chosen for these values
    kernels::DeviceArray<Local>    places(cols, block);
    if (m.unit_value.is_left()) fill_units();
    if (m.column.is_left()) fill_columns(places);
    if (m.value.is_left()) fill_values<true>(misfits.data());
    if (m.node_value.is_left()) fill_nodes();
  }

  /// Values alone, of all pieces. The mark is set where one does not fit. `first` is room for a number of each pattern.
  void renew(Coding of_batches, unsigned *first, unsigned *misfits)
  {
    fill_units();
    renew_patterns(first, misfits);
    renew_weights(misfits);
    renew_repeated(misfits);
    renew_local(misfits);
    renew_tables();
    fill_values<false>(misfits);
    fill_nodes();
    fill_batches(of_batches, misfits);
  }

private:
  static constexpr unsigned chunk_threads = 128, repeated_threads = DeviceGroup::rows;

  template <class T> static unsigned count(const kernels::DeviceArray<T> &array) { return static_cast<unsigned>(array.size()); }

  Streams<S> streams() const
  {
    return {a_.pattern_value.data(), a_.unit_value.data(), a_.column.data(), a_.value.data(), a_.node_value.data()};
  }

  void fill_units() const
  {
    const unsigned n = count(a_.unit);
    if (a_.unit_value.size() > 0) kernels::launch(fill_units_kernel<S, Index>, kernels::one_warp_each(n), layout_, n, rows_, streams());
  }

  void renew_patterns(unsigned *first, unsigned *misfits) const
  {
    const unsigned n = count(a_.unit), patterns = count(a_.pattern);
    if (n == 0) return;
    kernels::check_cuda(cudaMemsetAsync(first, 0xff, patterns * sizeof *first, kernels::current_stream()), "clear memory");
    kernels::launch(first_units_kernel<S>, kernels::one_thread_each(std::int64_t(n)), layout_, n, first);
    kernels::launch(renew_patterns_kernel<S, Index>, kernels::one_warp_each(patterns), layout_, patterns, n, first, rows_, a_.slot.data(),
                    streams());
    kernels::launch(check_units_kernel<S, Index>, kernels::one_warp_each(n), layout_, n, rows_, misfits);
  }

  void renew_weights(unsigned *misfits) const
  {
    const unsigned n = count(a_.slide_slot);
    if (n > 0)
      kernels::launch(renew_weights_kernel<S>, kernels::one_thread_each(std::int64_t(n)), layout_, a_.slide_slot.data(), n,
                      reinterpret_cast<double *>(a_.slide_data.data()), misfits);
  }

  void renew_repeated(unsigned *misfits) const
  {
    const kernels::LaunchShape shape{count(a_.repeated), repeated_threads};
    if (shape.blocks == 0) return;
    kernels::launch(renew_repeated_kernel<S, Index>, shape, layout_, rows_, a_.repeated_value.data());
    kernels::launch(check_repeated_kernel<S, Index>, shape, layout_, rows_, misfits);
  }

  void renew_local(unsigned *misfits) const
  {
    const kernels::LaunchShape shape{count(a_.local), static_cast<unsigned>(image::LocalTile::rows)};
    if (shape.blocks == 0) return;
    kernels::launch(renew_local_kernel<S, Index>, shape, layout_, rows_, a_.local_value.data());
    kernels::launch(check_local_kernel<S, Index>, shape, layout_, rows_, misfits);
  }

  /// `places`: room for one of each column if there are hot columns.
  void fill_columns(kernels::DeviceArray<Local> &places) const
  {
    if (a_.chunk.size() == 0) return;
    if (const unsigned n = count(a_.hot); n > 0) {
      places.fill(0xff);
      kernels::launch(hot_places_kernel, kernels::one_thread_each(std::int64_t(n)), a_.hot.data(), n, places.data());
    }
    kernels::launch(fill_columns_kernel<S, Index>, {count(a_.chunk), chunk_threads}, layout_, a_.origin.data(), rows_.col,
                    places.size() > 0 ? places.data() : nullptr, streams());
  }

  void renew_tables() const
  {
    if (a_.chunk.size() > 0 && a_.table.size() > 0)
      kernels::launch(renew_tables_kernel<S>, {count(a_.chunk), chunk_threads}, layout_, a_.origin.data(), rows_.val, a_.table.data());
  }

  template <bool anew> void fill_values(unsigned *misfits) const
  {
    if (a_.chunk.size() > 0)
      kernels::launch(fill_values_kernel<anew, S>, {count(a_.chunk), chunk_threads}, layout_, a_.origin.data(), rows_.val, streams(),
                      misfits);
  }

  void fill_nodes() const
  {
    const unsigned n = count(a_.node);
    if (n > 0) kernels::launch(fill_nodes_kernel<S, Index>, kernels::one_warp_each(n * warps_of_nodes), layout_, n, rows_, streams());
  }

  void fill_batches(Coding coding, unsigned *misfits) const
  {
    const unsigned n = count(a_.batch);
    if (n == 0) return;
    const BatchRooms<S>        batches{a_.batch.data(), a_.batch_end.data(),   a_.batch_row.data(),
                                a_.table.data(), a_.batch_value.data(), a_.batch_value.bytes() / n};
    const kernels::LaunchShape shape{n, device_batch_threads};
    if (has_codes(coding)) kernels::launch(renew_batch_table_kernel<S, Index>, shape, batches, coding, rows_, a_.table.data());
    kernels::launch(fill_batches_kernel<S, Index>, shape, batches, coding, rows_, misfits);
  }

  const Arrays<S>         &a_;
  const Layout<S>          layout_;
  const RowsView<S, Index> rows_;
};

} // namespace petscspmv::ccoo::device
