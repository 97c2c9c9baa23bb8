#include "glue/shadow.hpp"

#include "core/precision.hpp"
#include "glue/options.hpp"
#include "glue/door/registry.hpp"
#include "select/several.hpp"

namespace petscspmv::shadow {

Shadow::Shadow(const MatKind &k, bool has_name, bool is_mpi)
  : kind(&k), named(has_name), mpi(is_mpi), options(k.options), common(CommonOptions())
{
}

void Shadow::configure(const OptionValues &new_options, const OptionValues &new_common)
{
  if (options == new_options && common == new_common) return;
  options    = new_options;
  common     = new_common;
  automatic  = {};
  instances_ = {};
  sweeps.reset();
  analysed.reset();
  on_device = {};
}

void Shadow::inherit(const Shadow &other)
{
  configure(other.options, other.common);
  options_read = (bool)other.options_read;
}

void Shadow::forget_pattern()
{
  for (auto &instance : instances_)
    if (instance) instance->key = {};
  on_device = {};
}

void Shadow::forget_values()
{
  for (auto &instance : instances_)
    if (instance) instance->key.values = -1;
  if (sweeps) sweeps->key.values = -1;
  on_device.key.values = -1;
}

Instance &Shadow::add(Form form)
{
  return *(instances_[place(form)] = std::make_unique<Instance>());
}

const Instance &Shadow::none()
{
  static const Instance &empty = *new Instance;
  return empty;
}

std::size_t Shadow::bytes_taken() const
{
  std::size_t bytes = sizeof(*this) + kContainerBytes + options.bytes_taken() + common.bytes_taken() + petscspmv::bytes_taken(parent);
  if (sweeps) bytes += sizeof(*sweeps);
  if (analysed) bytes += petscspmv::bytes_taken(*analysed);
  if (assembled) bytes += sizeof(*assembled);
  if (automatic.rental) bytes += sizeof(*automatic.rental);
  if (outer_prefix.capacity() > std::string().capacity()) bytes += outer_prefix.capacity() + 1;
  for (const auto &instance : instances_)
    if (instance) bytes += sizeof(*instance) + petscspmv::bytes_taken(instance->node_ptr);
  return bytes;
}

std::vector<Form> Shadow::forms() const
{
  std::vector<Form> forms;
  for (const MemorySpace space : {MemorySpace::host, MemorySpace::device})
    for (const Purpose purpose : {Purpose::products, Purpose::several, Purpose::transposed})
      if (at({space, purpose}).format) forms.emplace_back(space, purpose);
  return forms;
}

Footprint Shadow::footprint() const
{
  Footprint sum;
  sum.objects = bytes_taken();
  for (const Form form : forms()) {
    const Footprint f = at(form).format->footprint();
    sum.arrays.insert(sum.arrays.end(), f.arrays.begin(), f.arrays.end());
    sum.objects += f.objects;
  }
  if (sweeps && sweeps->sweeps) sum.objects += sweeps->sweeps->footprint().kept();
  if (on_device.arrays) sum.objects += on_device.arrays->bytes();
  return sum;
}

const FormatType<PetscScalar, PetscInt> &Shadow::type_at(Form form) const
{
  if (form.is_beside()) return select::beside(kind->format, PlainKind().format);
  if (!kind->fast) return kind->format;
  const bool elsewhere = automatic.rental && (form.space != automatic.space || automatic.rental->way() == select::Way::plain);
  return elsewhere ? PlainKind().format : kind->fast->format;
}

OptionValues Shadow::options_of(const FormatType<PetscScalar, PetscInt> &type) const
{
  if (&type == &kind->format) return static_cast<const OptionValues &>(options);
  OptionValues others(type.options);
  for (const OptionSpec &spec : type.options) // auto hands it on
    if (loses_bits(spec) && kind->fast && &type == &kind->fast->format) others.set(spec.key, options[spec.key]);
  return others;
}

Form Shadow::for_several(Operation op, MemorySpace space) const
{
  if (op != Operation::none) return for_single(op, space);
  const bool by_others = space == MemorySpace::device ? !kind->format.several_on_device() : !kind->format.transposes;
  const bool beside    = by_others && kernels() == Kernels::automatic;
  return {space, beside ? Purpose::several : Purpose::products};
}

Form Shadow::for_single(Operation op, MemorySpace space) const
{
  return {space, op == Operation::none || kind->format.transposes ? Purpose::products : Purpose::transposed};
}

} // namespace petscspmv::shadow
