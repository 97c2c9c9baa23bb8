#include <iostream>

#include "commands/commands.hpp"
#include "records/csv.hpp"
#include "records/results_file.hpp"
#include "report/report.hpp"

namespace petscspmv::bench {

int run_report(const Invocation &invocation)
{
  std::vector<Record> records;
  for (const std::string &path : invocation.inputs) {
    const auto more = read_results(path);
    records.insert(records.end(), more.begin(), more.end());
  }
  records = latest(records);
  std::cout << (invocation.csv ? to_csv(records) : markdown_report(records, invocation.ties));
  return 0;
}

} // namespace petscspmv::bench
