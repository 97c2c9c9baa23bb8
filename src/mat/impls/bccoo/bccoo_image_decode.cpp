// An image back to entries.

#include <complex>

#include "impls/bccoo/bccoo_image_codes.hpp"

namespace petscspmv::bccoo::image {
namespace {

std::uint64_t mask_of(const std::uint8_t *masks, std::size_t size, int b)
{
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) bits |= std::uint64_t(masks[static_cast<std::size_t>(b) * size + i]) << 8 * i;
  return bits;
}

template <class Scalar, class Visit> void decode_tile(const Image<Scalar> &m, std::size_t number, const Visit &visit)
{
  const Tile            &t    = m.tile[number];
  const auto             area = static_cast<std::size_t>(m.shape.values());
  const std::uint64_t    all  = ~std::uint64_t(0) >> (64 - area);
  std::vector<std::byte> natural(kernels::coded_bytes<Scalar>(coding_of(t), t.blocks * area) + kernels::coded_slack);
  reorder_codes<Scalar, CodesTo::blocks>(m, t, m.value.data() + t.value * grain, natural.data());
  const std::uint8_t *const flags  = m.flags.data() + number * flag_bytes(m);
  const std::byte *const    column = m.column.data() + t.column * grain;
  Local                     k      = t.segment;
  kernels::with_coding(coding_of(t), natural.data(), m.table.data() + t.table, [&](const auto &values) {
    for (int b = 0; b < t.blocks; ++b) {
      const Place       p  = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
      const std::size_t at = place_of_column(p.lane, p.k);
      const auto  offset   = t.wide ? kernels::read_as<std::uint32_t>(column + 4 * at) : kernels::read_as<std::uint16_t>(column + 2 * at);
      const Local first    = first_column(t.least + static_cast<Local>(offset), m.shape.cols, m.cols);
      const Local row      = (m.filled.empty() ? k : m.filled[static_cast<std::size_t>(k)]) % m.block_rows() * m.shape.rows;
      const std::uint64_t mask = t.zeros ? mask_of(m.mask.data() + m.mask_begin[number], mask_bytes(m.shape), b) : all;
      for (int i = 0; i < m.shape.rows; ++i)
        for (int j = 0; j < m.shape.cols; ++j)
          if (const int q = m.shape.place(i, j); mask >> q & 1) visit(row + i, first + j, values[b * static_cast<std::int64_t>(area) + q]);
      const std::size_t bit = flag_bit(m, p);
      k += flags[bit / 8] >> bit % 8 & 1;
    }
  });
}

} // namespace

template <class Scalar> void Image<Scalar>::decode(const std::function<void(Local, Local, Scalar)> &visit) const
{
  for (std::size_t i = 0; i < this->tile.size(); ++i) decode_tile(*this, i, visit);
}

template void Image<double>::decode(const std::function<void(Local, Local, double)> &) const;
template void Image<std::complex<double>>::decode(const std::function<void(Local, Local, std::complex<double>)> &) const;

} // namespace petscspmv::bccoo::image
