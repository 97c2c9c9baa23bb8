#include "report/baseline.hpp"

#include <map>

#include "report/comparison.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

BaselineResult compare_with_baseline(const std::vector<Record> &records, const std::vector<Record> &baseline, double tolerance)
{
  std::map<std::string, const Record *> before;
  for (const Record &r : baseline) before[key_of(r)] = &r;

  BaselineResult      result;
  TextTable           table({"<matrix", "<competitor", "<regime", "before", "now", "ratio"});
  std::vector<double> ratios;
  bool                other_machine = false;
  for (const Record &now : records) {
    const auto found = before.find(key_of(now));
    if (found == before.end() || found->second->status != Status::ok || now.status == Status::skipped) continue;
    const Record &then  = *found->second;
    const bool    right = now.status == Status::ok;
    const double  ratio = right ? compared_time(now) / compared_time(then) : 0;
    ++result.compared;
    other_machine = other_machine || hardware_of(now) != hardware_of(then);
    if (right) ratios.push_back(ratio);
    if (right && ratio <= 1 + tolerance) continue;
    ++result.regressions;
    table.add_row({now.matrix.name, now.competitor.label(), text_of(now.regime), duration(compared_time(then)),
                   right ? duration(compared_time(now)) : text_of(now.status), right ? fixed(ratio, 2) : ""});
  }
  result.text = "Against the baseline: " + std::to_string(result.compared) + " compared, time now over time then " +
                fixed(geometric_mean(ratios), 3) + " in the geometric mean, " + std::to_string(result.regressions) +
                " slower by more than " + fixed(100 * tolerance, 0) + " % or no longer right.\n";
  if (other_machine) result.text += "The baseline is of another machine.\n";
  if (result.compared == 0)
    result.text += "Nothing in this run was measured in the baseline, too; compare runs of the same matrices and competitors.\n";
  if (!table.empty()) result.text += table.terminal();
  return result;
}

} // namespace petscspmv::bench
