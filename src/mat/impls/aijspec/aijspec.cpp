#include "impls/aijspec/aijspec.hpp"

#include <array>
#include <complex>

namespace petscspmv {

template <class Scalar, class Index> struct AijSpec<Scalar, Index>::Impl {
  View         a;
  OptionValues options;
};

template <class Scalar, class Index> std::span<const OptionSpec> AijSpec<Scalar, Index>::options()
{
  static constexpr std::array<OptionSpec, 1> table{{{"height", 256, 1, 1 << 20, "Nonzeros that a lane sums in a tile (the paper's W)"}}};
  return table;
}

template <class Scalar, class Index> std::size_t AijSpec<Scalar, Index>::predicted_bytes(const View &a, const OptionValues &)
{
  return std::size_t(a.nonzeros()) * (sizeof(Scalar) + sizeof(Index)) + (std::size_t(a.rows) + 1) * sizeof(Index);
}

template <class Scalar, class Index>
AijSpec<Scalar, Index>::AijSpec(const View &a, const OptionValues &options, const Execution &) : impl_(new Impl{a, options})
{
}
template <class Scalar, class Index> AijSpec<Scalar, Index>::~AijSpec() = default;
template <class Scalar, class Index> void AijSpec<Scalar, Index>::refresh(const View &a)
{
  impl_->a = a;
}

template <class Scalar, class Index>
void AijSpec<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  const View &a      = impl_->a;
  const auto  scaled = [&](Scalar v) { return beta == Scalar(0) ? Scalar(0) : beta * v; };
  if (op == Operation::none) {
    for (Index r = 0; r < a.rows; ++r) {
      Scalar s = 0;
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) s += a.val[k] * x[a.col[k]];
      y[r] = scaled(y[r]) + alpha * s;
    }
    return;
  }
  for (Index c = 0; c < a.cols; ++c) y[c] = scaled(y[c]);
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      Scalar v = a.val[k];
      if constexpr (!std::is_same_v<Scalar, double>)
        if (op == Operation::hermitian) v = std::conj(v);
      y[a.col[k]] += alpha * v * x[r];
    }
}

template <class Scalar, class Index> Footprint AijSpec<Scalar, Index>::footprint() const
{
  const View &a = impl_->a;
  return Footprint{{{"row pointer", (std::size_t(a.rows) + 1) * sizeof(Index), true},
                    {"columns", std::size_t(a.nonzeros()) * sizeof(Index), true},
                    {"values", std::size_t(a.nonzeros()) * sizeof(Scalar), true}}};
}

template <class Scalar, class Index> Facts AijSpec<Scalar, Index>::facts() const
{
  return {};
}

template class AijSpec<double, std::int32_t>;
template class AijSpec<double, std::int64_t>;
template class AijSpec<std::complex<double>, std::int32_t>;
template class AijSpec<std::complex<double>, std::int64_t>;

} // namespace petscspmv
