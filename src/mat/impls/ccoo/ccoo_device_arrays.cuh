#pragma once

/// \file ccoo_device_arrays.cuh
/// What there is of a matrix on a device: the arrays of its image, and memory that products write to.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "impls/ccoo/tiles/batch_device.cuh"
#include "kernels/device/memory/image.cuh"

namespace petscspmv::ccoo::device {

using image::for_each_array;

/// S is the device's scalar.
template <class S> struct Arrays {
  kernels::DeviceArray<image::Unit>           unit;
  kernels::DeviceArray<image::Pattern>        pattern;
  kernels::DeviceArray<image::Slot<S>>        slot;
  kernels::DeviceArray<std::uint32_t>         lanes_of_slots;
  kernels::DeviceArray<S>                     pattern_value, unit_value;
  kernels::DeviceArray<image::RepeatedTile>   repeated;
  kernels::DeviceArray<std::uint16_t>         repeated_word;
  kernels::DeviceArray<S>                     repeated_value;
  kernels::DeviceArray<Local>                 repeated_offset;
  kernels::DeviceArray<std::int16_t>          repeated_place;
  kernels::DeviceArray<image::RepeatedWindow> repeated_window;
  kernels::DeviceArray<image::LocalTile>      local;
  kernels::DeviceArray<Local>                 local_sector;
  kernels::DeviceArray<std::uint8_t>          local_row;
  kernels::DeviceArray<std::uint16_t>         local_place;
  kernels::DeviceArray<std::uint8_t>          local_code;
  kernels::DeviceArray<S>                     local_value;
  kernels::DeviceArray<image::Chunk>          chunk;
  kernels::DeviceArray<image::ChunkOrigin>    origin;
  kernels::DeviceArray<std::uint32_t>         chunk_order;
  kernels::DeviceArray<std::uint16_t>         end, gap;
  kernels::DeviceArray<std::byte>             column, value;
  kernels::DeviceArray<Local>                 hot;
  kernels::DeviceArray<S>                     table;
  kernels::DeviceArray<image::Slide>          slide;
  kernels::DeviceArray<image::SlideData>      slide_data;
  kernels::DeviceArray<std::uint32_t>         slide_slot;
  kernels::DeviceArray<image::NodeUnit>       node;
  kernels::DeviceArray<image::NodeLane>       node_lane;
  kernels::DeviceArray<std::byte>             node_column;
  kernels::DeviceArray<S>                     node_value;
  kernels::DeviceArray<image::CutRow>         cut;
  kernels::DeviceArray<std::uint32_t>         cut_order;
  kernels::DeviceArray<image::Batch>          batch;
  kernels::DeviceArray<std::uint16_t>         batch_end;
  kernels::DeviceArray<Local>                 batch_row;
  kernels::DeviceArray<std::byte>             batch_column, batch_value;
};

/// Entries of x of a plane, and a few more, for both ends are at multiples of 128 bytes.
inline int slide_room(const image::Summary &s)
{
  const int needs = s.slide_shape.warps * DeviceGroup::rows + s.slide_high - s.slide_low;
  return (needs + 2 * (slide_line - 1)) / slide_line * slide_line;
}

/// Scalar is the host's, S the device's.
template <class Scalar, class S = typename kernels::OnDevice<Scalar>::type>
class Stored : public kernels::DeviceImage<image::Image<Scalar>, Arrays<S>> {
  using Base = kernels::DeviceImage<image::Image<Scalar>, Arrays<S>>;

public:
  void upload(const image::Image<Scalar> &m, int threads)
  {
    Base::upload(m, threads, kernels::Sized{part_, m.cut.empty() ? 0 : m.chunk.size()}, kernels::Sized{arrived_, m.cut.size()},
                 kernels::Sized{batch_part_, m.rows_in_parts > 0 ? m.batch.size() : 0}, kernels::Sized{hot_x_, m.hot.size()});
    arrived_.clear();
    batch_part_.fill(0xff); // no_sum
  }

  /// What renew_constants() looks at; the rest stays there.
  image::Image<Scalar> constants() const
  {
    const auto          &a = this->arrays();
    image::Image<Scalar> m;
    static_cast<image::Summary &>(m) = this->summary();
    Base::download(m.unit, a.unit);
    Base::download(m.pattern, a.pattern);
    Base::download(m.slot, a.slot);
    Base::download(m.lanes_of_slots, a.lanes_of_slots);
    Base::download(m.pattern_value, a.pattern_value);
    Base::download(m.slide_data, a.slide_data);
    Base::download(m.slide_slot, a.slide_slot);
    return m;
  }
  /// What it changes.
  void renew_constants(const image::Image<Scalar> &m)
  {
    Base::renew(m.slot, this->arrays().slot);
    Base::renew(m.pattern_value, this->arrays().pattern_value);
    Base::renew(m.slide_data, this->arrays().slide_data);
  }

  /// Products write it.
  bool has_scratch() const { return part_.size() + batch_part_.size() + hot_x_.size() > 0; }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    Base::add_to(f, prefix);
    Base::add_to(f, prefix + "parts of cut rows", part_.bytes() + arrived_.bytes() + batch_part_.bytes());
    Base::add_to(f, prefix + "x of hot columns", hot_x_.bytes());
  }

  Layout<S> layout() const
  {
    const auto           &a = this->arrays();
    const image::Summary &s = this->summary();
    return {a.unit.data(),
            s.plain_units,
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
            a.repeated_place.data(),
            a.repeated_window.data(),
            s.most_kept,
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
            s.cols,
            s.stride,
            s.slide_low,
            slide_room(s),
            s.slide_shape.chains,
            s.slide_shape.singles,
            a.node.data(),
            a.node_lane.data(),
            a.node_column.data(),
            a.node_value.data(),
            a.cut.data(),
            a.cut_order.data(),
            static_cast<unsigned>(a.cut.size()),
            s.short_cuts,
            part_.data(),
            arrived_.data(),
            s.most_ends};
  }

  /// The same for batches.
  BatchProduct<S> batches(const S *x, const kernels::DeviceRowUpdate<S> &update, bool conjugate) const
  {
    const auto &a = this->arrays();
    return {a.batch.data(),
            a.batch_end.data(),
            a.batch_row.data(),
            a.batch_column.data(),
            a.batch_value.data(),
            a.table.data(),
            batch_part_.data(),
            x,
            update,
            conjugate};
  }

private:
  kernels::DeviceArray<Parts<S>> part_;
  kernels::DeviceArray<unsigned> arrived_;
  kernels::DeviceArray<S>        batch_part_;
  kernels::DeviceArray<S>        hot_x_;
};

} // namespace petscspmv::ccoo::device
