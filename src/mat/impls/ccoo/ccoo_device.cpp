// A matrix on the device: analysed, coded and transposed on the host.

#include "impls/ccoo/ccoo_device.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <future>
#include <string>
#include <system_error>
#include <vector>

#include "core/runtime.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/batch_image.hpp"
#include "kernels/counted_codings.hpp"
#include "kernels/csr_copy.hpp"

namespace petscspmv::ccoo {
namespace {

using image::Image;
using kernels::Csr;
using kernels::transposed;

template <class Scalar, class Index> Csr<Scalar, Index> decoded(const Image<Scalar> &m)
{
  return {m.rows, m.cols, [&m](const auto &visit) { m.decode([&](Local row, Local col, Scalar value) { visit(row, col, value); }); }};
}

/// "12 (values: with patterns 9, raw 2, some of both 1)"
template <class Scalar> std::string values_of_units(const Image<Scalar> &m)
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

template <class Scalar> Facts piece_facts(const Image<Scalar> &m, std::size_t tables)
{
  const auto wide = std::count_if(m.chunk.begin(), m.chunk.end(), [](const image::Chunk &c) { return c.wide; });
  return {{"units of 128 rows", values_of_units(m)},
          {"units that slide", std::to_string(m.unit.size() - m.plain_units)},
          {"entries in units", std::to_string(m.entries_in_units)},
          {"rows that repeat", std::to_string(m.rows_repeated)},
          {"different ones of these", std::to_string(m.distinct_rows)},
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

template <class Scalar> Facts batch_facts(const Image<Scalar> &m)
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

/// What pieces are made from on the device.
template <class Scalar, class Index> RowsWanted wanted_for(const Plan<Scalar, Index, DeviceGroup> &plan)
{
  const bool chunks   = !plan.chunks.empty();
  const bool nodes    = std::any_of(plan.tiles.begin(), plan.tiles.end(), [](const Tile &t) { return t.kind == Kind::gather; });
  const bool streamed = std::any_of(plan.pool.patterns.begin(), plan.pool.patterns.end(), [](const Pattern &p) { return p.streamed > 0; });
  return {nodes || streamed, chunks || nodes, chunks || nodes || streamed};
}

/// The same, as far as some rows tell before the matrix is analysed: values, if few rows have those of the row before; columns, if few have its offsets.
template <class Scalar, class Index> RowsWanted likely_wanted(const CsrView<Scalar, Index> &a)
{
  constexpr Index looks   = 64;
  Index           offsets = 0, values = 0;
  for (Index look = 0; look < looks && a.rows > 1; ++look) {
    const auto  row = static_cast<Index>(std::int64_t(a.rows - 1) * look / looks);
    const Index n = a.row_ptr[row + 1] - a.row_ptr[row], *const col = a.col + a.row_ptr[row];
    if (n != a.row_ptr[row + 2] - a.row_ptr[row + 1]) continue;
    offsets += std::equal(col, col + n, col + n, [](Index p, Index q) { return p + 1 == q; });
    values += std::memcmp(a.val + a.row_ptr[row], a.val + a.row_ptr[row + 1], static_cast<std::size_t>(n) * sizeof(Scalar)) == 0;
  }
  return {2 * values < looks, 2 * offsets < looks, 2 * values < looks};
}

template <class Scalar, class Index> class Matrix final : public DeviceMatrix<Scalar, Index> {
  using View = CsrView<Scalar, Index>;

public:
  Matrix(const View &a, const OptionValues &options, const Execution &execution)
    : rows_(static_cast<Local>(a.rows)), cols_(static_cast<Local>(a.cols)), options_(options), threads_(execution.threads),
      tiles_(make_device_tiles<Scalar>())
  {
    build(a, *tiles_, facts_);
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
    if (!renewed) build(host, *tiles_, facts_);
    if (transposed_) build_transposed(transposed(host));
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    if (alpha == Scalar(0)) return scale_on_device(op == Operation::none ? rows_ : cols_, beta, y);
    if (op == Operation::none) return tiles_->multiply(false, alpha, x, beta, y);
    if (!transposed_) build_transposed(transposed(decoded<Scalar, Index>(tiles_->download()).view()));
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
    if (a.nonzeros() == 0) return false;
    try {
      const auto rows = make_device_rows(a);
      rows->bring(tiles_->wanted(), threads_);
      return tiles_->refresh(*rows);
    } catch (const FormatError &) {
      return false;
    }
  }
  void build(const View &a, DeviceTiles<Scalar> &tiles, Facts &facts) const
  {
    if (const auto m = image::batched_image(a, options_, threads_)) {
      tiles.upload(*m, threads_, nullptr);
      facts = batch_facts(*m);
      return;
    }
    auto                                   rows  = make_device_rows(a);
    auto                                   early = bring_early(a, *rows);
    const Plan<Scalar, Index, DeviceGroup> plan(a, options_, threads_);
    const Image<Scalar>                    m = upload(a, plan, tiles, std::move(rows), std::move(early));
    facts                                    = piece_facts(m, plan.tables.size());
  }
  /// Begins to bring rows to the device while they are analysed, if it is likely that pieces will be made there from them. Only where threads are
  /// started for each thing that is done: those of Kokkos do one at a time.
  std::future<void> bring_early(const View &a, DeviceRows<Scalar> &rows) const
  {
    const RowsWanted likely = likely_wanted(a);
    if (threads_ == 1 || runtime::max_threads() > 1 || a.nonzeros() < tuning::device_least_early || !likely.val) return {};
    try {
      return std::async(std::launch::async, [&rows, likely, threads = threads_] { rows.bring(likely, threads); });
    } catch (const std::system_error &) { // the system gives no thread
      return {};
    }
  }

  /// An image as it is now on the device. Its arrays are filled there, if there is room for the rows, too.
  Image<Scalar> upload(const View &a, const Plan<Scalar, Index, DeviceGroup> &plan, DeviceTiles<Scalar> &tiles,
                       std::unique_ptr<DeviceRows<Scalar>> rows, std::future<void> early) const
  {
    const auto made = [&](const DeviceRows<Scalar> *from) {
      Image<Scalar> m(a, plan, options_, threads_, tiles.most_hot(), from);
      tiles.upload(m, threads_, from);
      return m;
    };
    try {
      if (early.valid()) early.get();
      if (const RowsWanted wanted = wanted_for(plan); wanted.val) {
        rows->bring(wanted, threads_);
        return made(rows.get());
      }
    } catch (const FormatError &) { // what is wrong with the matrix itself is found once more
    }
    rows.reset();
    return made(nullptr);
  }
  void build_transposed(const Csr<Scalar, Index> &a)
  {
    auto  tiles = transposed_ ? std::move(transposed_) : make_device_tiles<Scalar>();
    Facts facts;
    build(a.view(), *tiles, facts);
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

} // namespace petscspmv::ccoo
