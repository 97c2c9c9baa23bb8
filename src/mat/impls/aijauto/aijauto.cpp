#include "impls/aijauto/aijauto.hpp"

#include "core/for_each_type.hpp"
#include "select/chooser.hpp"

namespace petscspmv::aijauto {

namespace {

constexpr std::array<std::string_view, 2> moments{"paid", "first"};
// Until going on as a format costs less than a tenth of the time so far. On one core of an AMD Zen 4, the first
// format of a process takes 0.12 ms, and where rows are uneven, the processor learns anew where they end: a graph
// whose products take 0.14 ms loses 0.7 ms in the next ten, 1.13 times AIJ after 30 products in all where 24 of them
// were AIJ's, and 1.10 times after 55 where it is 48.
constexpr std::int64_t first_products = 8000;

} // namespace

constexpr std::array<OptionSpec, 2> option_table{{
  {"when", 0, 0, std::ssize(moments) - 1,
   "When the type is chosen: as products have paid for the conversion, or before the first product, by the model alone", moments},
  {"head_start", first_products, 0, 1000000000,
   "Microseconds that PETSc's own products on the host may take, roughly, before anything is built, 48 of them or 1.5 ms at most; 0 for "
   "none, as when the type is chosen first"},
}};

double head_start(const OptionValues &options)
{
  return options["when"] == 1 ? 0 : 1e-6 * static_cast<double>(options["head_start"]);
}

namespace {

select::Settings settings(const OptionValues &options, const Execution &execution)
{
  return {options["when"] == 1, execution};
}

} // namespace

template <class Scalar, class Index>
FormatPtr<Scalar, Index> make_chooser(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a,
                                      const OptionValues &options, const Execution &execution)
{
  return std::make_unique<select::Chooser<Scalar, Index>>(types, a, settings(options, execution));
}

template <class Scalar, class Index>
std::size_t predicted_bytes(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  const int way = settings(options, {}).first ? select::modelled_choice(types, a, MemorySpace::host) : 0;
  return types[way].predicted_bytes(a, OptionValues(types[way].options));
}

#define INSTANTIATE(S, I) \
  template FormatPtr<S, I> make_chooser(std::span<const FormatType<S, I>>, const CsrView<S, I> &, const OptionValues &, \
                                        const Execution &); \
  template std::size_t     predicted_bytes(std::span<const FormatType<S, I>>, const CsrView<S, I> &, const OptionValues &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijauto
