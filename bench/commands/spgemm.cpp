/// \file spgemm.cpp
/// Products of sparse matrices: A A, and P^T A P on all levels of PCGAMG, by us and by each algorithm of PETSc's.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <petscksp.h>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "measure/device.hpp"
#include "measure/quantiles.hpp"
#include "petsc/check.hpp"
#include "petsc/device.hpp"
#include "petsc/plugin.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

/// Any object of PETSc's, destroyed at the end.
template <class Object, PetscErrorCode (*destroy)(Object *)> class Held {
public:
  Held() = default;
  Held(Held &&other) noexcept : object_(std::exchange(other.object_, nullptr)) { }
  Held &operator=(Held &&other) noexcept
  {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() { (void)destroy(&object_); }
  Object *out() { return &object_; }
          operator Object() const { return object_; }

private:
  Object object_ = nullptr;
};
using HeldMat = Held<Mat, MatDestroy>;
using HeldKsp = Held<KSP, KSPDestroy>;

/// Who multiplies: PETSc by an algorithm (null: its default), or we.
struct Way {
  std::string name;
  const char *algorithm = nullptr;
  bool        ours      = false;
  int         threads   = 0; ///< of ours; 0: on the device
};

struct Factors {
  HeldMat A, B;
};

/// Products that are timed together.
struct Work {
  std::string               name;
  MatProductType            type;
  std::vector<const char *> algorithms; ///< of PETSc's
  std::vector<Factors>      factors;
};

/// With the block size of -mat_block_size.
HeldMat petsc_matrix(const CsrMatrix &a, const Device *device)
{
  HeldMat A;
  check_petsc(MatCreate(PETSC_COMM_SELF, A.out()));
  check_petsc(MatSetSizes(A, a.rows, a.cols, a.rows, a.cols));
  check_petsc(MatSetType(A, device ? MATSEQAIJCUSPARSE : MATSEQAIJ));
  check_petsc(MatSetFromOptions(A));
  check_petsc(MatSeqAIJSetPreallocationCSR(A, a.row_ptr.data(), a.col.data(), a.val.data()));
  return A;
}

HeldMat shared(Mat A)
{
  HeldMat same;
  check_petsc(PetscObjectReference((PetscObject)A));
  *same.out() = A;
  return same;
}

Work square(Mat A)
{
  Work work{"A A", MATPRODUCT_AB, {"sorted", "scalable", "scalable_fast", "btheap", "llcondensed", "rowmerge"}, {}};
  work.factors.push_back({shared(A), shared(A)});
  return work;
}

/// With the matrices and prolongators that PETSc's options ask for.
Work galerkin(Mat A)
{
  Work     work{"P^T A P", MATPRODUCT_PtAP, {"scalable", "rap"}, {}};
  HeldKsp  ksp;
  PC       pc;
  PetscInt levels;
  check_petsc(KSPCreate(PETSC_COMM_SELF, ksp.out()));
  check_petsc(KSPSetOperators(ksp, A, A));
  check_petsc(KSPGetPC(ksp, &pc));
  check_petsc(PCSetType(pc, PCGAMG));
  check_petsc(KSPSetFromOptions(ksp));
  check_petsc(KSPSetUp(ksp));
  check_petsc(PCMGGetLevels(pc, &levels));
  for (PetscInt level = levels - 1; level > 0; --level) {
    KSP smoother;
    Mat of_level, P;
    check_petsc(PCMGGetSmoother(pc, level, &smoother));
    check_petsc(KSPGetOperators(smoother, &of_level, nullptr));
    check_petsc(PCMGGetInterpolation(pc, level, &P));
    work.factors.push_back({shared(of_level), shared(P)});
  }
  return work;
}

/// All entries are there, and within rounding of sums.
void compare(Mat C, Mat reference)
{
  PetscInt  rows;
  PetscReal most;
  check_petsc(MatGetSize(reference, &rows, nullptr));
  check_petsc(MatNorm(reference, NORM_INFINITY, &most));
  for (PetscInt row = 0; row < rows; ++row) {
    PetscInt           n, m;
    const PetscInt    *col, *expected_col;
    const PetscScalar *value, *expected;
    check_petsc(MatGetRow(C, row, &n, &col, &value));
    check_petsc(MatGetRow(reference, row, &m, &expected_col, &expected));
    bool same = std::equal(col, col + n, expected_col, expected_col + m);
    for (PetscInt k = 0; same && k < n; ++k) same = std::abs(value[k] - expected[k]) <= 1e-12 * most;
    check_petsc(MatRestoreRow(reference, row, &m, &expected_col, &expected));
    check_petsc(MatRestoreRow(C, row, &n, &col, &value));
    if (!same) throw std::runtime_error("Row " + std::to_string(row) + " of the product is wrong.");
  }
}

/// What one way takes: seconds of first products, and of products with new values, and the device's memory.
struct Times {
  std::vector<double> first, values;
  std::int64_t        bytes = 0; ///< that products and what is kept for them hold
};

/// One way with the products of some work.
class Multiplier {
public:
  Multiplier(const Work &work, const Way &way, const Device *device) : type_(work.type), way_(way), device_(device)
  {
    for (const Factors &f : work.factors) {
      HeldMat A = shared(f.A);
      if (way.ours) {
        A = HeldMat();
        check_petsc(MatConvert(f.A, "ccoo", MAT_INITIAL_MATRIX, A.out()));
        if (way.threads > 0) set_plugin_option(A, "threads", way.threads);
      }
      factors_.push_back({std::move(A), shared(f.B)});
    }
  }

  /// Makes all products, and all once more.
  void sample(Clock &clock, Times &times)
  {
    products_ = std::vector<HeldMat>(factors_.size());
    settle();
    const std::int64_t free  = device_ ? device_->free_bytes() : 0;
    double             begin = clock.now();
    for (std::size_t k = 0; k < factors_.size(); ++k) first(factors_[k], products_[k]);
    settle();
    times.first.push_back(clock.now() - begin);
    if (device_) times.bytes = free - device_->free_bytes();
    begin = clock.now();
    for (const HeldMat &C : products_) check_petsc(MatProductNumeric(C));
    settle();
    times.values.push_back(clock.now() - begin);
  }

  void check(const Multiplier &reference) const
  {
    for (std::size_t k = 0; k < products_.size(); ++k) compare(products_[k], reference.products_[k]);
  }

private:
  void settle() const
  {
    if (device_) wait_for_device();
  }

  void first(const Factors &f, HeldMat &C) const
  {
    check_petsc(MatProductCreate(f.A, f.B, nullptr, C.out()));
    check_petsc(MatProductSetType(C, type_));
    if (way_.algorithm) check_petsc(MatProductSetAlgorithm(C, way_.algorithm));
    check_petsc(MatProductSetFromOptions(C));
    check_petsc(MatProductSymbolic(C));
    check_petsc(MatProductNumeric(C));
  }

  MatProductType       type_;
  Way                  way_;
  const Device        *device_;
  std::vector<Factors> factors_;
  std::vector<HeldMat> products_;
};

/// Over PETSc's default, and over the fastest that PETSc has: first products, and new values.
struct Gains {
  std::vector<double> first, first_best, values, values_best;
};
/// By the name of the work, and of the way.
using AllGains = std::map<std::pair<std::string, std::string>, Gains>;

/// Times a way that is PETSc's default, others of PETSc's, and ours.
class Race {
public:
  /// With `device`, all multiply there; else ours with so many threads.
  Race(const Work &work, const std::vector<int> &threads, const Device *device) : work_(work), device_(device)
  {
    ways_.push_back({device ? "PETSc, by cuSPARSE" : "PETSc, by default"});
    if (device) {
      ways_.push_back({"ours", nullptr, true});
      return;
    }
    for (const char *algorithm : work.algorithms) ways_.push_back({std::string("PETSc, ") + algorithm, algorithm});
    for (const int n : threads) ways_.push_back({"ours, threads: " + std::to_string(n), nullptr, true, n});
  }

  /// Returns false if somebody has failed.
  bool run(MpiRanks &world, Clock &clock, const ContestSettings &settings)
  {
    std::vector<Entrant>    entrants(ways_.size());
    std::vector<Multiplier> multipliers;
    multipliers.reserve(ways_.size());
    times_.resize(ways_.size());
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      entrants[k].name.name = ways_[k].name;
      entrants[k].ranks     = &world;
      multipliers.emplace_back(work_, ways_[k], device_);
    }
    Times none; // the first to multiply, for comparison, and so that memory has been touched
    multipliers.front().sample(clock, none);
    take_turns(
      clock, world, settings, std::min(3, settings.least_samples), entrants, [] { return false; },
      [&](std::size_t k) {
        multipliers[k].sample(clock, times_[k]);
        multipliers[k].check(multipliers.front());
      });
    bool all = true;
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      runs_.push_back(entrants[k].runs());
      if (!entrants[k].runs()) std::cerr << work_.name << ", " << ways_[k].name << ": " << entrants[k].reason << '\n';
      all = all && entrants[k].runs();
    }
    return all;
  }

  void print(const std::string &matrix) const
  {
    TextTable table({"<" + matrix + ", " + work_.name, "first", "new values", device_ ? "MB on the device" : ""});
    for (std::size_t k = 0; k < ways_.size(); ++k)
      if (runs_[k])
        table.add_row({ways_[k].name, duration(median(times_[k].first)), duration(median(times_[k].values)),
                       device_ ? std::to_string(times_[k].bytes / 1000000) : ""});
    std::cout << table.terminal() << std::endl;
  }

  void add_gains(AllGains &gains) const
  {
    double first = std::numeric_limits<double>::infinity(), values = first;
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      if (!runs_[k]) continue;
      const double own_first = median(times_[k].first), own_values = median(times_[k].values);
      if (!ways_[k].ours) {
        first  = std::min(first, own_first);
        values = std::min(values, own_values);
        continue;
      }
      Gains &g = gains[{work_.name, ways_[k].name}];
      g.first.push_back(median(times_.front().first) / own_first);
      g.first_best.push_back(first / own_first);
      g.values.push_back(median(times_.front().values) / own_values);
      g.values_best.push_back(values / own_values);
    }
  }

private:
  static double median(const std::vector<double> &times) { return quantiles_of(times).median; }

  const Work        &work_;
  const Device      *device_;
  std::vector<Way>   ways_;
  std::vector<Times> times_;
  std::vector<bool>  runs_;
};

void print(const AllGains &gains)
{
  TextTable table({"<product", "<by", "matrices", "first, over PETSc's default: mean, least", "over its best",
                   "new values, over its default", "over its best"});
  for (const auto &[key, g] : gains)
    table.add_row({key.first, key.second, std::to_string(g.first.size()), mean_and_least(g.first), mean_and_least(g.first_best),
                   mean_and_least(g.values), mean_and_least(g.values_best)});
  std::cout << table.markdown() << std::endl;
}

} // namespace

int run_spgemm(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  const RunOptions &o = invocation.run;
  if (world.size() > 1) throw InputError("spgemm measures one process; start petscspmv-bench without mpiexec.");
  const std::vector<int> threads = o.wishes.threads.empty() ? std::vector<int>{1} : o.wishes.threads;
  load_plugin(o.plugin.empty() ? default_plugin() : o.plugin, *std::max_element(threads.begin(), threads.end()));
  const std::unique_ptr<Device> device = o.wishes.place == Place::device ? open_device(petsc_stream()) : nullptr;
  AllGains                      gains;
  int                           code = kGood;
  for (const MatrixSource &source : sources_of(invocation, true)) {
    const CsrMatrix a = source.make();
    if (a.rows != a.cols) {
      std::cerr << source.name << " is not square, and has neither of these products.\n";
      continue;
    }
    const HeldMat A = petsc_matrix(a, device.get());
    for (const auto &make : {square, galerkin}) try {
        const Work work = make(A);
        Race       race(work, threads, device.get());
        if (!race.run(world, clock, o.contest)) code = kBad;
        race.print(source.name);
        race.add_gains(gains);
      } catch (const std::runtime_error &e) {
        std::cerr << source.name << ": " << e.what() << '\n';
        code = kBad;
      }
  }
  if (!gains.empty()) print(gains);
  return code;
}

} // namespace petscspmv::bench
