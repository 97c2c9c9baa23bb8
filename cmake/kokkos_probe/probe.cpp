#include <Kokkos_Core.hpp>

int main(int argc, char **argv)
{
  const Kokkos::ScopeGuard guard(argc, argv);
  double                   sum = 0;
  Kokkos::parallel_reduce(
    "probe", 100, KOKKOS_LAMBDA(int i, double &s) { s += i; }, sum);
  return sum == 4950 ? 0 : 1;
}
