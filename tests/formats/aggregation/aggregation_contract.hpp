#pragma once

/// \file aggregation_contract.hpp
/// What aggregation is tested for, wherever it is done: against the greedy loop itself, and dense sums.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/at_place.hpp"
#include "impls/aggregation/aggregation.hpp"
#include "support/matrices.hpp"

namespace petscspmv::test {

/// A graph, node by node, each of which is adjacent to itself.
template <class Index> using Neighbours = std::vector<std::set<Index>>;

template <class Scalar, class Index> struct Nodes {
  std::string              name;
  CsrMatrix<Scalar, Index> a;
  Index                    rows = 1; ///< of a node
};

template <class Scalar, class Index> void give_values(CsrMatrix<Scalar, Index> &a)
{
  set_values(a, 7, false);
  for (auto [r, c, v] : a.entries())
    if (c == r) v = 4;
}

/// Keeps an edge if keep(node, node) says so of its ends, which it is asked once, and makes each node `rows` rows.
template <class Scalar, class Index, class Keep>
Nodes<Scalar, Index> nodes(const std::string &name, const CsrMatrix<Scalar, Index> &pattern, const Keep &keep, Index rows = 1)
{
  Neighbours<Index> near(static_cast<std::size_t>(pattern.rows));
  for (Index r = 0; r < pattern.rows; ++r) {
    near[r].insert(r);
    for (const Index c : pattern.row(r))
      if (c < r && c < pattern.rows && keep(r, c)) near[r].insert(c), near[c].insert(r);
  }
  Nodes<Scalar, Index> made{name, {}, rows};
  made.a.cols = pattern.rows * rows;
  for (const auto &row : near)
    for (Index k = 0; k < rows; ++k) {
      std::vector<Index> columns;
      for (const Index c : row)
        for (Index l = 0; l < rows; ++l) columns.push_back(c * rows + l);
      made.a.add_row(columns);
    }
  give_values(made.a);
  return made;
}

/// The same without some entries, whose counterparts remain.
template <class Scalar, class Index> Nodes<Scalar, Index> one_way(const Nodes<Scalar, Index> &of)
{
  Nodes<Scalar, Index> made{of.name + ", partly one way", {}, of.rows};
  made.a.cols = of.a.cols;
  for (Index r = 0; r < of.a.rows; ++r) {
    std::vector<Index> columns;
    for (const Index c : of.a.row(r))
      if (c == r || (r < c ? r * 31 + c : c * 31 + r + 1) % 3 != 0) columns.push_back(c);
    made.a.add_row(columns);
  }
  give_values(made.a);
  return made;
}

template <class Scalar, class Index> std::vector<Nodes<Scalar, Index>> all_nodes()
{
  using P          = Patterns<Scalar, Index>;
  const auto all   = [](Index, Index) { return true; };
  const auto share = [](unsigned percent) {
    return [percent](Index r, Index c) { return static_cast<unsigned>((r * 7919 + c * 104729) % 100) < percent; };
  };
  const auto star      = [](Index r, Index c) { return c == 3 || r == 3 || r == c + 1; };
  const auto no_others = [](Index, Index) { return false; };
  return {nodes<Scalar, Index>("7-point", P::box(9, 9, 1), all),
          nodes<Scalar, Index>("27-point", P::box(7, 7, 3), all),
          nodes<Scalar, Index>("9-point with half of its edges", P::box(20, 1, 2), share(50)),
          nodes<Scalar, Index>("7-point with a sixth of its edges", P::box(9, 9, 1), share(16)),
          nodes<Scalar, Index>("random", P::regular(500, 500, 3, 5), all),
          nodes<Scalar, Index>("a star and a chain", P::by_rows(300, 300, [](Index r) { return P::range(0, r); }), star),
          nodes<Scalar, Index>("no edges", P::box(5, 1, 1), no_others),
          nodes<Scalar, Index>("one row", P::box(1, 1, 1), all),
          nodes<Scalar, Index>("7-point, 2 rows a node", P::box(6, 6, 1), share(80), Index(2)),
          nodes<Scalar, Index>("27-point, 3 rows a node", P::box(5, 5, 3), all, Index(3))};
}

/// Lists of nodes as the loop of PETSc makes them, one aggregate after the other.
template <class Index>
std::vector<std::vector<Index>> greedy_lists(const Neighbours<Index> &near, Coarsening how, const std::vector<Index> &order)
{
  const auto                      n = near.size();
  std::vector<std::vector<Index>> list(n), lists;
  std::vector<Index>              owner(n, -1);
  for (const Index v : order) {
    if (owner[v] >= 0 || near[v].size() < 2) continue;
    std::set<Index> reached = near[v];
    if (how == Coarsening::squared)
      for (const Index u : near[v]) reached.insert(near[u].begin(), near[u].end());
    list[v].push_back(v);
    owner[v] = v;
    for (const Index u : reached)
      if (owner[u] < 0) list[v].push_back(u), owner[u] = v;
  }
  if (how == Coarsening::squared)
    for (std::size_t v = 0; v < n; ++v) {
      if (owner[v] != static_cast<Index>(v)) continue;
      for (const Index u : near[v]) {
        auto &old = list[owner[u]];
        if (owner[u] == static_cast<Index>(v)) continue;
        old.erase(std::find(old.begin(), old.end(), u));
        list[v].push_back(u);
        owner[u] = static_cast<Index>(v);
      }
    }
  for (auto &nodes : list) {
    if (how == Coarsening::neighbours) std::sort(nodes.begin(), nodes.end());
    if (!nodes.empty()) lists.push_back(nodes);
  }
  return lists;
}

/// Of all rules.
template <class Index>
std::vector<std::vector<Index>> lists_of(const Neighbours<Index> &near, Coarsening how, const std::vector<Index> &order)
{
  if (how != Coarsening::twice) return greedy_lists(near, how, order);
  const auto         first = greedy_lists(near, Coarsening::neighbours, order);
  Neighbours<Index>  graph(first.size());
  std::vector<Index> owner(near.size(), -1), ascending;
  for (std::size_t g = 0; g < first.size(); ++g) {
    ascending.push_back(static_cast<Index>(g));
    for (const Index v : first[g]) owner[v] = static_cast<Index>(g);
  }
  for (std::size_t v = 0; v < near.size(); ++v)
    for (const Index u : near[v])
      if (owner[v] >= 0) graph[owner[v]].insert(owner[u]);
  auto lists = greedy_lists(graph, Coarsening::neighbours, ascending);
  for (auto &aggregates : lists) {
    std::vector<Index> nodes;
    for (const Index g : aggregates) nodes.insert(nodes.end(), first[g].begin(), first[g].end());
    std::sort(nodes.begin(), nodes.end());
    aggregates = nodes;
  }
  return lists;
}

/// A prolongator's pattern.
template <class Index> struct ProlongatorPattern {
  std::vector<Index> row_ptr, col;
};

template <class Scalar, class Index> ProlongatorPattern<Index> pattern_of(Aggregation<Scalar, Index> &made, bool smoothed)
{
  ProlongatorPattern<Index> pattern{made.pattern(smoothed), {}};
  pattern.col.resize(static_cast<std::size_t>(pattern.row_ptr.back()));
  made.columns(pattern.col.data());
  return pattern;
}

template <class Param> class AggregationTest : public ::testing::Test {
protected:
  using Scalar = typename Param::Scalar;
  using Index  = typename Param::Index;
  using Where  = typename Param::Place;
  using Case   = Nodes<Scalar, Index>;
  using Made   = std::unique_ptr<Aggregation<Scalar, Index>>;

  void SetUp() override
  {
    if (const std::string missing = Where::missing(); !missing.empty()) GTEST_SKIP() << missing;
  }

  /// Entry by entry, in a map.
  static Neighbours<Index> graph(const Case &of, const Edges &edges = {})
  {
    const auto                                n = static_cast<std::size_t>(of.a.rows / of.rows);
    std::map<std::pair<Index, Index>, double> weight, of_transpose;
    for (auto [r, c, v] : of.a.entries()) {
      const double more = of.rows == 1 ? std::abs(v) : std::abs(std::real(v));
      weight[{r / of.rows, c / of.rows}] += more;
      if (edges.symmetrised) of_transpose[{c / of.rows, r / of.rows}] += more;
    }
    for (const auto &[nodes, more] : of_transpose) weight[nodes] += more;
    Neighbours<Index> near(n);
    for (const auto &[nodes, w] : weight) {
      const auto [v, u] = nodes;
      if (edges.threshold < 0 || w / std::sqrt(weight[{v, v}] * weight[{u, u}]) > edges.threshold) near[v].insert(u);
    }
    return near;
  }

  static std::vector<Index> order_of(const Case &of) { return greedy_order(static_cast<Index>(of.a.rows / of.rows)); }

  /// Columns of a near null space, [columns][rows].
  static std::vector<double> near_null_space(Index rows, int columns)
  {
    std::vector<double> b(static_cast<std::size_t>(rows) * columns);
    Random<double>      random(11);
    for (double &value : b) value = random.number();
    return b;
  }
};
TYPED_TEST_SUITE_P(AggregationTest);

TYPED_TEST_P(AggregationTest, AreThoseOfTheLoop)
{
  using Index = typename TestFixture::Index;
  auto cases  = all_nodes<typename TestFixture::Scalar, Index>();
  for (std::size_t symmetric = cases.size(), k = 0; k < symmetric; ++k) cases.push_back(one_way(cases[k]));
  for (const auto &where : TestFixture::Where::all())
    for (const auto &of : cases)
      for (const Edges edges : {Edges{}, Edges{true, -1}, Edges{true, 0}, Edges{true, 0.06}, Edges{true, 0.13}})
        for (const Coarsening how : {Coarsening::squared, Coarsening::neighbours, Coarsening::twice}) {
          if (!edges.symmetrised && of.name.find("one way") != std::string::npos) continue;
          SCOPED_TRACE(of.name + ", threshold " + std::to_string(edges.threshold) + ", rule " + std::to_string(static_cast<int>(how)));
          const auto  held  = where.template hold<typename TestFixture::Scalar, Index>(of.a);
          const auto  near  = TestFixture::graph(of, edges);
          const auto  order = TestFixture::order_of(of);
          const auto  lists = lists_of(near, how, order);
          std::string why_not;
          const auto  made = make_aggregation(held.view(), of.rows, edges, where.execution, &why_not);
          ASSERT_TRUE(made) << why_not;
          std::vector<Index> expected(near.size(), -1), degrees;
          for (std::size_t g = 0; g < lists.size(); ++g)
            for (const Index v : lists[g]) expected[v] = static_cast<Index>(g);
          for (const auto &row : near) degrees.push_back(static_cast<Index>(row.size()));
          EXPECT_EQ(made->degrees(), degrees);
          EXPECT_EQ(made->aggregate(how, order), static_cast<Index>(lists.size()));
          EXPECT_EQ(made->aggregates(), expected);
        }
}

TYPED_TEST_P(AggregationTest, TheTentativeProlongatorHasOrthonormalColumnsAndTheNearNullSpace)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  for (const auto &where : TestFixture::Where::all())
    for (const auto &of : all_nodes<Scalar, Index>())
      for (const int columns : {1, 2, 6})
        for (const Coarsening how : {Coarsening::squared, Coarsening::neighbours, Coarsening::neighbours_of_root, Coarsening::twice}) {
          SCOPED_TRACE(of.name + ", " + std::to_string(columns) + " columns");
          const auto  held  = where.template hold<Scalar, Index>(of.a);
          const auto  order = TestFixture::order_of(of);
          const auto  lists = lists_of(TestFixture::graph(of), how, order);
          const auto  b     = TestFixture::near_null_space(of.a.rows, columns);
          std::string why_not;
          const auto  made = make_aggregation(held.view(), of.rows, Edges{}, where.execution, &why_not);
          ASSERT_TRUE(made) << why_not;
          const auto          n = static_cast<std::size_t>(made->aggregate(how, order));
          std::vector<double> r(n * columns * columns, 17.);
          made->orthonormalise(b.data(), columns, r.data());
          const auto p = pattern_of(*made, false);
          const auto q = where.template values<Scalar>(*made, 0, p.col.size());
          for (std::size_t g = 0; g < n; ++g) {
            const auto row_of = [&](std::size_t k) { return lists[g][k / of.rows] * of.rows + static_cast<Index>(k % of.rows); };
            const auto at     = [&](std::size_t k, int j) {
              const Index row = row_of(k);
              EXPECT_EQ(p.row_ptr[row + 1] - p.row_ptr[row], columns);
              EXPECT_EQ(p.col[p.row_ptr[row] + j], static_cast<Index>(g) * columns + j);
              return std::real(q[p.row_ptr[row] + j]);
            };
            const std::size_t rows   = lists[g].size() * of.rows;
            const auto        coarse = [&](int i, int j) { return r[(j * n + g) * columns + i]; };
            for (int j = 0; j < columns; ++j) {
              for (int i = 0; i < columns; ++i) {
                double product = 0;
                for (std::size_t k = 0; k < rows; ++k) product += at(k, i) * at(k, j);
                const bool exists = static_cast<std::size_t>(i) < rows; // of fewer rows than columns, the rest is 0
                EXPECT_NEAR(product, i == j && exists ? 1. : 0., 1e-12);
                if (i > j || !exists) { EXPECT_EQ(coarse(i, j), 0); }
              }
              for (std::size_t k = 0; k < rows; ++k) {
                double sum = 0;
                for (int i = 0; i < columns; ++i) sum += at(k, i) * coarse(i, j);
                EXPECT_NEAR(sum, b[static_cast<std::size_t>(j) * of.a.rows + row_of(k)], 1e-12);
              }
            }
            if (rows > 1) { EXPECT_LE(coarse(0, 0) * b[row_of(0)], 0); } // the sign that the first of the list has not
          }
        }
}

TYPED_TEST_P(AggregationTest, TheProlongatorIsSmoothed)
{
  using Scalar           = typename TestFixture::Scalar;
  using Index            = typename TestFixture::Index;
  constexpr double omega = 0.8;
  for (const auto &of : all_nodes<Scalar, Index>())
    for (const int columns : {1, 3}) {
      SCOPED_TRACE(of.name + ", " + std::to_string(columns) + " columns");
      std::vector<Scalar> first;
      for (const auto &where : TestFixture::Where::all()) {
        const auto  held  = where.template hold<Scalar, Index>(of.a);
        const auto  order = TestFixture::order_of(of);
        std::string why_not;
        const auto  made = make_aggregation(held.view(), of.rows, Edges{}, where.execution, &why_not);
        ASSERT_TRUE(made) << why_not;
        const auto          n = static_cast<std::size_t>(made->aggregate(Coarsening::squared, order));
        std::vector<double> r(n * columns * columns);
        made->orthonormalise(TestFixture::near_null_space(of.a.rows, columns).data(), columns, r.data());
        const auto tentative = pattern_of(*made, false);
        const auto q         = where.template values<Scalar>(*made, 0, tentative.col.size());
        const auto smoothed  = pattern_of(*made, true);
        const auto p         = where.template values<Scalar>(*made, omega, smoothed.col.size());
        for (Index row = 0; row < of.a.rows; ++row) {
          std::vector<Scalar> expected(n * columns);
          std::set<Index>     reached;
          const auto          add = [&](Scalar factor, Index from) {
            for (Index e = tentative.row_ptr[from]; e < tentative.row_ptr[from + 1]; ++e) expected[tentative.col[e]] += factor * q[e];
          };
          for (Index e = of.a.row_ptr[row]; e < of.a.row_ptr[row + 1]; ++e) {
            const Index column = of.a.col[e];
            add(-omega * of.a.val[e] / Scalar(4), column);
            for (Index t = tentative.row_ptr[column]; t < tentative.row_ptr[column + 1]; ++t) reached.insert(tentative.col[t]);
          }
          add(1, row);
          const std::vector<Index> columns_of_row(smoothed.col.begin() + smoothed.row_ptr[row],
                                                  smoothed.col.begin() + smoothed.row_ptr[row + 1]);
          EXPECT_EQ(columns_of_row, std::vector<Index>(reached.begin(), reached.end()));
          for (Index e = smoothed.row_ptr[row]; e < smoothed.row_ptr[row + 1]; ++e)
            EXPECT_LE(std::abs(p[e] - expected[smoothed.col[e]]), 1e-13);
        }
        if (first.empty()) first = p;
        else EXPECT_EQ(p, first) << "with other threads";
      }
    }
}

TYPED_TEST_P(AggregationTest, RefusesGraphsThatAreNotSymmetric)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  CsrMatrix<Scalar, Index> single, lonely, weak;
  single.cols = lonely.cols = weak.cols = 2;
  single.add_row({0, 1});
  single.add_row({1});
  lonely.add_row({0, 1});
  lonely.add_row({0});
  weak.add_row({0, 1});
  weak.add_row({0, 1});
  single.val = {4, 3, 4};
  lonely.val = {4, 3, 3};
  weak.val   = {4, 3, 0.1, 4};
  const struct {
    const CsrMatrix<Scalar, Index> *a;
    Edges                           edges;
    const char                     *words;
  } cases[] = {{&single, {}, "1 entries have no counterpart"},          {&single, {false, 0.1}, "1 entries have no counterpart"},
               {&weak, {false, 0.1}, "1 entries have no counterpart"},  {&lonely, {}, "1 nodes have no diagonal entry"},
               {&lonely, {true, -1}, "1 nodes have no diagonal entry"}, {&weak, {true, 2}, "2 nodes have no diagonal entry"}};
  for (const auto &where : TestFixture::Where::all())
    for (const auto &[a, edges, words] : cases) {
      const auto  held = where.template hold<Scalar, Index>(*a);
      std::string why_not;
      EXPECT_FALSE(make_aggregation(held.view(), Index(1), edges, where.execution, &why_not));
      EXPECT_NE(why_not.find(words), std::string::npos) << why_not;
    }
}

REGISTER_TYPED_TEST_SUITE_P(AggregationTest, AreThoseOfTheLoop, TheTentativeProlongatorHasOrthonormalColumnsAndTheNearNullSpace,
                            TheProlongatorIsSmoothed, RefusesGraphsThatAreNotSymmetric);

} // namespace petscspmv::test
