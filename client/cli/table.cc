#include "client/cli/table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "signet/cat.h"

namespace signet {
namespace {

using Data = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMaxItems = 6;           // of a list in a cell
constexpr size_t kMaxCellWidth = 60;      // characters
constexpr size_t kMaxSampledRows = 1000;  // rows that determine the widths of columns

std::string CellOf(const Data& data, bool outermost = true) {
  if (data.is_string()) return Printable(data.get<std::string>());
  if (data.is_array()) {
    std::string out;
    for (size_t i = 0; i < std::min(data.size(), kMaxItems); ++i) {
      out += Cat(i > 0 ? ", " : "", CellOf(data[i], false));
    }
    if (data.size() > kMaxItems) out += Cat(", ... (", data.size(), ")");
    return outermost ? out : Cat("[", out, "]");
  }
  if (data.is_object()) {
    std::string out;
    for (const auto& [name, item] : data.items()) {
      out += Cat(out.empty() ? "" : ", ", name, ": ", CellOf(item, false));
    }
    return Cat("{", out, "}");
  }
  return data.dump();
}

std::string CutCell(std::string cell) {
  size_t characters = 0;
  for (size_t i = 0; i < cell.size(); ++i) {
    bool begins = (static_cast<unsigned char>(cell[i]) & 0xc0) != 0x80;
    if (begins && ++characters > kMaxCellWidth) return cell.substr(0, i) + "...";
  }
  return cell;
}

size_t WidthOf(const std::string& cell) {
  return static_cast<size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool IsListOfObjects(const Data& data) {
  return data.is_array() && !data.empty() &&
         std::all_of(data.begin(), data.end(), [](const Data& row) { return row.is_object(); });
}

bool IsDictOfColumns(const Data& data) {
  if (!data.is_object() || data.empty()) return false;
  return std::all_of(data.begin(), data.end(), [&](const Data& column) {
    return column.is_array() && column.size() == data.begin()->size();
  });
}

Rows RowsOfObjects(const Data& data) {
  Rows rows(1);
  for (const auto& [name, item] : data[0].items()) rows[0].push_back(name);
  for (const Data& object : data) {
    std::vector<std::string> row;
    for (const auto& [name, item] : object.items()) row.push_back(CellOf(item));
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows RowsOfColumns(const Data& data) {
  Rows rows(1 + data.begin()->size());
  for (const auto& [name, column] : data.items()) {
    rows[0].push_back(name);
    for (size_t i = 0; i < column.size(); ++i) rows[i + 1].push_back(CellOf(column[i]));
  }
  return rows;
}

Rows RowsOf(const Data& data) {
  if (IsListOfObjects(data)) return RowsOfObjects(data);
  if (IsDictOfColumns(data)) return RowsOfColumns(data);
  Rows rows;
  if (data.is_object()) {
    for (const auto& [name, item] : data.items()) rows.push_back({name, CellOf(item)});
  } else if (data.is_array()) {
    for (const Data& item : data) rows.push_back({CellOf(item)});
  } else {
    rows.push_back({CellOf(data)});
  }
  return rows;
}

std::vector<size_t> WidthsOf(const Rows& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  return widths;
}

// Pads cells to the widths of their columns. A wider cell moves the rest of its row to the right.
std::string PadCells(const Rows& rows, const std::vector<size_t>& widths) {
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      size_t width = i < widths.size() ? widths[i] : 0;
      if (i + 1 < row.size())
        line.append(std::max(width, WidthOf(row[i])) - WidthOf(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string RenderJsonTable(const std::string& json) {
  Rows rows = RowsOf(Data::parse(json));
  for (auto& row : rows) {
    for (std::string& cell : row) cell = CutCell(std::move(cell));
  }
  return AlignColumns(rows);
}

std::string JsonTable::Add(std::string_view json_lines) {
  std::string out;
  while (!json_lines.empty()) {
    size_t end = std::min(json_lines.find('\n'), json_lines.size());
    Data data = Data::parse(json_lines.substr(0, end), nullptr, /*allow_exceptions=*/false);
    json_lines.remove_prefix(std::min(end + 1, json_lines.size()));
    if (!is_begun_ && data.is_object()) {
      for (const auto& [name, item] : data.items()) columns_.push_back(name);
      rows_.push_back(columns_);
    }
    is_begun_ = true;
    std::vector<std::string>& row = rows_.emplace_back();
    if (!data.is_object()) row.push_back(CutCell(CellOf(data)));
    for (const std::string& column : columns_) {
      auto item = data.is_object() ? data.find(column) : data.end();
      row.push_back(item == data.end() ? "" : CutCell(CellOf(*item)));
    }
    if (rows_.size() > kMaxSampledRows || !widths_.empty()) out += Flush();
  }
  return out;
}

std::string JsonTable::Finish() { return Flush(); }

std::string JsonTable::Flush() {
  if (widths_.empty()) widths_ = WidthsOf(rows_);
  return PadCells(std::exchange(rows_, {}), widths_);
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows) {
  return PadCells(rows, WidthsOf(rows));
}

}  // namespace signet
