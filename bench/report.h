// Report: the rows that a run measured: a table to read, and a file to compare.
//
//   report.Add({.name = "dispatch: exact hit, 1000 targets", .value = 61, .unit = "ns", .bar =
//   500}); report.Add(Compared("wire: 1 KiB, 64 in flight", "calls/s", "gRPC echo", pair,
//   Better::kHigher, 0.75));
//
// A row whose reference was measured beside it has a ratio, value over reference: that is what to
// look at, as it outlives the machine. A bar is what the ratio has to reach, or the value where
// there is no reference. Rows are printed as they come, so that a long run shows its progress. One
// thread.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "signet/status.h"

namespace signet {

enum class Better : uint8_t { kHigher, kLower };

struct Row {
  std::string name;  // `subject: what`
  double value = 0;
  std::string unit;
  std::string reference_name = {};
  std::optional<double> reference = {};  // in the same unit, of the same run
  Better better = Better::kLower;
  std::optional<double> bar = {};

  std::optional<double> Ratio() const;
  bool MeetsBar() const;  // true without a bar
};

Row Compared(std::string name, std::string unit, std::string reference_name, Pair pair,
             Better better, std::optional<double> bar = {});

class Report {
 public:
  void Add(Row row);
  // What could not be measured, and why; printed, and no row of the file.
  void Skip(std::string_view name, std::string_view why);

  const std::vector<Row>& rows() const { return rows_; }
  // The rows that miss their bar, and how many there are.
  void PrintMissed() const;
  // [{name, value, unit, reference, reference_name, ratio, better, bar}, ..]; null for what is not
  // there.
  Status WriteJson(const std::filesystem::path& path) const;

 private:
  std::vector<Row> rows_;
};

}  // namespace signet
