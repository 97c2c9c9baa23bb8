#include "generators/couplings.hpp"

namespace petscspmv::bench {

void add_node_rows(RowBuilder &builder, const Couplings &couplings, std::int64_t node, const std::vector<std::int64_t> &neighbours,
                   std::int64_t b, std::int64_t most_neighbours)
{
  for (std::int64_t i = node * b; i < (node + 1) * b; ++i) {
    double sum = 0;
    for (std::int64_t other : neighbours)
      for (std::int64_t j = other * b; j < (other + 1) * b; ++j) {
        if (j == i) continue;
        const double value = couplings.between(i, j);
        sum -= value;
        builder.add(Index(j), value);
      }
    builder.add(Index(i), couplings.diagonal(i, sum, most_neighbours * b - 1));
    builder.end_row();
  }
}

} // namespace petscspmv::bench
