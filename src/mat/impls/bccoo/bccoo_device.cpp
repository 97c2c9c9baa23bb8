// A matrix in blocks on the device: analysed, coded and transposed on the host.

#include "impls/bccoo/bccoo_device.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "core/runtime.hpp"
#include "impls/bccoo/bccoo_plan.hpp"
#include "kernels/counted_codings.hpp"
#include "kernels/csr_copy.hpp"

namespace petscspmv::bccoo {
namespace {

using image::Image;

template <class Scalar> Facts facts_of(const Image<Scalar> &m)
{
  const std::int64_t values = m.blocks * m.shape.values(), percent = values > 0 ? (100 * m.zeros + values / 2) / values : 0;
  const auto         wide = std::count_if(m.tile.begin(), m.tile.end(), [](const image::Tile &t) { return t.wide; });
  Facts facts{{"blocks", std::to_string(m.blocks) + " of " + std::to_string(m.shape.rows) + " x " + std::to_string(m.shape.cols)},
              {"zeros in blocks that are no entries", std::to_string(m.zeros) + " (" + std::to_string(percent) + " % of the values)"},
              {"slices", "1 (a device has no others)"},
              {"block rows with blocks", std::to_string(m.segments) + " of " + std::to_string(m.segments + std::ssize(m.vacant))},
              {"block rows that are cut", std::to_string(m.cut.size())},
              {"bits of a word of flags", std::to_string(m.flag_bits)},
              {"tiles", kernels::counted_codings(m.tile)},
              {"tiles with columns of 32 bits", std::to_string(wide)},
              {"tables of values", std::to_string(m.tables)}};
  if (m.blocks > 0 && m.shape.values() == 1) facts.emplace_back("hint", "there are no dense blocks, so that ccoo suits this matrix better");
  return facts;
}

template <class Scalar, class Index> class Matrix final : public DeviceMatrix<Scalar, Index> {
  using View = CsrView<Scalar, Index>;

public:
  Matrix(const View &a, const OptionValues &options, const Execution &execution)
    : rows_(static_cast<Local>(a.rows)), cols_(static_cast<Local>(a.cols)), options_(options), threads_(execution.threads),
      tiles_(make_device_tiles<Scalar>())
  {
    facts_ = build(a, *tiles_);
  }

  /// Where the new values fit the way in which the old ones are kept, they are taken over on the device; else all is analysed and coded anew.
  void refresh(const View &a) override
  {
    const bool renewed = is_renewed(a);
    ++refreshed_;
    renewed_ += renewed;
    if (renewed && !transposed_) return;
    const std::vector<Scalar> values = from_device(a.val, static_cast<std::size_t>(a.nonzeros()));
    View                      host   = a;
    if (!values.empty()) host.val = values.data();
    if (!renewed) facts_ = build(host, *tiles_);
    if (transposed_) build(kernels::transposed(host).view(), *transposed_);
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    if (alpha == Scalar(0)) return scale_on_device(op == Operation::none ? rows_ : cols_, beta, y);
    if (op == Operation::none) return tiles_->multiply(false, alpha, x, beta, y);
    if (!transposed_) build_transposed();
    transposed_->multiply(op == Operation::hermitian, alpha, x, beta, y);
  }

  Footprint footprint() const override
  {
    Footprint f;
    tiles_->add_to(f, "");
    if (transposed_) transposed_->add_to(f, "transposed ");
    return f;
  }

  Facts facts() const override
  {
    Facts facts = facts_;
    facts.emplace_back("refreshed on the device", std::to_string(renewed_) + " of " + std::to_string(refreshed_) + " times");
    facts.emplace_back("transpose", transposed_ ? "built" : "not used");
    return facts;
  }

  Image<Scalar> image() const override { return tiles_->download(); }

private:
  /// Takes the values of `a` over on the device; false if they do not fit, or if there is no room for them beside what is there.
  bool is_renewed(const View &a)
  {
    try {
      return tiles_->refresh(a, threads_);
    } catch (const FormatError &) {
      return false;
    }
  }
  Facts build(const View &a, DeviceTiles<Scalar> &tiles) const
  {
    const Image<Scalar> m(a, options_, threads_);
    tiles.upload(m, threads_);
    return facts_of(m);
  }
  void build_transposed()
  {
    const Image<Scalar>               m = tiles_->download();
    const kernels::Csr<Scalar, Index> a(static_cast<Index>(cols_), static_cast<Index>(rows_), [&m](const auto &visit) {
      m.decode([&](Local row, Local col, Scalar value) { visit(static_cast<Index>(col), static_cast<Index>(row), value); });
    });
    auto                              tiles = make_device_tiles<Scalar>();
    build(a.view(), *tiles);
    transposed_ = std::move(tiles);
  }

  Local                                rows_, cols_;
  OptionValues                         options_;
  int                                  threads_;
  std::unique_ptr<DeviceTiles<Scalar>> tiles_, transposed_; ///< the transpose: nothing until it is needed
  Facts                                facts_;
  std::int64_t                         refreshed_ = 0, renewed_ = 0; ///< times in all, and without being made anew
};

} // namespace

template <class Scalar, class Index>
std::unique_ptr<DeviceMatrix<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                                const Execution &execution)
{
  if constexpr (built_for_device)
    if (runtime::has_device()) return std::make_unique<Matrix<Scalar, Index>>(a, options, execution);
  throw FormatError(runtime::device_problem());
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
