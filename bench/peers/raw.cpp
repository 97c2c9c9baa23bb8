/// \file raw.cpp
/// The formats themselves, linked in, with no PETSc in the timed call: the difference to the type is what the glue
/// costs.

#include "core/runtime.hpp"
#include "interface/type_list.hpp"
#include "matrix/nodes.hpp"
#include "peers/host_product.hpp"

namespace petscspmv::bench {

namespace {

using Type = FormatType<double, Index>;
using View = CsrView<double, Index>;

class RawProduct final : public HostProduct {
public:
  RawProduct(const Type &format, const Setup &setup) : HostProduct(setup), format_(format), options_(format.options)
  {
    for (const auto &[key, value] : setup.options) options_.set(key, value);
    runtime::start(threads());
  }

  void build() override
  {
    nodes_  = find_nodes(matrix());
    object_ = format_.build(view(), options_, Execution{MemorySpace::host, std::min(threads(), runtime::max_threads())});
  }

  void multiply() override { object_->multiply(Operation::none, 1.0, x(), 0.0, y()); }

  std::optional<ProductBytes> bytes() const override
  {
    const Footprint f = object_->footprint();
    return ProductBytes{std::int64_t(f.total()), std::int64_t(f.owned())};
  }

  void refresh_and_multiply() override
  {
    object_->refresh(view());
    multiply();
  }

private:
  View view() const
  {
    View v{matrix().rows, matrix().cols, matrix().row_ptr.data(), matrix().col.data(), values()};
    v.nodes    = nodes_.empty() ? 0 : Index(nodes_.size() - 1);
    v.node_ptr = nodes_.empty() ? nullptr : nodes_.data();
    return v;
  }

  Type                     format_;
  OptionValues             options_;
  std::vector<Index>       nodes_;
  FormatPtr<double, Index> object_;
};

class RawPeer final : public Peer {
public:
  explicit RawPeer(const Type &format) : format_(format), name_("raw:" + std::string(format.name)) { }

  std::string_view            name() const override { return name_; }
  std::string_view            help() const override { return "the format without PETSc around it"; }
  Role                        role() const override { return Role::raw; }
  std::span<const OptionSpec> options() const override { return format_.options; }
  std::string                 limits(int ranks, int) const override { return ranks > 1 ? "a format alone runs in one process" : ""; }
  std::unique_ptr<Product>    make(const Setup &setup) const override { return std::make_unique<RawProduct>(format_, setup); }

private:
  Type        format_;
  std::string name_;
};

const struct RegisterAll {
  RegisterAll()
  {
    for (const Type &type : all_types<double, Index>) register_peer(std::make_unique<RawPeer>(type));
  }
} registration;

} // namespace

} // namespace petscspmv::bench
