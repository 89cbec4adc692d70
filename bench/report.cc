#include "bench/report.h"

#include <cstdio>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace signet {
namespace {

// Writes three significant digits, without an exponent for numbers below a million.
std::string Digits(double number) {
  char text[32];
  double size = number < 0 ? -number : number;
  int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  std::snprintf(text, sizeof(text), "%.*f", decimals, number);
  return text;
}

nlohmann::json OrNull(const std::optional<double>& number) {
  return number.has_value() ? nlohmann::json(*number) : nlohmann::json();
}

void PrintRow(const Row& row) {
  std::printf("%-58s %10s %-8s", row.name.c_str(), Digits(row.value).c_str(), row.unit.c_str());
  if (row.reference.has_value()) {
    std::printf(" %10s %-26s x %-7s", Digits(*row.reference).c_str(), row.reference_name.c_str(),
                Digits(*row.Ratio()).c_str());
  } else {
    std::printf(" %10s %-26s   %-7s", "", "", "");
  }
  if (row.bar.has_value()) {
    std::printf(" %s %s%s", row.better == Better::kHigher ? ">=" : "<=", Digits(*row.bar).c_str(),
                row.MeetsBar() ? "" : "  MISSED");
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

std::optional<double> Row::Ratio() const {
  if (!reference.has_value()) return std::nullopt;
  return value / *reference;
}

bool Row::MeetsBar() const {
  if (!bar.has_value()) return true;
  double reached = Ratio().value_or(value);
  return better == Better::kHigher ? reached >= *bar : reached <= *bar;
}

Row Compared(std::string name, std::string unit, std::string reference_name, Pair pair,
             Better better, std::optional<double> bar) {
  return {.name = std::move(name),
          .value = pair.value,
          .unit = std::move(unit),
          .reference_name = std::move(reference_name),
          .reference = pair.reference,
          .better = better,
          .bar = bar};
}

void Report::Add(Row row) {
  if (rows_.empty()) {
    std::printf("%-58s %10s %-8s %10s %-26s x %-7s %s\n", "what", "value", "unit", "reference", "",
                "ratio", "bar");
  }
  PrintRow(row);
  rows_.push_back(std::move(row));
}

void Report::Skip(std::string_view name, std::string_view why) {
  std::printf("%s\n", Cat(name, ": not measured: ", why).c_str());
}

void Report::PrintMissed() const {
  size_t bars = 0;
  size_t missed = 0;
  for (const Row& row : rows_) {
    bars += row.bar.has_value() ? 1 : 0;
    missed += row.MeetsBar() ? 0 : 1;
  }
  std::printf("\n%s\n", Cat(rows_.size(), " rows; ", bars, " bars, ", missed, " missed").c_str());
  for (const Row& row : rows_) {
    if (!row.MeetsBar()) std::printf("  missed: %s\n", row.name.c_str());
  }
}

Status Report::WriteJson(const std::filesystem::path& path) const {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : rows_) {
    rows.push_back(
        {{"name", row.name},
         {"value", row.value},
         {"unit", row.unit},
         {"reference", OrNull(row.reference)},
         {"reference_name",
          row.reference.has_value() ? nlohmann::json(row.reference_name) : nlohmann::json()},
         {"ratio", OrNull(row.Ratio())},
         {"better", row.better == Better::kHigher ? "higher" : "lower"},
         {"bar", OrNull(row.bar)}});
  }
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path);
  file << rows.dump(1) << "\n";
  if (!file.flush()) return Unavailable(path.string(), ": cannot be written");
  return absl::OkStatus();
}

}  // namespace signet
