// The rooms of an image, filled on the host.

#include <algorithm>
#include <complex>
#include <cstring>

#include "impls/bccoo/bccoo_image_codes.hpp"
#include "impls/bccoo/bccoo_image_plan.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::bccoo::image {
namespace {

/// Flags of blocks at ends of block rows and, if there are zeros, masks.
template <class Scalar, class Index> void fill_structure(Image<Scalar> &m, std::size_t number, const Content<Scalar, Index> &content)
{
  const Tile         &t     = m.tile[number];
  std::uint8_t *const flags = m.flags.data() + number * flag_bytes(m);
  std::memset(flags, 0, flag_bytes(m));
  for (int b = 0; b < t.blocks; ++b)
    if (content.ends[static_cast<std::size_t>(b)]) {
      const std::size_t bit = flag_bit(m, place_in_tile(b, t.lane_blocks, t.scattered_lanes));
      flags[bit / 8]        = static_cast<std::uint8_t>(flags[bit / 8] | 1 << bit % 8);
    }
  if (!t.zeros) return;
  std::uint8_t *mask = m.mask.data() + m.mask_begin[number];
  for (std::uint64_t bits : content.masks)
    for (std::size_t i = 0; i < mask_bytes(m.shape); ++i, bits >>= 8) *mask++ = static_cast<std::uint8_t>(bits);
}

/// Those of blocks that are not there are read, and used for nothing.
template <class Column> void fill_columns(const Tile &t, const std::vector<Local> &columns, std::byte *to)
{
  auto *const out = reinterpret_cast<Column *>(to);
  if (t.blocks < lanes * t.lane_blocks) std::memset(out, 0, column_bytes(t));
  for (int b = 0; b < t.blocks; ++b) {
    const Place p                     = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
    out[place_of_column(p.lane, p.k)] = static_cast<Column>(columns[static_cast<std::size_t>(b)] - t.least);
  }
}

/// `natural` is for reuse.
template <class Scalar>
void fill_values(const Image<Scalar> &m, const Tile &t, const std::vector<Scalar> &values, const std::vector<Scalar> &table,
                 kernels::ValueEncoder<Scalar> &encoder, std::vector<std::byte> &natural)
{
  std::byte *const out  = m.value.data() + t.value * grain;
  const auto      *from = reinterpret_cast<const std::byte *>(values.data());
  if (t.blocks < lanes * t.lane_blocks || coding_of(t) == Coding::table16) std::memset(out, 0, value_bytes<Scalar>(m, t));
  if (coding_of(t) != Coding::raw) {
    natural.resize(kernels::coded_bytes<Scalar>(coding_of(t), values.size()));
    encoder.encode(coding_of(t), table, values, natural.data());
    from = natural.data();
  }
  reorder_codes<Scalar, CodesTo::lanes>(m, t, from, out);
}

template <class Scalar, class Index>
void fill(const CsrView<Scalar, Index> &a, const ImagePlan<Scalar, Index> &plan, int threads, Image<Scalar> &m)
{
  constexpr std::int64_t batch = 32;
  kernels::try_each_batch(threads, std::ssize(m.tile), batch, [&](std::int64_t first, std::int64_t last) {
    auto                          reader = plan.reader();
    Content<Scalar, Index>        content;
    kernels::ValueEncoder<Scalar> encoder;
    std::vector<std::byte>        natural;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const Tile      &t      = m.tile[i];
      std::byte *const column = m.column.data() + t.column * grain;
      content.read(a.val, m.shape, t.blocks, plan.walk(reader, t));
      fill_structure(m, i, content);
      if (t.wide) fill_columns<std::uint32_t>(t, content.columns, column);
      else fill_columns<std::uint16_t>(t, content.columns, column);
      fill_values(m, t, content.values, plan.table_of(i), encoder, natural);
    }
  });
}

} // namespace

template <class Scalar>
template <class Index>
Image<Scalar>::Image(const CsrView<Scalar, Index> &a, const ImagePlan<Scalar, Index> &plan, int threads, bool left)
  : Outline<Scalar>(plan.outline()), flags(this->tile.size() * flag_bytes(*this)), column(this->column_bytes), value(this->value_bytes),
    mask(this->mask_bytes)
{
  if (left) {
    flags.leave();
    column.leave();
    value.leave();
    mask.leave();
  } else fill(a, plan, threads, *this);
}

template Image<double>::Image(const CsrView<double, std::int32_t> &, const ImagePlan<double, std::int32_t> &, int, bool);
template Image<double>::Image(const CsrView<double, std::int64_t> &, const ImagePlan<double, std::int64_t> &, int, bool);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int32_t> &,
                                            const ImagePlan<std::complex<double>, std::int32_t> &, int, bool);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int64_t> &,
                                            const ImagePlan<std::complex<double>, std::int64_t> &, int, bool);

} // namespace petscspmv::bccoo::image
