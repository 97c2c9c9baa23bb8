#pragma once

/// \file bccoo_device_tiles.cuh
/// The arrays of an image on the device, and the launch of a product.

#include <type_traits>

#include "impls/bccoo/bccoo_device.hpp"
#include "impls/bccoo/bccoo_device_fill.cuh"
#include "impls/bccoo/bccoo_device_kernels.cuh"
#include "kernels/device_array.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_matrix.cuh"
#include "kernels/device_shared_memory.cuh"

namespace petscspmv::bccoo::device {

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
  using S = typename kernels::OnDevice<Scalar>::type;

public:
  void upload(const image::Image<Scalar> &m, int threads) override
  {
    image::for_each_array(
      [threads](const char *, const auto &from, auto &to) {
        if (to.size() != from.size()) to = {};
        if (from.size() == 0) return;
        if (to.size() == 0) to = std::decay_t<decltype(to)>(from.size());
        to.upload(reinterpret_cast<decltype(to.data())>(const_cast<void *>(static_cast<const void *>(from.data()))), threads);
      },
      m, arrays_);
    const std::size_t parts = m.cut.empty() ? 0 : 2 * m.tile.size() * static_cast<std::size_t>(m.shape.rows);
    if (part_.size() != parts) part_ = {};
    if (part_.size() == 0 && parts > 0) part_ = kernels::DeviceArray<S>(parts);
    summary_ = m;
    with_kernel([](auto kernel) { kernels::allow_shared_memory(kernel); });
  }

  bool refresh(const CsrView<Scalar, std::int32_t> &a, int threads_of_host) override { return refill(a, threads_of_host); }
  bool refresh(const CsrView<Scalar, std::int64_t> &a, int threads_of_host) override { return refill(a, threads_of_host); }

  image::Image<Scalar> download() const override
  {
    image::Image<Scalar> m;
    image::for_each_array(
      [](const char *, auto &to, const auto &from) {
        if (from.size() == 0) return;
        resize(to, from.size());
        from.download(reinterpret_cast<decltype(from.data())>(to.data()), from.size());
      },
      m, arrays_);
    static_cast<image::Summary &>(m) = summary_;
    return m;
  }

  void multiply(bool conjugate, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const override
  {
    const Product<S> product{layout(), reinterpret_cast<const S *>(x),
                             kernels::DeviceRowUpdate<S>(S(alpha), S(beta), reinterpret_cast<S *>(y)), conjugate};
    const auto       blocks = [](std::size_t n, std::size_t each) { return static_cast<unsigned>((n + each - 1) / each); };
    const unsigned   all    = blocks(product.a.tiles, tuning::device_warps) +
                         blocks(std::size_t(product.a.vacants) * static_cast<std::size_t>(product.a.height), threads);
    if (all == 0) return;
    with_kernel([&](auto kernel) { kernels::launch(kernel, {all, threads, shared_bytes()}, product); });
    if (product.a.cuts > 0) kernels::launch_with_last(join_kernel<S>, {blocks(product.a.cuts, tuning::device_warps), threads}, product);
  }

  void add_to(Footprint &f, const std::string &prefix) const override
  {
    const auto add = [&](const std::string &name, std::size_t bytes) {
      if (bytes > 0) f.arrays.push_back({prefix + name, bytes, false});
    };
    image::for_each_array([&](const char *name, const auto &array) { add(name, array.bytes()); }, arrays_);
    add("parts of cut block rows", part_.bytes());
  }

private:
  template <class T> static void resize(std::vector<T> &to, std::size_t n) { to.resize(n); }
  static void                    resize(image::Bytes &to, std::size_t n) { to = image::Bytes(n); }

  template <class Index> bool refill(const CsrView<Scalar, Index> &a, int threads_of_host)
  {
    if (!summary_.sorted || summary_.long_tables) return false;
    if (a.nonzeros() == 0) return true;
    const auto                     n   = static_cast<std::size_t>(a.nonzeros());
    const auto                    *val = reinterpret_cast<const S *>(a.val);
    kernels::DeviceArray<Index>    row_ptr(static_cast<std::size_t>(a.rows) + 1);
    kernels::DeviceArray<S>        copy;
    kernels::DeviceArray<unsigned> misfits(1);
    row_ptr.upload(a.row_ptr, threads_of_host);
    if (!kernels::is_on_device(val)) {
      copy = kernels::DeviceArray<S>(n);
      copy.upload(val, threads_of_host);
      val = copy.data();
    }
    misfits.clear();
    const Source<S, Index> from{row_ptr.data(), val, arrays_.begin.data(), arrays_.value.data()};
    constexpr unsigned     warps = 4;
    const auto             tiles = static_cast<unsigned>(arrays_.tile.size());
    kernels::launch(fill_kernel<S, Index>, {(tiles + warps - 1) / warps, warps * image::lanes}, layout(), from, misfits.data());
    unsigned found = 0;
    misfits.download(&found, 1);
    return found == 0;
  }

  /// Of the sums of a block of threads.
  std::size_t shared_bytes() const
  {
    return std::size_t(tuning::device_warps) * summary_.most_ends * static_cast<std::size_t>(summary_.shape.rows) * sizeof(S);
  }

  /// Calls visit(kernel) with the kernel for the matrix.
  template <class Visit> void with_kernel(const Visit &visit) const
  {
    const image::Summary &s    = summary_;
    const auto            each = [&]<int i>(std::integral_constant<int, i>) {
      constexpr int h = i + 1;
      if (s.shape.rows != h) return;
      if (s.shape.cols != h) visit(multiply_kernel<h, Form::blocks, S>);
      else if (s.all_raw) visit(multiply_kernel<h, Form::raw_squares, S>);
      else visit(multiply_kernel<h, Form::squares, S>);
    };
    [&]<int... i>(std::integer_sequence<int, i...>)
    {
      (each(std::integral_constant<int, i>()), ...);
    }
    (std::make_integer_sequence<int, longest_side>());
  }

  Layout<S> layout() const
  {
    const auto           &a = arrays_;
    const image::Summary &s = summary_;
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
            s.rows,
            s.cols,
            s.shape.rows,
            s.shape.cols,
            s.flag_bits,
            s.most_ends};
  }

  Arrays<S>               arrays_;
  kernels::DeviceArray<S> part_;
  image::Summary          summary_;
};

template <class Scalar> void scale(Local n, Scalar beta, Scalar *y)
{
  using S = typename kernels::OnDevice<Scalar>::type;
  const kernels::DeviceRowUpdate<S> update(S(0), S(beta), reinterpret_cast<S *>(y));
  if (n > 0 && !update.adds) kernels::launch(kernels::scale_kernel<S, Local>, kernels::one_thread_each(n), n, update);
}

} // namespace petscspmv::bccoo::device
