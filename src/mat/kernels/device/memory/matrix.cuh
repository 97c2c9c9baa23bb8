#pragma once

/// \file matrix.cuh
/// A CSR matrix on the device as a format, which multiplies through Kokkos: its arrays, which are those of the CsrView
/// where they are there already, and its transpose as soon as somebody asks for it.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/runtime.hpp"
#include "kernels/device/order.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/scalar.cuh"
#include "kernels/device/scale.cuh"
#include "kernels/device/transpose.cuh"
#include "kernels/kokkos/instance.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::kernels {

/// An array that products read: somebody else's, if that is on the device, or a copy of it there. A copy of this
/// borrows what this has.
template <class T> class BorrowedArray {
public:
  BorrowedArray() = default;
  BorrowedArray(const BorrowedArray &other) : data_(other.data_), size_(other.size_) { }
  BorrowedArray(BorrowedArray &&)            = default;
  BorrowedArray &operator=(BorrowedArray &&) = default;
  explicit BorrowedArray(DeviceArray<T> own) : own_(std::move(own)), data_(own_.data()), size_(own_.size()) { }
  /// n entries at an address of the device, which must stay, or of the host, from where so many threads copy them.
  BorrowedArray(const T *from, std::size_t n, int threads) { take(from, n, threads); }

  /// Others in their place.
  void take(const T *from, std::size_t n, int threads)
  {
    if (is_on_device(from) && reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0) {
      own_  = {};
      data_ = from;
      size_ = n;
    } else {
      make_room(n);
      own_.upload(from, threads);
    }
  }
  /// An array of its own, to be filled.
  T *make_room(std::size_t n)
  {
    if (own_.size() != n) own_ = DeviceArray<T>(n);
    data_ = own_.data();
    size_ = n;
    return own_.data();
  }

  const T    *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool        is_borrowed() const { return size_ > 0 && own_.size() == 0; }

private:
  DeviceArray<T> own_;
  const T       *data_ = nullptr;
  std::size_t    size_ = 0;
};

/// The arrays of a matrix with entries, and how its rows are dealt. `Matrix` is what kernels/kokkos/format.hpp asks of a
/// method's, with a constructor (host_row_ptr, rows, options, for_device) that makes all but the entries, and
/// `each_found(visit, m...)`, which visits what it makes.
template <class Scalar, class Index, template <class, class, class> class Matrix> class DealtRows {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  using Kept   = Matrix<Scalar, Index, Memory>;
  using OnHost = Matrix<Scalar, Index, Kokkos::HostSpace>;

public:
  using S      = KokkosScalar<Scalar>;
  using Array  = BorrowedArray<Index>;
  using Values = BorrowedArray<S>;

  /// Adopts a pattern on the device, of which the row pointer is on the host, too; values come later. Copies, which are
  /// for other values, share what is found out of the pattern.
  DealtRows(Array row_ptr, Array col, const Index *host_row_ptr, const OptionValues &options)
    : row_ptr_(std::move(row_ptr)), col_(std::move(col))
  {
    const OnHost host(host_row_ptr, static_cast<Index>(row_ptr_.size() - 1), options, true);
    found_.summary = host.summary;
    facts_         = host.facts();
    // Memory of CUDA's, and not of Kokkos', which may have ended before the matrix does.
    std::size_t bytes = 0;
    OnHost::each_found([&bytes](const std::string &, const auto &array) { bytes += DeviceArray<char>::room(bytes_of(array)); }, host);
    DeviceBlock block(bytes);
    Kept::each_found([&](const std::string &name, auto &array, const auto &from) { bring(name, from, array, block); }, found_, host);
  }

  const Array  &row_ptr() const { return row_ptr_; }
  const Array  &col() const { return col_; }
  const Values &val() const { return val_; }
  const Facts  &facts() const { return facts_; }

  /// Takes the pattern of `a`, which is the same but may have moved.
  template <class View> void move_pattern(const View &a, int threads)
  {
    if (a.device_col) col_.take(a.device_col, col_.size(), threads);
    if (row_ptr_.is_borrowed()) row_ptr_.take(a.device_row_ptr ? a.device_row_ptr : a.row_ptr, row_ptr_.size(), threads);
  }
  void borrow_pattern(const DealtRows &other)
  {
    row_ptr_ = Array(other.row_ptr_);
    col_     = Array(other.col_);
  }
  void take_values(const S *from, int threads) { val_.take(from, col_.size(), threads); }
  void take_room_for_values(DeviceArray<S> room) { val_ = Values(std::move(room)); }
  S   *room_for_values() { return val_.make_room(col_.size()); }

  void multiply(const KokkosProduct<S> &product) const
  {
    Kept a    = found_;
    a.row_ptr = borrowed_array<Memory>(row_ptr_.data(), row_ptr_.size());
    a.col     = borrowed_array<Memory>(col_.data(), col_.size());
    a.val     = borrowed_array<Memory>(val_.data(), val_.size());
    a.multiply(current_instance(), {}, product);
  }

  /// Whether products write anything but y.
  bool has_scratch() const { return has_scratch_; }

  /// Adds an array to a footprint, unless it is empty.
  static void add(Footprint &f, const std::string &name, std::size_t bytes, bool borrowed = false)
  {
    if (bytes > 0) f.arrays.push_back({name, bytes, borrowed});
  }
  void add_to(Footprint &f, const std::string &prefix) const
  {
    const auto add_array = [&](const char *name, const auto &array) { add(f, prefix + name, array.bytes(), array.is_borrowed()); };
    add_array("columns", col_);
    add_array("values", val_);
    add_array("row pointer", row_ptr_);
    Kept::each_found(
      [&](const std::string &name, const auto &array) { add(f, prefix + (name.empty() ? "parts of sums" : name), bytes_of(array)); },
      found_);
  }

private:
  template <class Array> static std::size_t bytes_of(const Array &array) { return array.extent(0) * sizeof(*array.data()); }

  /// Arrays without a name are written by products.
  template <class From, class To> void bring(const std::string &name, const From &from, To &to, DeviceBlock &block)
  {
    if (from.extent(0) == 0) return;
    auto &own = own_.emplace_back(bytes_of(from), block);
    if (name.empty()) has_scratch_ = true;
    else own.upload(reinterpret_cast<const char *>(from.data()));
    to = borrowed_array<Memory>(reinterpret_cast<const typename To::value_type *>(own.data()), from.extent(0));
  }

  Array                          row_ptr_, col_;
  Values                         val_;
  Kept                           found_; ///< without row pointer, columns and values
  Facts                          facts_;
  bool                           has_scratch_ = false;
  std::vector<DeviceArray<char>> own_; ///< what found_ has
};

template <class Scalar, class Index, template <class, class, class> class Matrix> class DeviceMatrix final : public Format<Scalar, Index> {
  using View = CsrView<Scalar, Index>;
  using Rows = DealtRows<Scalar, Index, Matrix>;
  using S    = typename Rows::S;

public:
  /// Makes what multiplies with several vectors from the view of a matrix whose arrays are on the device and stay
  /// there, the row pointer on the host as well.
  using MakeSeveral = FormatPtr<Scalar, Index> (*)(const View &a, const OptionValues &options, const Execution &execution);

  /// `threads` of the host bring it to the device. Throws FormatError if there is none, or no room.
  DeviceMatrix(const View &a, const OptionValues &options, int threads, MakeSeveral make_several)
    : Format<Scalar, Index>(a, {MemorySpace::device, threads}), rows_(a.rows), cols_(a.cols), options_(options), threads_(threads),
      make_several_(make_several)
  {
    if (a.nonzeros() <= 0) return;
    const StreamTurn turn(order_, DeviceWork::writes);
    using Array = typename Rows::Array;
    Array row_ptr(a.device_row_ptr ? a.device_row_ptr : a.row_ptr, static_cast<std::size_t>(a.rows) + 1, threads_),
      col(a.device_col ? a.device_col : a.col, a.nonzeros(), threads_);
    a_.emplace(std::move(row_ptr), std::move(col), a.row_ptr, options_);
    a_->take_values(device(a.val), threads_);
  }

  void take_values(const View &a) override
  {
    if (!a_) return;
    const StreamTurn turn(order_, DeviceWork::changes);
    move_pattern(a);
    a_->take_values(device(a.val), threads_);
    gathered_ = false;
    if (recorded_ && transpose_) gather_values();
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    if (alpha == Scalar(0) || !a_)
      return scale_rows(op == Operation::none ? rows_ : cols_, DeviceRowUpdate<S>(S(alpha), S(beta), device(y)));
    const std::lock_guard lock(busy_);
    if (op != Operation::none) prepare_transpose();
    const Rows      &rows = op == Operation::none ? *a_ : *transpose_;
    const StreamTurn turn(order_, rows.has_scratch() ? DeviceWork::writes : DeviceWork::reads);
    rows.multiply({device(x), KokkosRowUpdate<S>(S(alpha), S(beta), device(y)), op == Operation::hermitian});
  }

  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                     int columns) override
  {
    if (op == Operation::none || alpha == Scalar(0) || !a_ || columns < 2)
      return Format<Scalar, Index>::multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
    const std::lock_guard lock(busy_);
    prepare_transpose();
    const StreamTurn turn(order_, DeviceWork::writes);
    if (!several_transposed_) several_transposed_ = make_several_transposed();
    several_transposed_->multiply_many(Operation::none, alpha, x, ldx, beta, y, ldy, columns);
  }

  Footprint footprint() const override
  {
    Footprint f;
    if (a_) a_->add_to(f, "");
    if (transpose_) {
      if (index_->has_pattern_of_a()) Rows::add(f, "transposed values", transpose_->val().bytes());
      else transpose_->add_to(f, "transposed ");
      f.arrays.push_back({"entries of the transposed", index_->entry.bytes(), false});
    }
    if (several_transposed_) f.arrays.push_back({"transposed several vectors", several_transposed_->footprint().owned(), false});
    return f;
  }

  Facts facts() const override
  {
    Facts facts = a_ ? a_->facts() : Facts();
    facts.emplace_back("transpose", transpose_ ? "built" : "not used");
    return facts;
  }

private:
  static const S *device(const Scalar *p) { return reinterpret_cast<const S *>(p); }
  static S       *device(Scalar *p) { return reinterpret_cast<S *>(p); }

  void move_pattern(const View &a)
  {
    const auto places = [this] { return std::pair(a_->row_ptr().data(), a_->col().data()); };
    const auto before = places();
    a_->move_pattern(a, threads_);
    if (places() == before || !transpose_ || !index_->has_pattern_of_a()) return;
    transpose_->borrow_pattern(*a_);
    several_transposed_.reset(); // has the addresses
  }

  /// Before a product with it. New values are gathered when they are wanted; or with the refresh, if a graph may read
  /// them.
  void prepare_transpose()
  {
    const bool records = runtime::is_recording();
    recorded_ |= records;
    if (transpose_ && gathered_) return;
    const StreamTurn turn(order_, DeviceWork::writes);
    if (!transpose_) build_transpose();
    gather_values();
    gathered_ = !records; // it is not done yet
  }

  void gather_values()
  {
    index_->gather_values(a_->val().data(), transpose_->room_for_values());
    gathered_ = true;
  }

  void build_transpose()
  {
    using Array = typename Rows::Array;
    TransposedIndex<S, Index> index(a_->row_ptr().data(), a_->col().data(), rows_, cols_, static_cast<Index>(a_->col().size()));
    if (index.has_pattern_of_a()) transpose_.emplace(*a_);
    else {
      const std::vector<Index> host_row_ptr = on_host(index.row_ptr);
      transpose_.emplace(Array(index.row_ptr), Array(index.col), host_row_ptr.data(), options_);
    }
    transpose_->take_room_for_values(std::move(index.val));
    index_.emplace(std::move(index));
  }

  /// New values of the transpose are in the place of the old ones, so that this needs no refresh.
  FormatPtr<Scalar, Index> make_several_transposed() const
  {
    const std::vector<Index> row_ptr = on_host(transpose_->row_ptr());
    View                     a{cols_, rows_, row_ptr.data(), nullptr, reinterpret_cast<const Scalar *>(transpose_->val().data())};
    a.device_row_ptr = transpose_->row_ptr().data();
    a.device_col     = transpose_->col().data();
    return make_several_(a, options_, {MemorySpace::device, 1});
  }

  template <class Array> static std::vector<Index> on_host(const Array &array)
  {
    return runtime::from_device(static_cast<const Index *>(array.data()), array.size());
  }

  Index                                    rows_, cols_;
  OptionValues                             options_;
  int                                      threads_;
  MakeSeveral                              make_several_;
  std::optional<Rows>                      a_;                ///< nothing if there are no nonzeros
  std::optional<TransposedIndex<S, Index>> index_;            ///< of the transpose
  std::optional<Rows>                      transpose_;        ///< nothing until it is needed
  bool                                     gathered_ = false; ///< its values
  bool                                     recorded_ = false; ///< products with it, in a graph
  /// The transpose for several vectors; nothing until it is needed.
  FormatPtr<Scalar, Index> several_transposed_;
  StreamOrder              order_;
  std::mutex               busy_; ///< threads of the program queue one product after the other
};

} // namespace petscspmv::kernels
