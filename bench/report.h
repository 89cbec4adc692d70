// Report: the rows of a run, printed as a table and written to a JSON file.
//
//   report.Add({.name = "dispatch: exact hit", .value = 61, .unit = "ns", .bar = 500});
//   report.Add(Compared("wire: 1 KiB", "calls/s", "gRPC echo", pair, Better::kHigher, 0.75));
//
// A row with a reference has a ratio, value / reference, which depends less on the machine. A bar
// is the limit for the ratio, or for the value if there is no reference. Each row is printed
// immediately. Not thread-safe.

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
  // Prints that something could not be measured, and why. The file does not contain it.
  void Skip(std::string_view name, std::string_view why);

  const std::vector<Row>& rows() const { return rows_; }
  // Prints the rows that miss their bar, and their number.
  void PrintMissed() const;
  // Writes [{name, value, unit, reference, reference_name, ratio, better, bar}, ..]; null for
  // absent values.
  Status WriteJson(const std::filesystem::path& path) const;

 private:
  std::vector<Row> rows_;
};

}  // namespace signet
