#pragma once

/// \file rows.cuh
/// The rows of a matrix on a device, as its kernels see them.

#include <future>
#include <optional>
#include <system_error>

#include "kernels/device/memory/array.cuh"
#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/memory/rows.hpp"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceArray;
using kernels::DeviceBlock;

template <class Scalar, class Index> class RowsOnDevice final : public DeviceRows<Scalar> {
  using S = typename kernels::OnDevice<Scalar>::type;

public:
  explicit RowsOnDevice(const CsrView<Scalar, Index> &a)
    : a_(a), row_ptr_from_(a.device_row_ptr ? a.device_row_ptr : a.row_ptr), col_from_(a.device_col ? a.device_col : a.col)
  {
  }

  void ask(const RowsWanted &wanted, int threads, bool beside) override
  {
    if (asked_.covers(wanted)) return;
    arrive();
    if (!beside || !begin(wanted, threads)) bring(wanted, threads);
    asked_.add(wanted);
  }
  void arrive() const override
  {
    arrive_pattern();
    if (values_.valid()) values_.get();
  }
  void arrive_pattern() const override
  {
    if (pattern_.valid()) pattern_.get();
  }

  std::int64_t              cols() const override { return a_.cols; }
  std::int64_t              nonzeros() const override { return a_.nonzeros(); }
  bool                      wide() const override { return sizeof(Index) == sizeof(std::int64_t); }
  const RowsView<S, Index> &view() const { return view_; }

private:
  /// Values come last. False if the system gives no thread.
  bool begin(const RowsWanted &wanted, int threads)
  {
    try {
      pattern_ = std::async(std::launch::async, [=, this] {
                   place_.take();
                   make_room(wanted);
                   bring({wanted.row_ptr, wanted.col, false}, threads);
                 }).share();
      values_  = std::async(std::launch::async, [=, this, pattern = pattern_] {
                  pattern.get();
                  bring({false, false, wanted.val}, threads);
                }).share();
      return true;
    } catch (const std::system_error &) {
      arrive_pattern();
      return false;
    }
  }
  /// Room for all that is wanted and neither on the device nor on its way.
  void make_room(const RowsWanted &wanted)
  {
    const auto n = static_cast<std::size_t>(a_.nonzeros()), ends = static_cast<std::size_t>(a_.rows) + 1;
    const bool row_ptr = wanted.row_ptr && !row_ptr_ && !kernels::is_on_device(row_ptr_from_),
               col = wanted.col && !col_ && !kernels::is_on_device(col_from_), val = wanted.val && !val_ && !kernels::is_on_device(a_.val);
    DeviceBlock block((row_ptr ? DeviceArray<Index>::room(ends) : 0) + (col ? DeviceArray<Index>::room(n) : 0) +
                      (val ? DeviceArray<S>::room(n) : 0));
    if (row_ptr) row_ptr_.emplace(ends, block);
    if (col) col_.emplace(n, block);
    if (val) val_.emplace(n, block);
  }
  void bring(const RowsWanted &wanted, int threads)
  {
    place_.take();
    make_room(wanted);
    if (wanted.row_ptr) bring(row_ptr_from_, threads, row_ptr_, view_.row_ptr);
    if (wanted.col) bring(col_from_, threads, col_, view_.col);
    if (wanted.val) bring(reinterpret_cast<const S *>(a_.val), threads, val_, view_.val);
  }
  /// Arrays that are on the device already are taken as they are.
  template <class T> static void bring(const T *from, int threads, std::optional<DeviceArray<T>> &array, const T *&view)
  {
    if (view) return;
    if (array) array->upload(from, threads);
    view = array ? array->data() : from;
  }

  CsrView<Scalar, Index>            a_;
  const Index                      *row_ptr_from_, *col_from_;
  kernels::DevicePlace              place_;
  std::optional<DeviceArray<Index>> row_ptr_, col_;
  std::optional<DeviceArray<S>>     val_;
  RowsView<S, Index>                view_{};
  RowsWanted                        asked_;
  std::shared_future<void>          pattern_, values_; ///< last: they go first, and wait for the threads that fill the others
};

/// Calls visit(RowsView) with the type of index that the rows have, when columns are there; values may still be on
/// their way.
template <class Scalar, class Visit> void with_pattern(const DeviceRows<Scalar> &rows, const Visit &visit)
{
  rows.arrive_pattern();
  if (rows.wide()) visit(static_cast<const RowsOnDevice<Scalar, std::int64_t> &>(rows).view());
  else visit(static_cast<const RowsOnDevice<Scalar, std::int32_t> &>(rows).view());
}

/// The same when all of the rows are there.
template <class Scalar, class Visit> void with_rows(const DeviceRows<Scalar> &rows, const Visit &visit)
{
  rows.arrive();
  with_pattern(rows, visit);
}

} // namespace petscspmv::ccoo::device

namespace petscspmv::ccoo {

template <class Scalar, class Index> std::unique_ptr<DeviceRows<Scalar>> make_device_rows(const CsrView<Scalar, Index> &a)
{
  return std::make_unique<device::RowsOnDevice<Scalar, Index>>(a);
}

} // namespace petscspmv::ccoo
