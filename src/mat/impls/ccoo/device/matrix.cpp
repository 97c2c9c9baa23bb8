#include "impls/ccoo/device/matrix.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/ccoo/ccoo.hpp"
#include "impls/ccoo/device/batch/batch_image.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/plan/alike.hpp"
#include "kernels/rows/host_view.hpp"

namespace petscspmv::ccoo {

using kernels::DeviceWork;
using kernels::StreamTurn;

/// How an image is made of a matrix, which must stay. Throws FormatError and std::bad_alloc.
template <class Scalar, class Index> class Analysis {
  using View  = CsrView<Scalar, Index>;
  using Plan  = ccoo::Plan<Scalar, Index, DeviceGroup>;
  using Image = image::Image<Scalar>;

public:
  /// No more than a first look.
  Analysis(const View &a, const OptionValues &options, int threads) : a_(a), options_(options), threads_(threads)
  {
    // The device is asked for those only that may be in batches.
    if (image::wants_batches(a, options))
      batches_ = image::batched_image(a, options, threads, DevicePieces<Scalar>::most_waiting_batches());
  }

  /// What of the rows will probably be wanted on the device: values, if few rows have those of the row before; columns,
  /// if few have its offsets or its columns, as those of nodes have.
  RowsWanted likely() const
  {
    if (batches_) return {};
    const RowsAlike rows = look_at_rows(a_);
    return {!rows.mostly(rows.values), !rows.mostly(rows.offsets + rows.columns), !rows.mostly(rows.values)};
  }

  /// Decides all that there is to decide.
  void run()
  {
    if (!batches_) plan_.emplace(image::plan_for_image(a_, options_, threads_));
  }

  /// After run(): what the image is made from on the device; no values if nothing is made there.
  RowsWanted wanted() const
  {
    if (batches_) return {};
    const bool chunks = !plan_->chunks.empty();
    const bool nodes  = std::any_of(plan_->tiles.begin(), plan_->tiles.end(), [](const DeviceTile &t) { return t.kind == Kind::gather; });
    const auto is_streamed = [](const Pattern &p) { return p.streamed > 0; };
    const bool streamed    = std::any_of(plan_->pool.patterns.begin(), plan_->pool.patterns.end(), is_streamed);
    return {nodes || streamed, chunks, chunks || nodes || streamed};
  }

  /// As far as it is made on the host. The rest is left to the device if `rows` is not null, which may still be on
  /// their way; called again, with null, where there is no room for the rows.
  Image image(const DeviceRows<Scalar> *rows)
  {
    if (batches_) return Image(static_cast<Local>(a_.rows), static_cast<Local>(a_.cols), std::move(*batches_));
    const auto maker = rows ? DevicePieces<Scalar>::make_maker(*rows) : nullptr;
    return Image(a_, *plan_, options_, threads_, DevicePieces<Scalar>::most_hot_columns(), maker.get());
  }

private:
  const View                           &a_;
  const OptionValues                   &options_;
  const int                             threads_;
  std::optional<image::Batches<Scalar>> batches_; ///< of a small matrix, which is made on the host, and has no plan
  std::optional<Plan>                   plan_;
};

template <class Scalar> void ask_early(const RowsWanted &likely, int threads, DeviceRows<Scalar> &rows)
{
  try {
    if (likely.val) rows.ask(likely, threads, true);
  } catch (const FormatError &) { // there may be no need of them
  }
}

template <class Scalar, class Index>
DeviceMatrix<Scalar, Index>::DeviceMatrix(const View &a, OptionValues options, int threads)
  : Format<Scalar, Index>(a, {MemorySpace::device, threads}), rows_(static_cast<std::int32_t>(a.rows)), options_(std::move(options)),
    threads_(threads)
{
  const StreamTurn turn(order_, DeviceWork::writes);
  build(a);
}

template <class Scalar, class Index> void DeviceMatrix<Scalar, Index>::take_values(const View &a)
{
  const StreamTurn turn(order_, DeviceWork::changes);
  const bool       renewed = is_renewed(a);
  ++refreshed_;
  renewed_ += renewed;
  if (!renewed) build(a);
}

template <class Scalar, class Index>
void DeviceMatrix<Scalar, Index>::multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (alpha == Scalar(0)) return pieces_.scale(rows_, beta, y);
  const std::lock_guard lock(busy_);
  const StreamTurn      turn(order_, pieces_.has_scratch() ? DeviceWork::writes : DeviceWork::reads);
  pieces_.multiply(alpha, x, beta, y);
}

template <class Scalar, class Index> Facts DeviceMatrix<Scalar, Index>::facts() const
{
  Facts facts = facts_;
  facts.emplace_back("refreshed on the device", std::to_string(renewed_) + " of " + std::to_string(refreshed_) + " times");
  return facts;
}

template <class Scalar, class Index> bool DeviceMatrix<Scalar, Index>::is_renewed(const View &a)
{
  if (a.nonzeros() == 0) return true;
  const RowsWanted wanted = pieces_.wanted();
  try {
    if (!runtime::is_on_device(a.val))
      if (auto constants = pieces_.constants()) {
        const bool fit = constants->renew_constants(a, threads_);
        if (fit) pieces_.renew_constants(*constants);
        return fit;
      }
    const auto rows = make_device_rows(a);
    rows->ask(wanted, threads_, false);
    return pieces_.refresh(*rows);
  } catch (const FormatError &) {
    return false;
  }
}

template <class Scalar, class Index> void DeviceMatrix<Scalar, Index>::build(const View &from)
{
  const kernels::HostView host(from);
  const View             &a = host.view();
  // Rows are brought while they are analysed where threads are not those of Kokkos, which do one thing at a time.
  const bool              beside = threads_ > 1 && runtime::max_threads() == 1 && a.nonzeros() >= tuning::device_least_early;
  auto                    rows   = make_device_rows(from);
  Analysis<Scalar, Index> analysis(a, options_, threads_);
  if (beside) ask_early(analysis.likely(), threads_, *rows);
  analysis.run();
  const auto make = [&](const DeviceRows<Scalar> *there) {
    const image::Image<Scalar> m = analysis.image(there);
    pieces_.upload(m, threads_, there);
    facts_ = m.facts();
  };
  try {
    if (const RowsWanted wanted = analysis.wanted(); wanted.val) {
      rows->ask(wanted, threads_, beside);
      return make(rows.get());
    }
  } catch (const FormatError &) { // what is wrong with the matrix itself is found once more
  }
  rows.reset();
  make(nullptr);
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  if constexpr (built_for_device)
    if (runtime::has_device()) return std::make_unique<DeviceMatrix<Scalar, Index>>(a, options, execution.threads);
  throw FormatError(runtime::device_problem());
}

#define INSTANTIATE(S, I) template FormatPtr<S, I> on_device(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
