#pragma once

/// \file bccoo_device_tiles.cuh
/// The arrays of an image on the device, and the launch of a product.

#include <type_traits>

#include "impls/bccoo/bccoo_device.hpp"
#include "impls/bccoo/bccoo_device_blocks.cuh"
#include "impls/bccoo/bccoo_device_fill.cuh"
#include "impls/bccoo/bccoo_device_kernels.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/image.cuh"
#include "kernels/device/memory/rows.cuh"
#include "kernels/device/shared_memory.cuh"

namespace petscspmv::bccoo::device {

using image::for_each_array;

/// S is the device's scalar.
template <class S> struct Arrays {
  kernels::DeviceArray<image::Tile>   tile;
  kernels::DeviceArray<std::uint8_t>  flags;
  kernels::DeviceArray<std::byte>     column, value;
  kernels::DeviceArray<S>             table;
  kernels::DeviceArray<std::uint8_t>  mask;
  kernels::DeviceArray<std::uint64_t> mask_begin;
  kernels::DeviceArray<Local>         filled, vacant;
  kernels::DeviceArray<image::CutRow> cut;
  kernels::DeviceArray<std::int64_t>  begin;
};

template <class Scalar> class Tiles final : public DeviceTiles<Scalar> {
  using S     = typename kernels::OnDevice<Scalar>::type;
  using Image = image::Image<Scalar>;

public:
  void upload(const Image &m, int threads_of_host, const kernels::DeviceRows<Scalar> *rows) override
  {
    stored_.upload(m, threads_of_host);
    const std::size_t parts = m.cut.empty() ? 0 : 2 * m.tile.size() * static_cast<std::size_t>(m.shape.rows);
    if (part_.size() != parts) part_ = kernels::DeviceArray<S>(parts);
    const std::size_t waiting = m.slices > 1 ? static_cast<std::size_t>(m.written()) : 0;
    if (waiting_.size() != waiting) waiting_ = kernels::DeviceArray<S>(waiting);
    with_kernel([](auto kernel) { kernels::allow_shared_memory(kernel); });
    if (rows) kernels::with_rows(*rows, [this](const auto &view) { make(view); });
  }

  kernels::RowsWanted wanted() const override
  {
    const bool filled = image::is_filled_on_device(stored_.summary());
    return {filled, false, filled};
  }

  bool refresh(const kernels::DeviceRows<Scalar> &rows) override
  {
    if (misfits_.size() == 0) misfits_ = kernels::DeviceArray<unsigned>(1);
    misfits_.clear();
    kernels::with_rows(rows, [&](const auto &view) {
      if (stored_.arrays().table.size() > 0) fill<Codes::renewed>(view, misfits_.data());
      fill<Codes::checked>(view, misfits_.data());
    });
    unsigned found = 0;
    misfits_.download(&found, 1);
    return found == 0;
  }

  Image download() const override { return stored_.download(); }

  void multiply(bool conjugate, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const override
  {
    const Product<S> product(layout(), conjugate, alpha, x, beta, y);
    if (waiting_.size() == 0) return multiply(product);
    Product<S> slices = product;
    slices.update     = kernels::DeviceRowUpdate<S>(S(1), S(0), waiting_.data());
    multiply(slices);
    const image::Summary &s = stored_.summary();
    kernels::launch(add_slices_kernel<S>, kernels::one_thread_each(s.rows), waiting_.data(), s.rows, s.block_rows() * s.shape.rows,
                    s.slices, product.update);
  }

  bool has_scratch() const override { return part_.size() + waiting_.size() > 0; }

  void add_to(Footprint &f, const std::string &prefix) const override
  {
    stored_.add_to(f, prefix);
    stored_.add_to(f, prefix + "parts of cut block rows", part_.bytes());
    stored_.add_to(f, prefix + "sums of slices", waiting_.bytes());
  }

private:
  void multiply(const Product<S> &p) const
  {
    const auto     blocks = [](std::size_t n, std::size_t each) { return static_cast<unsigned>((n + each - 1) / each); };
    const unsigned all =
      blocks(p.a.tiles, tuning::device_warps) + blocks(std::size_t(p.a.vacants) * static_cast<std::size_t>(p.a.height), threads);
    if (all == 0) return;
    with_kernel([&](auto kernel) { kernels::launch(kernel, {all, threads, shared_bytes()}, p); });
    if (p.a.cuts > 0) kernels::launch_with_last(join_kernel<S>, {blocks(p.a.cuts, tuning::device_warps), threads}, p);
  }

  /// All that the image has left.
  template <class Index> void make(const RowsView<S, Index> &rows)
  {
    Arrays<S> &a = stored_.arrays();
    a.flags.clear();
    a.column.clear(); // those of blocks that are not there
    a.value.clear();
    const BlockRooms to{reinterpret_cast<std::uint32_t *>(a.flags.data()), a.column.data(), a.mask.data(), a.begin.data()};
    kernels::launch(find_blocks_kernel<S, Index>, kernels::one_warp_each(a.tile.size()), layout(), rows, to);
    kernels::DeviceArray<unsigned> misfits(1); // there are none: codings were chosen for these values
    fill<Codes::written>(rows, misfits.data());
  }

  /// Values alone. The mark is set where one does not fit.
  template <Codes codes, class Index> void fill(const RowsView<S, Index> &rows, unsigned *misfits)
  {
    const Arrays<S>       &a = stored_.arrays();
    const Source<S, Index> from{rows.row_ptr,   rows.val,       a.begin.data(),
                                a.value.data(), a.table.data(), static_cast<unsigned>(a.table.size())};
    kernels::launch(fill_kernel<codes, S, Index>, kernels::one_warp_each(a.tile.size()), layout(), from, misfits);
  }

  /// Of the sums of a block of threads.
  std::size_t shared_bytes() const
  {
    if (stored_.summary().in_registers) return 0;
    const image::Summary &s = stored_.summary();
    return std::size_t(tuning::device_warps) * cache_size(s.most_ends * static_cast<unsigned>(s.shape.rows)) * sizeof(S);
  }

  /// Calls visit(kernel) with the kernel for the matrix.
  template <class Visit> void with_kernel(const Visit &visit) const
  {
    const image::Summary &s    = stored_.summary();
    const auto            each = [&]<int i>(std::integral_constant<int, i>) {
      constexpr int h = i + 1;
      if (s.shape.rows != h) return;
      const auto by_form = [&]<bool in_registers>(std::bool_constant<in_registers>) {
        if (s.shape.cols != h) visit(multiply_kernel<h, Form::blocks, in_registers, S>);
        else if (s.all_raw) visit(multiply_kernel<h, Form::raw_squares, in_registers, S>);
        else visit(multiply_kernel<h, Form::squares, in_registers, S>);
      };
      if (s.in_registers) by_form(std::true_type());
      else by_form(std::false_type());
    };
    [&]<int... i>(std::integer_sequence<int, i...>)
    {
      (each(std::integral_constant<int, i>()), ...);
    }
    (std::make_integer_sequence<int, longest_side>());
  }

  Layout<S> layout() const
  {
    const auto           &a = stored_.arrays();
    const image::Summary &s = stored_.summary();
    return {a.tile.data(),
            static_cast<unsigned>(a.tile.size()),
            a.flags.data(),
            a.column.data(),
            a.value.data(),
            a.table.data(),
            a.mask.data(),
            a.mask_begin.data(),
            a.filled.size() > 0 ? a.filled.data() : nullptr,
            a.vacant.data(),
            static_cast<unsigned>(a.vacant.size()),
            a.cut.data(),
            static_cast<unsigned>(a.cut.size()),
            part_.data(),
            static_cast<Local>(s.written()),
            s.cols,
            s.shape.rows,
            s.shape.cols,
            s.flag_bits,
            s.most_ends};
  }

  kernels::DeviceImage<Image, Arrays<S>> stored_;
  kernels::DeviceArray<S>                part_, waiting_; ///< sums of parts of block rows, and of slices
  kernels::DeviceArray<unsigned>         misfits_;        ///< the mark of a refresh. Kept, as to allocate takes longer than to refresh
};

} // namespace petscspmv::bccoo::device
