#pragma once

/// \file ccoo_device_tiles.cuh
/// The arrays of an image on the device, and the launch of a product.

#include <algorithm>

#include "impls/ccoo/ccoo_device.hpp"
#include "impls/ccoo/ccoo_device_fill.cuh"
#include "impls/ccoo/ccoo_device_kernels.cuh"
#include "kernels/device_array.cuh"
#include "kernels/device_beside.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_residency.cuh"
#include "kernels/device_shared_memory.cuh"
#include "kernels/device_transpose.cuh"

namespace petscspmv::ccoo::device {

/// S is the device's scalar.
template <class S> struct Arrays {
  kernels::DeviceArray<image::Unit>         unit;
  kernels::DeviceArray<image::Pattern>      pattern;
  kernels::DeviceArray<image::Slot<S>>      slot;
  kernels::DeviceArray<std::uint32_t>       lanes_of_slots;
  kernels::DeviceArray<S>                   pattern_value, unit_value;
  kernels::DeviceArray<image::RepeatedTile> repeated;
  kernels::DeviceArray<std::uint16_t>       repeated_word;
  kernels::DeviceArray<S>                   repeated_value;
  kernels::DeviceArray<Local>               repeated_offset;
  kernels::DeviceArray<image::LocalTile>    local;
  kernels::DeviceArray<Local>               local_sector;
  kernels::DeviceArray<std::uint8_t>        local_row;
  kernels::DeviceArray<std::uint16_t>       local_place;
  kernels::DeviceArray<std::uint8_t>        local_code;
  kernels::DeviceArray<S>                   local_value;
  kernels::DeviceArray<image::Chunk>        chunk;
  kernels::DeviceArray<image::ChunkOrigin>  origin;
  kernels::DeviceArray<std::uint32_t>       chunk_order;
  kernels::DeviceArray<std::uint16_t>       end, gap;
  kernels::DeviceArray<std::byte>           column, value;
  kernels::DeviceArray<Local>               hot;
  kernels::DeviceArray<S>                   table;
  kernels::DeviceArray<image::Slide>        slide;
  kernels::DeviceArray<image::SlideData>    slide_data;
  kernels::DeviceArray<std::uint32_t>       slide_slot;
  kernels::DeviceArray<image::NodeUnit>     node;
  kernels::DeviceArray<image::NodeLane>     node_lane;
  kernels::DeviceArray<std::byte>           node_column;
  kernels::DeviceArray<S>                   node_value;
  kernels::DeviceArray<image::CutRow>       cut;
  kernels::DeviceArray<std::uint32_t>       cut_order;
  kernels::DeviceArray<image::Batch>        batch;
  kernels::DeviceArray<std::uint16_t>       batch_end;
  kernels::DeviceArray<Local>               batch_row;
  kernels::DeviceArray<std::byte>           batch_column, batch_value;
};

template <class Scalar> class Tiles final : public DeviceTiles<Scalar> {
  using S = typename kernels::OnDevice<Scalar>::type;

public:
  void upload(const image::Image<Scalar> &m, int threads, const DeviceRows<Scalar> *rows) override
  {
    image::for_each_array(
      [threads](const char *, const auto &from, auto &to) {
        if (to.size() != from.size()) to = {};
        if (from.size() == 0) return;
        if (to.size() == 0) to = std::decay_t<decltype(to)>(from.size());
        if (!is_left(from))
          to.upload(reinterpret_cast<decltype(to.data())>(const_cast<void *>(static_cast<const void *>(from.data()))), threads);
      },
      m, arrays_);
    if (part_.size() != m.chunk.size() && !m.cut.empty()) part_ = kernels::DeviceArray<Parts<S>>(m.chunk.size());
    if (arrived_.size() != m.cut.size()) arrived_ = kernels::DeviceArray<unsigned>(m.cut.size());
    arrived_.clear();
    if (const std::size_t parts = m.rows_in_parts > 0 ? m.batch.size() : 0; batch_part_.size() != parts)
      batch_part_ = kernels::DeviceArray<S>(parts);
    if (batch_part_.size() > 0) // no_sum
      kernels::check_cuda(cudaMemsetAsync(batch_part_.data(), 0xff, batch_part_.bytes(), kernels::current_stream()), "clear memory");
    summary_ = m;
    if (!m.slide.empty()) prepare_slides();
    if (hot_x_.size() != m.hot.size()) hot_x_ = kernels::DeviceArray<S>(m.hot.size());
    if (!m.hot.empty()) prepare_hot();
    if (takes_consecutive()) prepare_consecutive();
    if (!m.local.empty()) prepare_local();
    if (rows) with_rows(*rows, [&](const auto &view) { make(view, m); });
  }

  RowsWanted wanted() const override
  {
    const auto &a = arrays_;
    return {a.unit.size() + a.node.size() + a.repeated.size() + a.local.size() + a.batch.size() > 0, false, true};
  }

  bool refresh(const DeviceRows<Scalar> &rows) override
  {
    const image::Summary &s = summary_;
    // Values in long tables are looked up on the host, and pieces that are not known here have to be made anew.
    if (s.long_tables ||
        s.entries_in_units + s.entries_in_nodes + s.entries_in_chunks + s.entries_repeated + s.entries_in_local + s.entries_in_batches !=
          rows.nonzeros())
      return false;
    kernels::DeviceArray<unsigned> misfits(1);
    misfits.clear();
    with_rows(rows, [&](const auto &view) { renew(view, misfits.data()); });
    unsigned found = 0;
    misfits.download(&found, 1);
    return found == 0;
  }

  std::size_t most_hot() const override
  {
    if (sizeof(S) > sizeof(double)) return 0;
    int bytes = 0;
    kernels::check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, kernels::current_device()),
                        "tell the size of its shared memory");
    return std::min(tuning::device_hot_columns, static_cast<std::size_t>(bytes) / sizeof(S));
  }

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
    const kernels::DeviceRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (arrays_.batch.size() > 0) return launch_batches(reinterpret_cast<const S *>(x), update, conjugate);
    const Product<S>        product{layout(), reinterpret_cast<const S *>(x), update, conjugate};
    kernels::LaunchesBeside launches;
    launch_nodes(product, launches);
    launch_repeated(product, launches);
    launch_local(product, launches);
    const Layout<S> &a       = product.a;
    const bool       by_slot = a.chunks == 0 && summary_.all_by_slot;
    if (a.slides > 0) {
      launch_slides(product, by_slot, launches);
      if (by_slot) return;
    }
    if (a.hots > 0) return launch_hot(product, launches);
    if (by_slot) return launch<Work::units_by_slot>(product, launches);
    if (a.chunks == 0) return launch<Work::units>(product, launches);
    if (a.chunks <= tuning::device_few_chunks) return launch<Work::few_chunks>(product, launches);
    if (takes_consecutive()) launch_consecutive(product, launches);
    else if (a.most_ends > tuning::device_most_staged) launch<Work::rows_chunks>(product, launches);
    else if (summary_.all_raw) launch<Work::raw_chunks>(product, launches);
    else launch<Work::chunks>(product, launches);
    if (a.cuts > 0) join(product);
  }

  void add_to(Footprint &f, const std::string &prefix) const override
  {
    const auto add = [&](const std::string &name, std::size_t bytes) {
      if (bytes > 0) f.arrays.push_back({prefix + name, bytes, false});
    };
    image::for_each_array([&](const char *name, const auto &array) { add(name, array.bytes()); }, arrays_);
    add("parts of cut rows", part_.bytes() + arrived_.bytes() + batch_part_.bytes());
    add("x of hot columns", hot_x_.bytes());
  }

private:
  template <class T> static bool is_left(const std::vector<T> &) { return false; }
  template <class T> static bool is_left(const image::Room<T> &room) { return room.is_left(); }

  Streams<S> streams() const
  {
    const auto &a = arrays_;
    return {a.pattern_value.data(), a.unit_value.data(), a.column.data(), a.value.data(), a.node_column.data(), a.node_value.data()};
  }
  /// A warp for each of n things.
  static kernels::LaunchShape warps_for(std::size_t n)
  {
    constexpr unsigned warps = 4;
    return {static_cast<unsigned>((n + warps - 1) / warps), warps * image::lanes};
  }
  static constexpr unsigned chunk_threads = 128;

  /// What the image has left.
  template <class Index> void make(const RowsView<S, Index> &rows, const image::Image<Scalar> &m)
  {
    const auto     &a = arrays_;
    const Layout<S> l = layout();
    const auto      n = static_cast<unsigned>(a.unit.size()), chunks = static_cast<unsigned>(a.chunk.size());
    if (m.unit_value.is_left() && a.unit_value.size() > 0)
      kernels::launch(fill_units_kernel<S, Index>, warps_for(n), l, n, rows, streams());
    if (m.column.is_left() && chunks > 0) {
      kernels::DeviceArray<Local> places(a.hot.size() > 0 ? static_cast<std::size_t>(m.cols) : 0);
      if (places.size() > 0) {
        kernels::check_cuda(cudaMemsetAsync(places.data(), 0xff, places.bytes(), kernels::current_stream()), "clear memory");
        const auto hots = static_cast<Local>(a.hot.size());
        kernels::launch(hot_places_kernel, kernels::one_thread_each(hots), a.hot.data(), static_cast<unsigned>(hots), places.data());
      }
      kernels::launch(fill_columns_kernel<S, Index>, {chunks, chunk_threads}, l, a.origin.data(), rows.col,
                      places.size() > 0 ? places.data() : nullptr, streams());
    }
    kernels::DeviceArray<unsigned> misfits(1); // there are none: codings were chosen for these values
    if (m.value.is_left() && chunks > 0)
      kernels::launch(fill_values_kernel<S, Index>, {chunks, chunk_threads}, l, a.origin.data(), rows.val, streams(), misfits.data());
    if (m.node_value.is_left() && a.node.size() > 0)
      kernels::launch(fill_nodes_kernel<S, Index>, warps_for(a.node.size()), l, static_cast<unsigned>(a.node.size()), rows, streams(),
                      true);
  }

  /// Values alone, of all pieces.
  template <class Index> void renew(const RowsView<S, Index> &rows, unsigned *misfits)
  {
    const auto     &a = arrays_;
    const Layout<S> l = layout();
    const auto      n = static_cast<unsigned>(a.unit.size()), chunks = static_cast<unsigned>(a.chunk.size()),
               patterns = static_cast<unsigned>(a.pattern.size()), repeats = static_cast<unsigned>(a.repeated.size());
    kernels::DeviceArray<unsigned> first(patterns);
    if (a.unit_value.size() > 0) kernels::launch(fill_units_kernel<S, Index>, warps_for(n), l, n, rows, streams());
    if (n > 0) {
      kernels::check_cuda(cudaMemsetAsync(first.data(), 0xff, first.bytes(), kernels::current_stream()), "clear memory");
      kernels::launch(first_units_kernel<S>, kernels::one_thread_each(static_cast<std::int64_t>(n)), l, n, first.data());
      kernels::launch(renew_patterns_kernel<S, Index>, warps_for(patterns), l, patterns, n, first.data(), rows, a.slot.data(), streams());
      kernels::launch(check_units_kernel<S, Index>, warps_for(n), l, n, rows, misfits);
    }
    if (const auto weights = static_cast<unsigned>(a.slide_slot.size()); weights > 0)
      kernels::launch(renew_weights_kernel<S>, kernels::one_thread_each(static_cast<std::int64_t>(weights)), l, a.slide_slot.data(),
                      weights, reinterpret_cast<double *>(a.slide_data.data()), misfits);
    if (repeats > 0) {
      kernels::launch(renew_repeated_kernel<S, Index>, {repeats, static_cast<unsigned>(DeviceGroup::rows)}, l, rows,
                      a.repeated_value.data());
      kernels::launch(check_repeated_kernel<S, Index>, {repeats, static_cast<unsigned>(DeviceGroup::rows)}, l, rows, misfits);
    }
    if (const auto locals = static_cast<unsigned>(a.local.size()); locals > 0) {
      const kernels::LaunchShape shape{locals, static_cast<unsigned>(image::LocalTile::rows)};
      kernels::launch(renew_local_kernel<S, Index>, shape, l, rows, a.local_value.data());
      kernels::launch(check_local_kernel<S, Index>, shape, l, rows, misfits);
    }
    if (chunks > 0)
      kernels::launch(fill_values_kernel<S, Index>, {chunks, chunk_threads}, l, a.origin.data(), rows.val, streams(), misfits);
    if (a.node.size() > 0)
      kernels::launch(fill_nodes_kernel<S, Index>, warps_for(a.node.size()), l, static_cast<unsigned>(a.node.size()), rows, streams(),
                      false);
    if (a.batch.size() > 0) {
      const BatchRooms<S> batches{a.batch.data(), a.batch_end.data(),   a.batch_row.data(),
                                  a.table.data(), a.batch_value.data(), a.batch_value.bytes() / a.batch.size()};
      kernels::launch(fill_batches_kernel<S, Index>, {static_cast<unsigned>(a.batch.size()), device_batch_threads}, batches,
                      summary_.batch_coding, rows, misfits);
    }
  }

  template <Coding coding> void launch_batches(const BatchProduct<S> &p) const
  {
    const kernels::LaunchShape shape{static_cast<unsigned>(arrays_.batch.size()), device_batch_threads};
    if (summary_.batch_wide) kernels::launch(batch_kernel<coding, true, S>, shape, p);
    else kernels::launch(batch_kernel<coding, false, S>, shape, p);
  }
  void launch_batches(const S *x, const kernels::DeviceRowUpdate<S> &update, bool conjugate) const
  {
    const auto           &a = arrays_;
    const BatchProduct<S> p{a.batch.data(),
                            a.batch_end.data(),
                            a.batch_row.data(),
                            a.batch_column.data(),
                            a.batch_value.data(),
                            a.table.data(),
                            batch_part_.data(),
                            x,
                            update,
                            conjugate};
    switch (summary_.batch_coding) {
    case Coding::constant:
      return launch_batches<Coding::constant>(p);
    case Coding::table16:
      return launch_batches<Coding::table16>(p);
    case Coding::table256:
      return launch_batches<Coding::table256>(p);
    case Coding::table65536:
      return launch_batches<Coding::table65536>(p);
    case Coding::single:
      return launch_batches<Coding::single>(p);
    default:
      return launch_batches<Coding::raw>(p);
    }
  }

  template <class T> static void resize(std::vector<T> &to, std::size_t n) { to.resize(n); }
  template <class T> static void resize(image::Room<T> &to, std::size_t n) { to = image::Room<T>(n); }

  template <Work work> static void launch(const Product<S> &p, kernels::LaunchesBeside &launches)
  {
    constexpr unsigned warps  = BlockShape<work, S>::warps;
    const unsigned     blocks = (p.a.units + warps - 1) / warps + (p.a.chunks + warps - 1) / warps;
    if (blocks == 0) return;
    constexpr bool    stages = has_chunks<work> && work != Work::rows_chunks;
    const std::size_t shared = stages ? warps * p.a.most_ends * sizeof(S) : 0;
    launches.launch(multiply_kernel<work, S>, {blocks, warps * image::lanes, shared}, p);
  }
  bool takes_consecutive() const
  {
    return summary_.consecutive && arrays_.chunk.size() > tuning::device_few_chunks && summary_.most_ends <= tuning::device_most_staged;
  }
  /// Calls visit(kernel, bytes of shared memory) with the kernel for consecutive chunks.
  template <class Visit> void with_consecutive_kernel(const Visit &visit) const
  {
    const std::size_t shared = consecutive_warps<S> * summary_.most_ends * sizeof(S);
    if (summary_.all_raw) visit(consecutive_kernel<Work::raw_chunks, S>, shared);
    else visit(consecutive_kernel<Work::chunks, S>, shared);
  }
  void prepare_consecutive()
  {
    with_consecutive_kernel([this](auto kernel, std::size_t shared) {
      kernels::allow_shared_memory(kernel);
      consecutive_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, consecutive_warps<S> * image::lanes, shared));
    });
  }
  void launch_consecutive(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    with_consecutive_kernel([&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {consecutive_blocks_, consecutive_warps<S> * image::lanes, shared}, p);
    });
  }
  /// Calls visit(kernel, warps) with the kernel of the shape.
  template <class Visit> void with_slide_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      const auto each = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
        constexpr image::SlideShape shape = image::slide_shapes[i];
        if (summary_.slide_shape == static_cast<int>(i)) visit(slide_kernel<shape.chains, shape.singles, shape.warps>, shape.warps);
      };
      [&]<std::size_t... i>(std::index_sequence<i...>)
      {
        (each(std::integral_constant<std::size_t, i>()), ...);
      }
      (std::make_index_sequence<image::slide_shapes.size()>());
    }
  }
  /// Entries of x of a plane, and a few more, for both ends are at multiples of 16 bytes.
  int slide_room() const
  {
    const int warps = image::slide_shapes[static_cast<std::size_t>(summary_.slide_shape)].warps;
    return (warps * DeviceGroup::rows + summary_.slide_high - summary_.slide_low + 3 + 15) / 16 * 16;
  }
  std::size_t slide_bytes() const { return static_cast<std::size_t>(slide_room()) * tuning::device_slide_stages * sizeof(double); }

  void prepare_slides() const
  {
    with_slide_kernel([](auto kernel, int) { kernels::allow_shared_memory(kernel); });
  }
  /// With `units`, those that do not slide, too.
  void launch_slides(const Product<S> &p, bool units, kernels::LaunchesBeside &launches) const
  {
    with_slide_kernel([&](auto kernel, int warps) {
      const auto w = static_cast<unsigned>(warps), others = units ? (p.a.units + w - 1) / w : 0;
      launches.launch(kernel, {p.a.slides + others, w * image::lanes, slide_bytes()}, p);
    });
  }
  /// One launch for each number of rows that a node has.
  void launch_nodes(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    constexpr unsigned warps  = tuning::device_node_warps;
    unsigned           first  = 0;
    const auto         launch = [&](auto kernel, unsigned n) {
      if (n > 0) launches.launch(kernel, {(n + warps - 1) / warps, warps * image::lanes}, p, first, first + n);
      first += n;
    };
    launch(node_kernel<2, S>, summary_.units_of_nodes[2]);
    launch(node_kernel<3, S>, summary_.units_of_nodes[3]);
    launch(node_kernel<4, S>, summary_.units_of_nodes[4]);
    launch(node_kernel<5, S>, summary_.units_of_nodes[5]);
    launch(node_kernel<6, S>, summary_.units_of_nodes[6]);
  }
  static void launch_repeated(const Product<S> &p, kernels::LaunchesBeside &launches)
  {
    constexpr unsigned warps = tuning::device_repeated_warps;
    if (p.a.repeats == 0) return;
    const kernels::LaunchShape shape{p.a.repeats, warps * image::lanes, p.a.most_kept * (sizeof(S) + sizeof(Local))};
    launches.launch(repeated_kernel<S>, shape, p);
  }
  /// Calls visit(kernel, shape but for the number of blocks) with the kernel for local tiles, which are of real numbers.
  template <class Visit> static void with_local_kernel(const Visit &visit)
  {
    if constexpr (sizeof(S) == sizeof(double))
      visit(local_kernel<S>, kernels::LaunchShape{1, tuning::device_local_groups * image::LocalTile::rows, sizeof(LocalBlock<S>)});
  }
  void prepare_local()
  {
    with_local_kernel([this](auto kernel, const kernels::LaunchShape &shape) {
      kernels::allow_shared_memory(kernel);
      local_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, shape.threads, shape.shared));
    });
  }
  void launch_local(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    if (p.a.locals == 0) return;
    with_local_kernel([&](auto kernel, kernels::LaunchShape shape) {
      shape.blocks = local_blocks_;
      launches.launch(kernel, shape, p);
    });
  }
  /// Calls visit(kernel) with the kernel for chunks with hot columns.
  template <class Visit> void with_hot_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      if (summary_.all_raw) visit(hot_kernel<true, S>);
      else visit(hot_kernel<false, S>);
    }
  }
  void prepare_hot()
  {
    with_hot_kernel([this](auto kernel) {
      kernels::allow_shared_memory(kernel);
      hot_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, tuning::device_hot_warps * image::lanes, hot_x_.bytes()));
    });
  }
  /// Units, then chunks.
  void launch_hot(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    constexpr unsigned threads = 256;
    Product<S>         units   = p;
    units.a.chunks             = 0;
    if (summary_.all_by_slot) launch<Work::units_by_slot>(units, launches);
    else launch<Work::units>(units, launches);
    kernels::launch(pack_hot_kernel<S>, {(p.a.hots + threads - 1) / threads, threads}, p);
    with_hot_kernel([&](auto kernel) {
      kernels::launch(kernel, {hot_blocks_, tuning::device_hot_warps * image::lanes, hot_x_.bytes()}, p);
    });
    if (p.a.cuts > 0) join(p);
  }
  static void join(const Product<S> &p)
  {
    constexpr unsigned threads = 128;
    const unsigned     all = (p.a.short_cuts + image::lanes - 1) / image::lanes * image::lanes + (p.a.cuts - p.a.short_cuts) * image::lanes;
    kernels::launch_with_last(join_kernel<S>, {(all + threads - 1) / threads, threads}, p);
  }

  Layout<S> layout() const
  {
    const auto &a = arrays_;
    return {a.unit.data(),
            summary_.plain_units,
            a.pattern.data(),
            a.slot.data(),
            a.lanes_of_slots.data(),
            a.pattern_value.data(),
            a.unit_value.data(),
            a.repeated.data(),
            static_cast<unsigned>(a.repeated.size()),
            a.repeated_word.data(),
            a.repeated_value.data(),
            a.repeated_offset.data(),
            summary_.most_kept,
            a.local.data(),
            static_cast<unsigned>(a.local.size()),
            a.local_sector.data(),
            a.local_row.data(),
            a.local_place.data(),
            a.local_code.data(),
            a.local_value.data(),
            a.chunk.data(),
            static_cast<unsigned>(a.chunk.size()),
            a.chunk_order.size() > 0 ? a.chunk_order.data() : nullptr,
            a.end.data(),
            a.gap.data(),
            a.column.data(),
            a.value.data(),
            a.hot.data(),
            static_cast<unsigned>(a.hot.size()),
            hot_x_.data(),
            a.table.data(),
            a.slide.data(),
            static_cast<unsigned>(a.slide.size()),
            a.slide_data.data(),
            summary_.cols,
            summary_.stride,
            summary_.slide_low,
            slide_room(),
            a.node.data(),
            a.node_lane.data(),
            a.node_column.data(),
            a.node_value.data(),
            a.cut.data(),
            a.cut_order.data(),
            static_cast<unsigned>(a.cut.size()),
            summary_.short_cuts,
            part_.data(),
            arrived_.data(),
            summary_.most_ends};
  }

  Arrays<S>                      arrays_;
  kernels::DeviceArray<Parts<S>> part_;
  kernels::DeviceArray<unsigned> arrived_;
  kernels::DeviceArray<S>        batch_part_;
  kernels::DeviceArray<S>        hot_x_;
  unsigned                       hot_blocks_ = 0, consecutive_blocks_ = 0, local_blocks_ = 0;
  image::Summary                 summary_;
};

template <class S> __global__ void scale_kernel(Local n, const kernels::DeviceRowUpdate<S> update)
{
  const Local i = Local(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) update.empty(i);
}

template <class Scalar> void scale(Local n, Scalar beta, Scalar *y)
{
  using S = typename kernels::OnDevice<Scalar>::type;
  const kernels::DeviceRowUpdate<S> update(S(0), S(beta), reinterpret_cast<S *>(y));
  if (n > 0 && !update.adds) kernels::launch(scale_kernel<S>, kernels::one_thread_each(n), n, update);
}

} // namespace petscspmv::ccoo::device
