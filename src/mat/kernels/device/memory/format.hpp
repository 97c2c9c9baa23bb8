#pragma once

/// \file format.hpp
/// A matrix that is analysed on the host and kept on a device as an image: how it gets there and is kept up to date
/// there. It does not transpose.

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/runtime.hpp"
#include "kernels/device/order.hpp"
#include "kernels/device/memory/image.hpp"
#include "kernels/device/memory/rows.hpp"
#include "kernels/device/memory/upload_tuning.hpp"
#include "kernels/device/vectors.hpp"
#include "kernels/rows/host_view.hpp"

namespace petscspmv::kernels {

/// `Analysis` is how a method makes its image of a matrix. It has
///
/// - a type `Image`, and `static make_tiles()`, which makes the DeviceTiles that these are copied to,
/// - a constructor (a, options, threads) that takes no more than a first look at a CsrView, which must stay; `likely()`, what of the rows will then probably
///   be wanted on the device; and `run()`, which decides all that there is to decide. Both throw FormatError and std::bad_alloc,
/// - `wanted()`, after run(), what the image is made from on the device; no values if nothing is made there,
/// - `image(rows)`, the image as far as it is made on the host, the rest of which is left to the device if `rows` is not null, which may still be on their way;
///   called again, with null, where there is no room for the rows,
/// - `facts(image)`,
/// - `static renew_constants(image, a, threads)`: DeviceTiles::constants() get the values of `a`; false if they do not fit.
template <class Scalar, class Index, class Analysis>
class DeviceFormat final : public ImageFormat<Scalar, Index, typename Analysis::Image> {
  using View  = CsrView<Scalar, Index>;
  using Image = typename Analysis::Image;
  using Rows  = DeviceRows<Scalar>;
  using Tiles = DeviceTiles<Scalar, Image>;

public:
  DeviceFormat(const View &a, OptionValues options, int threads)
    : ImageFormat<Scalar, Index, Image>(a, {MemorySpace::device, threads}), rows_(static_cast<std::int32_t>(a.rows)),
      cols_(static_cast<std::int32_t>(a.cols)), options_(std::move(options)), threads_(threads), tiles_(Analysis::make_tiles())
  {
    const StreamTurn turn(order_, DeviceWork::writes);
    const HostView   host(a);
    facts_ = build(host.view(), a, *tiles_);
  }

  /// Where the new values fit the way in which the old ones are kept, they are taken over on the device; else all is
  /// analysed and coded anew.
  void take_values(const View &a) override
  {
    const StreamTurn turn(order_, DeviceWork::changes);
    const bool       renewed = is_renewed(a);
    ++refreshed_;
    renewed_ += renewed;
    if (renewed) return;
    const HostView host(a);
    facts_ = build(host.view(), a, *tiles_);
  }

  void multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    if (alpha == Scalar(0)) return scale_on_device(rows_, beta, y);
    const std::lock_guard lock(busy_);
    const StreamTurn      turn(order_, tiles_->has_scratch() ? DeviceWork::writes : DeviceWork::reads);
    tiles_->multiply(alpha, x, beta, y);
  }

  Footprint footprint() const override
  {
    Footprint f;
    tiles_->add_to(f, "");
    return f;
  }

  Facts facts() const override
  {
    Facts facts = facts_;
    facts.emplace_back("refreshed on the device", std::to_string(renewed_) + " of " + std::to_string(refreshed_) + " times");
    return facts;
  }

  Image image() const override { return tiles_->download(); }

private:
  /// Takes the values of `a` over on the device; false if they do not fit, or if there is no room for them beside what
  /// is there.
  bool is_renewed(const View &a)
  {
    if (a.nonzeros() == 0) return true;
    const RowsWanted wanted = tiles_->wanted();
    if (!wanted.val) return false;
    try {
      if (!runtime::is_on_device(a.val))
        if (auto constants = tiles_->constants()) {
          const bool fit = Analysis::renew_constants(*constants, a, threads_);
          if (fit) tiles_->renew_constants(*constants);
          return fit;
        }
      const auto rows = make_device_rows(a);
      rows->ask(wanted, threads_, false);
      return tiles_->refresh(*rows);
    } catch (const FormatError &) {
      return false;
    }
  }

  /// An image as it is now on the device. Its arrays are filled there, if there is room for the rows, too, which are on
  /// their way while the host does its part. `from`: the same matrix, with values that may be on the device already.
  Facts build(const View &a, const View &from, Tiles &tiles) const
  {
    const bool beside = brings_beside(a);
    auto       rows   = make_device_rows(from);
    Analysis   analysis(a, options_, threads_);
    if (const RowsWanted likely = analysis.likely(); beside && likely.val) ask_early(likely, *rows);
    analysis.run();
    const auto made = [&](const Rows *there) {
      const Image m = analysis.image(there);
      tiles.upload(m, threads_, there);
      return analysis.facts(m);
    };
    try {
      if (const RowsWanted wanted = analysis.wanted(); wanted.val) {
        rows->ask(wanted, threads_, beside);
        return made(rows.get());
      }
    } catch (const FormatError &) { // what is wrong with the matrix itself is found once more
    }
    rows.reset();
    return made(nullptr);
  }

  /// Whether rows are brought to the device while they are analysed. Only where threads are not those of Kokkos, which
  /// do one thing at a time.
  bool brings_beside(const View &a) const { return threads_ > 1 && runtime::max_threads() == 1 && a.nonzeros() >= tuning::least_early; }

  void ask_early(const RowsWanted &likely, Rows &rows) const
  {
    try {
      rows.ask(likely, threads_, true);
    } catch (const FormatError &) { // there may be no need of them
    }
  }

  std::int32_t           rows_, cols_;
  OptionValues           options_;
  int                    threads_;
  std::unique_ptr<Tiles> tiles_;
  StreamOrder            order_;
  std::mutex             busy_; ///< threads of the program queue one product after the other
  Facts                  facts_;
  std::int64_t           refreshed_ = 0, renewed_ = 0; ///< times in all, and without being made anew
};

/// Throws FormatError if there is no room or no device.
template <class Analysis, class Scalar, class Index>
FormatPtr<Scalar, Index> make_device_format(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  if constexpr (built_for_device)
    if (runtime::has_device()) return std::make_unique<DeviceFormat<Scalar, Index, Analysis>>(a, options, execution.threads);
  throw FormatError(runtime::device_problem());
}

} // namespace petscspmv::kernels
