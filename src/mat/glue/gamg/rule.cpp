#include "glue/gamg/rule.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <petsc/private/matimpl.h> // the lists of aggregates

#include "glue/door/hooks.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// A random graph whose nodes have one to some ten neighbours, but for two that have none; each is adjacent to itself.
struct SmallGraph {
  std::vector<PetscInt> row_ptr, col;
  std::vector<PetscInt> degrees;

  SmallGraph()
  {
    std::array<std::array<bool, kProbeNodes>, kProbeNodes> adjacent{};
    Rander48                                               random;
    const auto any = [&](PetscInt most) { return static_cast<std::size_t>(random() * static_cast<double>(most)); };
    for (std::size_t v = 0; v < kProbeNodes; ++v) adjacent[v][v] = true;
    for (PetscInt edge = 0; edge < 2 * kProbeNodes; ++edge) {
      const std::size_t a = any(kProbeNodes - 2), b = any(1 + static_cast<PetscInt>(any(kProbeNodes - 2))); // low numbers have more
      adjacent[a][b] = adjacent[b][a] = true;
    }
    row_ptr.push_back(0);
    for (const auto &row : adjacent) {
      for (std::size_t c = 0; c < row.size(); ++c)
        if (row[c]) col.push_back(static_cast<PetscInt>(c));
      row_ptr.push_back(static_cast<PetscInt>(col.size()));
      degrees.push_back(row_ptr.back() - row_ptr[row_ptr.size() - 2]);
    }
  }
};

const SmallGraph &TheGraph()
{
  static const auto &graph = *new SmallGraph;
  return graph;
}

/// By our rules: the aggregate of each node, or -1.
struct Expectation {
  Coarsening            how;
  bool                  by_degree;
  std::vector<PetscInt> aggregates;
};

PetscErrorCode Expect(std::vector<Expectation> *expected)
{
  const SmallGraph &graph = TheGraph();
  View              view{kProbeNodes, kProbeNodes, graph.row_ptr.data(), graph.col.data()};

  PetscFunctionBegin;
  for (const Coarsening how : {Coarsening::squared, Coarsening::neighbours, Coarsening::twice})
    for (const bool by_degree : {false, true}) {
      std::vector<PetscInt> order = greedy_order(kProbeNodes);
      std::string           why_not;
      if (by_degree) PetscCall(SortByDegree(graph.degrees, &order));
      PetscCallCXX(const auto graph = make_aggregation(view, PetscInt(1), Edges{}, Execution{}, &why_not); graph->aggregate(how, order);
                   expected->push_back({how, by_degree, graph->aggregates()}));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Numbers PETSc's lists, and tells whether all of them ascend.
PetscErrorCode Number(PetscCoarsenData *lists, std::vector<PetscInt> *aggregates, bool *ascend)
{
  PetscInt aggregate = 0;

  PetscFunctionBegin;
  aggregates->assign(kProbeNodes, -1);
  *ascend = true;
  for (PetscInt list = 0; list < kProbeNodes; ++list) {
    PetscCDIntNd *place;
    PetscInt      before = -1, node;
    PetscCall(PetscCDGetHeadPos(lists, list, &place));
    if (!place) continue;
    for (; place; before = node) {
      PetscCall(PetscCDIntNdGetID(place, &node));
      PetscCall(PetscCDGetNextPos(lists, list, &place));
      (*aggregates)[(std::size_t)node] = aggregate;
      *ascend                          = *ascend && node > before;
    }
    ++aggregate;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CreateProbe(Mat A, PetscInt node_rows, Mat *probe)
{
  const SmallGraph        &graph = TheGraph();
  const PetscInt           rows  = kProbeNodes * node_rows;
  std::vector<PetscInt>    columns;
  std::vector<PetscScalar> values;

  PetscFunctionBegin;
  PetscCall(CreateParent(MATSEQAIJ, probe));
  PetscCall(MatSetSizes(*probe, rows, rows, rows, rows));
  PetscCall(MatSetBlockSize(*probe, node_rows));
  PetscCall(MatSeqAIJSetPreallocation(*probe, *std::max_element(graph.degrees.begin(), graph.degrees.end()) * node_rows, NULL));
  for (PetscInt row = 0; row < rows; ++row) {
    const auto own = (std::size_t)(row / node_rows);
    columns.clear();
    values.clear();
    for (PetscInt e = graph.row_ptr[own]; e < graph.row_ptr[own + 1]; ++e)
      for (PetscInt k = 0; k < node_rows; ++k) {
        const PetscInt column = graph.col[(std::size_t)e] * node_rows + k;
        columns.push_back(column);
        values.push_back(column == row ? (PetscScalar)(graph.degrees[own] * node_rows) : column < row ? -0.5 : -1);
      }
    PetscCall(MatSetValues(*probe, 1, &row, (PetscInt)columns.size(), columns.data(), values.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*probe, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*probe, MAT_FINAL_ASSEMBLY));
  PetscCall(MatPropagateSymmetryOptions(A, *probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode IsSymmetrised(Mat graph, bool *symmetrised)
{
  const PetscInt first = 0, neighbour = TheGraph().col[1];
  PetscScalar    up, down;

  PetscFunctionBegin;
  PetscCall(MatGetValues(graph, 1, &first, 1, &neighbour, &up));
  PetscCall(MatGetValues(graph, 1, &neighbour, 1, &first, &down));
  *symmetrised = PetscAbsScalar(up - down) < 0.1 * PetscAbsScalar(up);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindRule(PetscCoarsenData *lists, CoarseningRule *rule, bool *found)
{
  static auto          &expected = *new std::vector<Expectation>;
  static std::mutex     expecting;
  std::vector<PetscInt> aggregates;
  bool                  ascend;

  PetscFunctionBegin;
  *found = false;
  const std::lock_guard lock(expecting);
  if (expected.empty()) PetscCall(Expect(&expected));
  PetscCall(Number(lists, &aggregates, &ascend));
  for (const Expectation &e : expected) {
    if (e.aggregates != aggregates) continue;
    *rule  = {e.how == Coarsening::neighbours && !ascend ? Coarsening::neighbours_of_root : e.how, e.by_degree};
    *found = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SortByDegree(const std::vector<PetscInt> &degrees, std::vector<PetscInt> *order)
{
  std::vector<PetscInt> sorted;

  PetscFunctionBegin;
  sorted.reserve(order->size());
  for (const PetscInt node : *order) sorted.push_back(degrees[(std::size_t)node]);
  PetscCall(PetscSortIntWithArray((PetscInt)sorted.size(), sorted.data(), order->data())); // which decides about ties
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
