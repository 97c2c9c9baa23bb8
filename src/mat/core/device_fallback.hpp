#pragma once

/// \file device_fallback.hpp
/// A format that has no kernels for a device yet, and another one that stands in for it there.

#include <memory>
#include <string>

#include "format.hpp"

namespace petscspmv {

/// `F` on the host; on a device `Device`, with the default values of its options.
template <SpmvFormat F, SpmvFormat Device> class DeviceFallback {
public:
  using scalar_type = typename F::scalar_type;
  using index_type  = typename F::index_type;
  using View        = CsrView<scalar_type, index_type>;

  static constexpr std::string_view name      = F::name;
  static constexpr std::string_view method    = F::method;
  static constexpr bool             borrows   = F::borrows;
  static constexpr bool             on_device = Device::on_device;

  static std::span<const OptionSpec> options() { return F::options(); }
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options) { return F::predicted_bytes(a, options); }

  DeviceFallback(const View &a, const OptionValues &options, const Execution &execution)
    : fallback_(execution.space == MemorySpace::device),
      format_(fallback_ ? format_type<Device>().build(a, OptionValues(Device::options()), execution)
                        : format_type<F>().build(a, options, execution))
  {
  }
  void refresh(const View &a) { format_->refresh(a); }
  void multiply(Operation op, scalar_type alpha, const scalar_type *x, scalar_type beta, scalar_type *y)
  {
    format_->multiply(op, alpha, x, beta, y);
  }
  void multiply_many(scalar_type alpha, const scalar_type *x, std::int64_t ldx, scalar_type beta, scalar_type *y, std::int64_t ldy,
                     int columns)
  {
    format_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  }
  Footprint footprint() const { return format_->footprint(); }
  Facts     facts() const
  {
    Facts facts = format_->facts();
    if (fallback_)
      facts.insert(facts.begin(),
                   {"kernel", "that of " + std::string(Device::name) + ": there is none for " + std::string(name) + " on a device yet"});
    return facts;
  }

private:
  bool                                                fallback_;
  std::unique_ptr<AnyFormat<scalar_type, index_type>> format_;
};

} // namespace petscspmv
