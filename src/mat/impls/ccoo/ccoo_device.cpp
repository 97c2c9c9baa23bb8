// A matrix on the device: analysed and transposed on the host.

#include "impls/ccoo/ccoo_device.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <string>

#include "impls/ccoo/ccoo_constants.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/batch_image.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/device/memory/format.hpp"
#include "kernels/rows/alike.hpp"
#include "kernels/rows/csr_copy.hpp"

namespace petscspmv::ccoo {
namespace {

/// "12 (values: with patterns 9, raw 2, some of both 1)"
template <class Scalar> std::string values_of_units(const image::Image<Scalar> &m)
{
  const auto having = [&m](std::uint32_t values) {
    return std::count_if(m.unit.begin(), m.unit.end(), [&](const image::Unit &u) { return m.pattern[u.pattern].first_value == values; });
  };
  const std::ptrdiff_t raw = having(image::Pattern::streamed), both = having(image::Pattern::mixed);
  std::string          text;
  const auto           add = [&text](const char *name, std::ptrdiff_t n) {
    if (n > 0) text += (text.empty() ? " (values: " : ", ") + std::string(name) + " " + std::to_string(n);
  };
  add("with patterns", std::ssize(m.unit) - raw - both);
  add("raw", raw);
  add("some of both", both);
  return std::to_string(m.unit.size()) + (text.empty() ? text : text + ")");
}

template <class Scalar> Facts piece_facts(const image::Image<Scalar> &m, std::size_t tables)
{
  const auto wide = std::count_if(m.chunk.begin(), m.chunk.end(), [](const image::Chunk &c) { return c.wide; });
  return {{"units of 128 rows", values_of_units(m)},
          {"units that slide", std::to_string(m.unit.size() - m.plain_units)},
          {"entries in units", std::to_string(m.entries_in_units)},
          {"rows that repeat", std::to_string(m.rows_repeated)},
          {"different ones of these", std::to_string(m.distinct_rows)},
          {"their tiles have at hand", std::to_string(m.most_near) + " entries of x at most"},
          {"units of 32 nodes", std::to_string(m.node.size())},
          {"local tiles", std::to_string(m.local.size())},
          {"chunks of 512 entries", kernels::counted_codings(m.chunk)},
          {"chunks with columns of 32 bits", std::to_string(wide)},
          {"multiprocessors take chunks", m.consecutive ? "that follow each other" : "as they come"},
          {"hot columns", std::to_string(m.hot.size())},
          {"patterns", std::to_string(m.pattern.size() - 1)},
          {"tables of values", std::to_string(tables)},
          {"cut rows", std::to_string(m.cut.size())}};
}

template <class Scalar> Facts batch_facts(const image::Image<Scalar> &m)
{
  const auto of_kind = [&m](image::Batch::Rows kind) {
    return std::to_string(std::count_if(m.batch.begin(), m.batch.end(), [kind](const image::Batch &b) { return b.kind == kind; }));
  };
  return {{"batches of 1024 entries", std::to_string(m.batch.size())},
          {"batches of long rows", of_kind(image::Batch::listed)},
          {"batches of parts of rows", of_kind(image::Batch::part)},
          {"cut rows", std::to_string(m.rows_in_parts)},
          {"bits of a column", m.batch_wide ? "32" : "16"},
          {"values of batches", std::string(kernels::coding_names[static_cast<std::size_t>(m.batch_coding)])}};
}

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
    const kernels::RowsAlike rows = kernels::look_at_rows(a_);
    return {!rows.mostly(rows.values), !rows.mostly(rows.offsets + rows.columns), !rows.mostly(rows.values)};
  }

  void run()
  {
    if (!batches_) plan_.emplace(a_, options_, threads_);
  }

  kernels::RowsWanted wanted() const
  {
    if (batches_) return {};
    const bool chunks      = !plan_->chunks.empty();
    const bool nodes       = std::any_of(plan_->tiles.begin(), plan_->tiles.end(), [](const Tile &t) { return t.kind == Kind::gather; });
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

  Facts facts(const Image &m) const { return plan_ ? piece_facts(m, plan_->tables.size()) : batch_facts(m); }

  static bool renew_constants(Image &m, const View &a, int threads) { return image::ConstantsRenewal(m, a, threads).run(); }

  /// By way of the matrix itself: pieces are not in the order of rows.
  static kernels::Csr<Scalar, Index> transposed(const Image &m)
  {
    const kernels::Csr<Scalar, Index> a(static_cast<Index>(m.rows), static_cast<Index>(m.cols), [&m](const auto &visit) {
      m.decode([&](Local row, Local col, Scalar value) { visit(static_cast<Index>(row), static_cast<Index>(col), value); });
    });
    return kernels::transposed(a.view());
  }

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

} // namespace petscspmv::ccoo
