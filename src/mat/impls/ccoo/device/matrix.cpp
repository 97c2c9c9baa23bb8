// A matrix on the device: analysed on the host.

#include "impls/ccoo/device/matrix.hpp"

#include <algorithm>
#include <optional>

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "kernels/device/memory/format.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo {
namespace {

/// How an image is made of a matrix, see kernels::DeviceFormat.
template <class Scalar, class Index> class Analysis {
  using View = CsrView<Scalar, Index>;
  using Plan = ccoo::Plan<Scalar, Index, DeviceGroup>;

public:
  using Image = image::Image<Scalar>;

  static std::unique_ptr<DeviceTiles<Scalar>> make_tiles() { return make_device_tiles<Scalar>(); }

  Analysis(const View &a, const OptionValues &options, int threads)
    : a_(a), options_(options), threads_(threads), batches_(batches_of(a, options, threads))
  {
  }

  /// Values, if few rows have those of the row before; columns, if few have its offsets or its columns, as those of
  /// nodes have.
  kernels::RowsWanted likely() const
  {
    if (batches_) return {};
    const RowsAlike rows = look_at_rows(a_);
    return {!rows.mostly(rows.values), !rows.mostly(rows.offsets + rows.columns), !rows.mostly(rows.values)};
  }

  void run()
  {
    if (!batches_) plan_.emplace(image::plan_for_image(a_, options_, threads_));
  }

  kernels::RowsWanted wanted() const
  {
    if (batches_) return {};
    const bool chunks = !plan_->chunks.empty();
    const bool nodes  = std::any_of(plan_->tiles.begin(), plan_->tiles.end(), [](const DeviceTile &t) { return t.kind == Kind::gather; });
    const auto is_streamed = [](const Pattern &p) { return p.streamed > 0; };
    const bool streamed    = std::any_of(plan_->pool.patterns.begin(), plan_->pool.patterns.end(), is_streamed);
    return {nodes || streamed, chunks, chunks || nodes || streamed};
  }

  Image image(const kernels::DeviceRows<Scalar> *rows)
  {
    if (batches_) return std::move(*batches_);
    const auto maker = rows ? make_maker(*rows) : nullptr;
    return Image(a_, *plan_, options_, threads_, most_hot_columns<Scalar>(), maker.get());
  }

  static Facts facts(const Image &m) { return m.facts(); }

  static bool renew_constants(Image &m, const View &a, int threads) { return image::Kinds::renew_constants(m, a, threads); }

private:
  /// The device is asked for those only that may be in batches.
  static std::optional<Image> batches_of(const View &a, const OptionValues &options, int threads)
  {
    if (!image::wants_batches(a, options)) return {};
    return image::batched_image(a, options, threads, most_waiting_batches<Scalar>());
  }

  const View          &a_;
  const OptionValues  &options_;
  const int            threads_;
  std::optional<Image> batches_; ///< of a small matrix, which is made on the host, and has no plan
  std::optional<Plan>  plan_;
};

} // namespace

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::make_device_format<Analysis<Scalar, Index>>(a, options, execution);
}

#define INSTANTIATE(S, I) template FormatPtr<S, I> on_device(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
