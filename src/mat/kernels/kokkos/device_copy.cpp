#include "core/device_copy.hpp"

#include <complex>

#include "core/for_each_type.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv {
namespace kernels {
namespace {

/// Entry r of each row r.
template <class S, class Index> struct TakeDiagonal {
  const Index *row_ptr, *col;
  const S     *val;
  S           *to;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const
  {
    Index e = row_ptr[r];
    while (e < row_ptr[r + 1] && col[e] != r) ++e;
    to[r] = e < row_ptr[r + 1] ? val[e] : S(0);
  }
};

template <class Scalar, class Index, class Place> class CopyAt final : public DeviceCopy<Scalar, Index> {
  using Memory = typename Place::Memory;
  using S      = KokkosScalar<Scalar>;

  struct Arrays {
    KokkosArray<Index, Memory> row_ptr, col;
    KokkosArray<S, Memory>     val;
  };

public:
  CopyAt(const CsrView<Scalar, Index> &a, int threads) : memory_(threads)
  {
    const auto entries = static_cast<std::size_t>(a.nonzeros());
    memory_.taking([&] {
      arrays_->row_ptr = memory_.shown(a.row_ptr, static_cast<std::size_t>(a.rows) + 1);
      arrays_->col     = memory_.shown(a.col, entries);
      arrays_->val     = memory_.shown(reinterpret_cast<const S *>(a.val), entries);
    });
  }

  CsrView<Scalar, Index> shown(CsrView<Scalar, Index> a) const override
  {
    a.device_row_ptr = arrays_->row_ptr.data();
    a.device_col     = arrays_->col.data();
    a.val            = reinterpret_cast<const Scalar *>(arrays_->val.data());
    return a;
  }

  void refresh(const Scalar *val) override
  {
    memory_.copy(borrowed_array<Kokkos::HostSpace>(reinterpret_cast<const S *>(val), arrays_->val.extent(0)), arrays_->val);
  }

  void diagonal(Scalar *to) const override
  {
    const TakeDiagonal<S, Index> take{arrays_->row_ptr.data(), arrays_->col.data(), arrays_->val.data(), reinterpret_cast<S *>(to)};
    memory_.run([&](const auto &exec) {
      Kokkos::parallel_for("petscspmv diagonal", indices(exec, static_cast<std::int64_t>(arrays_->row_ptr.extent(0)) - 1), take);
    });
  }

  std::size_t bytes() const override
  {
    const auto taken = [](const auto &array) { return array.extent(0) * sizeof(*array.data()); };
    return taken(arrays_->row_ptr) + taken(arrays_->col) + taken(arrays_->val);
  }

private:
  KokkosMemory<Place> memory_;
  Resident<Arrays>    arrays_ = make_resident<Arrays>();
};

} // namespace
} // namespace kernels

template <class Scalar, class Index>
std::unique_ptr<DeviceCopy<Scalar, Index>> make_device_copy(const CsrView<Scalar, Index> &a, int threads)
{
  return kernels::made_at(MemorySpace::device, [&]<class Place>(Place) -> std::unique_ptr<DeviceCopy<Scalar, Index>> {
    return std::make_unique<kernels::CopyAt<Scalar, Index, Place>>(a, threads);
  });
}

#define INSTANTIATE(S, I) template std::unique_ptr<DeviceCopy<S, I>> make_device_copy(const CsrView<S, I> &, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

void copy_to_device([[maybe_unused]] void *to, [[maybe_unused]] const void *from, [[maybe_unused]] std::size_t bytes,
                    [[maybe_unused]] int threads)
{
  if constexpr (built_for_device) kernels::upload(to, from, bytes, threads);
}

void copy_from_device([[maybe_unused]] void *to, [[maybe_unused]] const void *from, [[maybe_unused]] std::size_t bytes,
                      [[maybe_unused]] int threads)
{
  if constexpr (built_for_device) kernels::download(to, from, bytes, threads);
}

} // namespace petscspmv
