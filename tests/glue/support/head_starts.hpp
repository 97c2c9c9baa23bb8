#pragma once

/// \file head_starts.hpp
/// What is left to AIJ, as in programs: the tests of what formats do from the first product on do without.

#include "glue/support/mirror_format.hpp"
#include "glue/support/petsc.hpp"
#include "glue/door/attach.hpp"
#include "glue/auto.hpp"
#include "glue/door/registry.hpp"
#include "glue/route.hpp"
#include "glue/shadow.hpp"

namespace petscspmv::test {

/// For the time of a test, as in programs whose products run on the host.
struct HeadStarts {
  HeadStarts() : on_host("-mat_spmv_vec_type", "standard") { shadow::head_starts = true; }
  HeadStarts(const HeadStarts &)            = delete;
  HeadStarts &operator=(const HeadStarts &) = delete;
  ~HeadStarts() { shadow::head_starts = false; }

private:
  OptionGuard on_host; // a device has none
};

/// A type of the name `Mirror::auto_name` that goes on as `Mirror` once products have paid for it, as auto goes on as
/// ccoo.
template <class Mirror> void RegisterAutoOf()
{
  const auto kind = [] { return shadow::FindKind(std::string(Mirror::name).c_str()); };
  Ok(shadow::RegisterFormat([] { return MirrorType<Mirror>(); }));
  Ok(shadow::RegisterFormat([] { return shadow::AutoType(Mirror::auto_name, *shadow::FindKind(std::string(Mirror::name).c_str())); },
                            kind()));
}

/// What a sequential matrix of such a type, or of auto, multiplies as.
inline std::string WayOf(Mat A)
{
  shadow::Entry e;
  Ok(shadow::EnterUnread(A, &e));
  const auto facts = shadow::WayFacts(*e.own);
  return facts.empty() ? "" : facts[0].second;
}

} // namespace petscspmv::test
