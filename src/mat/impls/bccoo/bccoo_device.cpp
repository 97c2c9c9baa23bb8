// A matrix in blocks on the device: analysed on the host.

#include "impls/bccoo/bccoo_device.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <string>

#include "impls/bccoo/bccoo_image_plan.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/device/memory/format.hpp"

namespace petscspmv::bccoo {
namespace {

template <class Scalar> Facts facts_of(const image::Image<Scalar> &m)
{
  const std::int64_t values = m.blocks * m.shape.values(), percent = values > 0 ? (100 * m.zeros + values / 2) / values : 0;
  const auto         wide = std::count_if(m.tile.begin(), m.tile.end(), [](const image::Tile &t) { return t.wide; });
  Facts facts{{"blocks", std::to_string(m.blocks) + " of " + std::to_string(m.shape.rows) + " x " + std::to_string(m.shape.cols)},
              {"zeros in blocks that are no entries", std::to_string(m.zeros) + " (" + std::to_string(percent) + " % of the values)"},
              {"slices", std::to_string(m.slices)},
              {"block rows with blocks", std::to_string(m.segments) + " of " + std::to_string(m.segments + std::ssize(m.vacant))},
              {"block rows that are cut", std::to_string(m.cut.size())},
              {"bits of a word of flags", std::to_string(m.flag_bits)},
              {"sums of block rows wait in", m.in_registers ? "registers" : "shared memory"},
              {"tiles", kernels::counted_codings(m.tile)},
              {"tiles with columns of 32 bits", std::to_string(wide)},
              {"tables of values", std::to_string(m.tables)}};
  if (m.blocks > 0 && m.shape.values() == 1) facts.emplace_back("hint", "there are no dense blocks, so that ccoo suits this matrix better");
  return facts;
}

/// How an image is made of a matrix, see kernels::DeviceFormat.
template <class Scalar, class Index> class Analysis {
  using View = CsrView<Scalar, Index>;

public:
  using Image = image::Image<Scalar>;

  static std::unique_ptr<DeviceTiles<Scalar>> make_tiles() { return make_device_tiles<Scalar>(); }

  Analysis(const View &a, const OptionValues &options, int threads) : a_(a), options_(options), threads_(threads) { }

  kernels::RowsWanted likely() const { return {true, true, true}; }
  void                run() { plan_.emplace(a_, options_, threads_); }

  /// Nothing where columns do not ascend, where there are slices, or where tables are too long to be searched there.
  kernels::RowsWanted wanted() const
  {
    const image::Summary &m     = plan_->outline();
    const bool            wants = m.blocks > 0 && image::is_filled_on_device(m);
    return {wants, wants, wants};
  }

  Image image(const kernels::DeviceRows<Scalar> *rows) const { return Image(a_, *plan_, threads_, rows != nullptr); }
  Facts facts(const Image &m) const { return facts_of(m); }

private:
  const View                                    &a_;
  const OptionValues                            &options_;
  const int                                      threads_;
  std::optional<image::ImagePlan<Scalar, Index>> plan_;
};

} // namespace

template <class Scalar, class Index>
std::unique_ptr<DeviceMatrix<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                                const Execution &execution)
{
  return kernels::make_device_format<Analysis<Scalar, Index>>(a, options, execution);
}

template std::unique_ptr<DeviceMatrix<double, std::int32_t>> make_device_matrix(const CsrView<double, std::int32_t> &, const OptionValues &,
                                                                                const Execution &);
template std::unique_ptr<DeviceMatrix<double, std::int64_t>> make_device_matrix(const CsrView<double, std::int64_t> &, const OptionValues &,
                                                                                const Execution &);
template std::unique_ptr<DeviceMatrix<std::complex<double>, std::int32_t>>
make_device_matrix(const CsrView<std::complex<double>, std::int32_t> &, const OptionValues &, const Execution &);
template std::unique_ptr<DeviceMatrix<std::complex<double>, std::int64_t>>
make_device_matrix(const CsrView<std::complex<double>, std::int64_t> &, const OptionValues &, const Execution &);

} // namespace petscspmv::bccoo
