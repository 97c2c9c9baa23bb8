#include "select/cache/fingerprint.hpp"

#include <cstdio>

#include "core/for_each_type.hpp"

namespace petscspmv::select {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
{
  // splitmix64: G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators. OOPSLA 2014
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x9e3779b97f4a7c15u;
  z               = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z               = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

namespace {

/// Eight sums side by side, so that a multiplication need not wait for the one before.
template <class Index> std::uint64_t hash(const Index *numbers, std::size_t count)
{
  constexpr std::size_t   lanes  = 8;
  constexpr std::uint64_t factor = 0xff51afd7ed558ccdu;
  std::uint64_t           sum[lanes]{};
  std::size_t             k = 0;
  for (; k + lanes <= count; k += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      sum[l] = (sum[l] ^ static_cast<std::uint64_t>(numbers[k + l])) * factor;
      sum[l] ^= sum[l] >> 29;
    }
  std::uint64_t all = count;
  for (const std::uint64_t s : sum) all = mixed(all, s);
  for (; k < count; ++k) all = mixed(all, static_cast<std::uint64_t>(numbers[k]));
  return all;
}

} // namespace

template <class Scalar, class Index> std::uint64_t fingerprint(const CsrView<Scalar, Index> &a)
{
  const std::uint64_t sizes = mixed(static_cast<std::uint64_t>(a.rows), static_cast<std::uint64_t>(a.cols));
  if (!a.row_ptr) return sizes;
  const std::uint64_t rows = hash(a.row_ptr, static_cast<std::size_t>(a.rows) + 1);
  return mixed(mixed(sizes, rows), hash(a.col, static_cast<std::size_t>(a.nonzeros())));
}

std::uint64_t fingerprint(std::span<const OptionSpec> options)
{
  std::uint64_t all = options.size();
  for (const OptionSpec &spec : options) {
    for (const char c : spec.key) all = mixed(all, static_cast<std::uint64_t>(c));
    for (const std::int64_t number : {spec.default_value, spec.min, spec.max}) all = mixed(all, static_cast<std::uint64_t>(number));
  }
  return all;
}

std::string hexadecimal(std::uint64_t number)
{
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

#define INSTANTIATE(S, I) template std::uint64_t fingerprint(const CsrView<S, I> &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::select
