#include "select/rental.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace petscspmv::select {

namespace {

// What building ccoo takes, and giving it new values, nanoseconds an entry, on one core of an AMD Zen 4: 4 to 33 and
// 0.5 to 5 of 18 matrices. For a device, 16 threads of an H100's host take 0.2 to 1.2 in all.
constexpr double host_build = 14, host_refresh = 2.5, device_build = 5, device_refresh = 2.5;
// What a further thread adds to building. Two threads, same machine.
constexpr double build_share = 0.6;
// Nanoseconds an entry to bring what was built to a device (12 bytes at 20 GB/s), and for PETSc to bring CSR there, on
// an H100: 7.3 ms for a mesh to 37 for a 27-point stencil, 1.3 to 1.7.
constexpr double device_upload = 0.6, device_csr = 1.4;
// Fewer entries are on a device sooner than memory is allocated there.
constexpr double least_copied_first = 5e5;
// A product on a device takes a launch and the time to read the matrix, on an H200. Going on as a format takes some
// allocations and two small questions to the device, less than a millisecond: of these seconds, a twentieth.
constexpr double device_bandwidth = 4e12, device_launch = 3e-6, device_start = 16e-3;
// Fewer entries take about a microsecond, of which asking the clock would be a share that one notices.
constexpr double least_entries = 2000;

// The share of a product that a way is expected to save before it was timed: ccoo takes 0.1 to 1.2 of AIJ.
constexpr double fast_saves = 0.5, plain_saves = 0.1;
// The rent in prices for which the fast type is built: when products have taken as long as that. Time over AIJ's after
// 30, 100 and 1,000 products, mean (worst) of 16 matrices, AMD Zen 4: with 0.5 1.03 (1.44), 0.79 (1.10), 0.48 (0.87),
// with
// 0.75 1.06 (1.56), 0.87 (1.15), 0.49 (0.83).
constexpr double patience = 0.5;
// What a change to plain CSR costs, in products of AIJ: a processor learns anew where rows end.
constexpr double plain_build = 2;
// The share of products that has to be saved for a change: by less, two timings of the same differ.
constexpr double least_gain = 0.03;
// Products that are timed after a change, all of them, and afterwards one in so many.
constexpr std::int64_t timed_products = 8;
// Products until a new way is left if it takes so many times AIJ's, and until it is judged: caches and what a processor
// knows of the ends of rows are another type's. AMD Zen 4, us of products after a build, and of plain CSR: bccoo of a
// crystal (1.2 million entries) 614, 492, 420, 310, 279, 289, 273, 265, ... 258 (415); of a circuit 330, 153, 116, 111,
// ... 107 (165); of a graph 474, 355, 266, 269, 242, 274, 255, 256, ... 152 (134).
constexpr std::int64_t hopeless_products = 3, judged_products = 16;
constexpr double       hopeless = 1.5;

} // namespace

Prices prices(double entries, double bytes, const Execution &execution)
{
  const double workers = 1 + build_share * (execution.threads - 1);
  if (execution.space == MemorySpace::host)
    return {1e-9 * entries * host_build / workers, 1e-9 * entries * host_refresh, 0, entries < least_entries};
  const double build = 1e-9 * entries * (device_build / workers + device_upload);
  return {std::max(build, fast_saves / patience * device_start), 1e-9 * entries * (device_refresh + device_upload),
          device_launch + bytes / device_bandwidth};
}

bool is_there_sooner(double entries, const Execution &execution)
{
  return execution.kernels == Kernels::automatic && entries >= least_copied_first &&
         device_build / (1 + build_share * (execution.threads - 1)) + device_upload < device_csr;
}

Rental::Rental(const Prices &prices) : decides_(!prices.small), timed_(prices.product == 0)
{
  of(Way::aij).product  = prices.product;
  of(Way::fast).build   = prices.build;
  of(Way::fast).refresh = prices.refresh;
}

Rental Rental::fixed(Way way)
{
  Rental rental{Prices{}};
  rental.way_     = way;
  rental.decides_ = false;
  return rental;
}

bool Rental::is_timed() const
{
  return decides_ && timed_ && (since_ <= timed_products || since_ % timed_products == 0);
}

void Rental::took(Way way, double seconds)
{
  double &least = of(way).product;
  least         = least > 0 ? std::min(least, seconds) : seconds;
}

void Rental::built(double seconds)
{
  of(way_).build = seconds;
}

void Rental::refreshed(double seconds)
{
  of(way_).refresh = seconds;
}

/// Each quarter of a power of two, and where a new way has shown what it is.
bool Rental::is_time()
{
  const bool on_trial = way_ != Way::aij && (since_ == hopeless_products || since_ == judged_products);
  const bool checks   = products_ >= next_check_;
  if (checks)
    next_check_ =
      products_ + std::max<std::int64_t>(4, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(products_)) / 4));
  return on_trial || checks;
}

double Rental::product(Way way) const
{
  if (of(way).product > 0) return of(way).product;
  return of(Way::aij).product * (1 - (way == Way::fast ? fast_saves : plain_saves));
}

/// Whether what the other way would have saved since the last change is as much as going there costs.
bool Rental::pays(Way way) const
{
  const double now  = product(way_);
  const double rent = double(since_) * (now - product(way)) + double(values_since_) * (of(way_).refresh - of(way).refresh);
  if (way == way_ || !of(way).possible || rent <= least_gain * double(since_) * now) return false;
  switch (way) {
  case Way::aij:
    return since_ >= judged_products || now > hopeless * product(way);
  case Way::fast:
    return rent >= patience * of(way).build;
  case Way::plain:
    return (!of(Way::fast).possible || of(Way::fast).product > 0) && rent >= plain_build * now;
  }
  return false;
}

void Rental::change(Way way)
{
  way_   = way;
  since_ = values_since_ = 0;
  changes_.push_back({way, products_});
}

Way Rental::next(bool new_values)
{
  values_since_ += new_values;
  if (decides_ && is_time() && (!timed_ || product(way_) > 0))
    for (const Way way : {Way::aij, Way::fast, Way::plain})
      if (pays(way)) {
        change(way);
        break;
      }
  ++products_;
  ++since_;
  return way_;
}

void Rental::failed()
{
  of(way_).possible = false;
  change(way_ == Way::fast ? Way::plain : Way::aij);
}

std::vector<std::pair<std::string, std::string>> Rental::facts(const std::array<std::string, ways> &names) const
{
  std::string times, history;
  char        text[48];
  for (std::size_t w = 0; w < ways; ++w) {
    if (known_[w].possible && known_[w].product == 0) continue;
    std::snprintf(text, sizeof text, " %.3g us", 1e6 * known_[w].product);
    times += (times.empty() ? "" : ", ") + names[w] + (known_[w].possible ? text : " cannot be built");
  }
  for (const Change &c : changes_)
    history +=
      (history.empty() ? "" : ", ") + names[static_cast<std::size_t>(c.way)] + " after " + std::to_string(c.products) + " products";
  return {{"multiplies as", names[static_cast<std::size_t>(way_)]},
          {"has changed to", history.empty() ? "nothing else yet" : history},
          {"a product takes", times.empty() ? "not known yet" : times}};
}

} // namespace petscspmv::select
