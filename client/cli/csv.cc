#include "client/cli/csv.h"

#include <algorithm>
#include <charconv>
#include <csv.h>
#include <span>
#include <string>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <nlohmann/json.hpp>

#include "client/cli/arguments.h"
#include "core/model/native/utf8_check.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr char kValueColumn[] = "value";  // name of the column of results that are not records

// Returns the JSON number for a cell such as `.5`, `+1`, `007`, or `1.`, which JSON does not
// accept.
std::optional<std::string> NumberText(std::string_view cell) {
  if (cell.starts_with("+-")) return std::nullopt;
  if (cell.starts_with('+')) cell.remove_prefix(1);
  std::string_view digits = cell.substr(cell.starts_with('-') ? 1 : 0);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return Cat(cell.starts_with('-') ? "-" : "", digits);
  }
  double number;
  auto read = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (read.ec != std::errc() || read.ptr != cell.data() + cell.size()) return std::nullopt;
  std::string text = OrderedJson(number).dump();
  if (text == "null") return std::nullopt;  // NaN and infinities are strings
  return text;
}

std::string Quoted(const std::string& text) { return OrderedJson(text).dump(); }

std::string CellToJson(const std::string& cell, bool is_text) {
  if (is_text) return Quoted(cell);
  if (IsJson(cell)) {
    // A line break would end the record, so it is replaced by a space.
    std::string line = cell;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return line;
  }
  if (absl::EqualsIgnoreCase(cell, "true")) return "true";
  if (absl::EqualsIgnoreCase(cell, "false")) return "false";
  // Any other cell is sent as text, so that the server's error contains it.
  return NumberText(cell).value_or(Quoted(cell));
}

// Returns true if each row has one string for this field, or a list of one. `rank` is the number of
// dimensions that are not part of a cell: the dimensions of the rows, and one more for an optional
// field.
bool IsText(const TypeSpec& field, int rank) {
  const auto* tensor = field ? field.As<TensorSpec>() : nullptr;
  const auto* ragged = field ? field.As<RaggedSpec>() : nullptr;
  bool is_string = (tensor != nullptr && tensor->dtype() == DType::kString) ||
                   (ragged != nullptr && ragged->dtype() == DType::kString);
  if (!is_string || !field.shape()->has_rank()) return false;
  const auto dims = field.shape()->dims();
  return std::all_of(dims.begin() + std::min<std::ptrdiff_t>(rank, std::ssize(dims)), dims.end(),
                     [](int64_t dim) { return dim == 1; });
}

// Returns true for the text of a list, which a field with a list of one may have, too.
bool IsListText(const TypeSpec& field, int rank, const std::optional<std::string>& cell) {
  return cell && field.shape()->rank() > rank && cell->starts_with('[') && IsJson(*cell);
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(",\"\r\n") != text.npos || text.front() == ' ' ||
         text.back() == ' ';
}

// Returns the cell of a JSON text. Numbers, lists, and records keep their text.
std::string CsvCell(std::string_view json) {
  if (json == "null") return "";
  const std::string text =
      json.starts_with('"') ? OrderedJson::parse(json).get<std::string>() : std::string(json);
  if (!NeedsQuotes(text)) return text;
  std::string out(csv_write(nullptr, 0, text.data(), text.size()), '\0');
  csv_write(out.data(), out.size(), text.data(), text.size());
  return out;
}

// Returns the position after the JSON value that begins at `at`. `json` is valid.
size_t EndOfValue(std::string_view json, size_t at) {
  int depth = 0;
  bool is_text = false;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (is_text) {
      if (c == '\\') ++at;
      if (c == '"') is_text = false;
    } else if (c == '"') {
      is_text = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (--depth < 0) return at;
    } else if ((c == ',' || c == ':') && depth == 0) {
      return at;
    }
  }
  return at;
}

std::string_view TrimmedJson(std::string_view json) {
  const size_t begin = json.find_first_not_of(" \t\r\n");
  if (begin == json.npos) return "";
  return json.substr(begin, json.find_last_not_of(" \t\r\n") + 1 - begin);
}

struct JsonMember {
  std::string name;
  std::string_view value;  // JSON text
};

// Returns the members of a valid JSON text, or one member if it is not an object.
std::vector<JsonMember> MembersOf(std::string_view json) {
  json = TrimmedJson(json);
  if (!json.starts_with('{')) return {{.name = kValueColumn, .value = json}};
  std::vector<JsonMember> members;
  for (size_t at = 1; at < json.size();) {
    const size_t name_end = EndOfValue(json, at);
    const auto name = TrimmedJson(json.substr(at, name_end - at));
    if (name.empty()) break;  // an object without members
    const size_t value = name_end + 1;
    at = EndOfValue(json, value);
    members.push_back({.name = OrderedJson::parse(name).get<std::string>(),
                       .value = TrimmedJson(json.substr(value, at - value))});
    ++at;
  }
  return members;
}

std::string CsvLine(const std::vector<std::string>& cells) { return Join(cells, ",") + "\n"; }

}  // namespace

struct CsvParser::State {
  csv_parser parser;
  CsvRow row;
  size_t row_bytes = 0;
  std::deque<CsvRow>* rows = nullptr;

  static void AddCell(void* cell, size_t size, void* data) {
    auto& state = *static_cast<State*>(data);
    auto& added = state.row.emplace_back();
    if (cell != nullptr) added.emplace(static_cast<const char*>(cell), size);
    state.row_bytes += size;
  }
  static void EndRow(int, void* data) {
    auto& state = *static_cast<State*>(data);
    state.rows->push_back(std::exchange(state.row, {}));
    state.row_bytes = 0;
  }
  Status Fault() {
    int error = csv_error(&parser);
    if (error == CSV_ENOMEM || error == CSV_ETOOBIG) {
      return ResourceExhausted("out of memory for a row of CSV");
    }
    return InvalidArgument("expected CSV, found a quotation mark inside a cell; quote the whole ",
                           "cell and double each quotation mark in it");
  }
};

CsvParser::CsvParser() : state_(std::make_unique<State>()) {
  csv_init(&state_->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL);
  csv_set_space_func(&state_->parser, [](unsigned char) { return 0; });  // spaces belong to cells
}

CsvParser::~CsvParser() { csv_free(&state_->parser); }

Status CsvParser::Parse(std::string_view bytes, std::deque<CsvRow>& rows) {
  state_->rows = &rows;
  size_t parsed = csv_parse(&state_->parser, bytes.data(), bytes.size(), State::AddCell,
                            State::EndRow, state_.get());
  return parsed == bytes.size() ? absl::OkStatus() : state_->Fault();
}

Status CsvParser::Finish(std::deque<CsvRow>& rows) {
  state_->rows = &rows;
  int failed = csv_fini(&state_->parser, State::AddCell, State::EndRow, state_.get());
  if (failed == 0) return absl::OkStatus();
  return InvalidArgument("expected the end of a quoted cell, found the end of the file");
}

size_t CsvParser::pending_bytes() const { return state_->row_bytes + state_->parser.entry_pos; }

Status CheckCsvText(const std::optional<std::string>& cell) {
  if (!cell || CheckUtf8(*cell).ok()) return absl::OkStatus();
  return InvalidArgument("expected text in UTF-8, found `", Printable(*cell),
                         "`; convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8`");
}

StatusOr<std::string> JsonFromCsvRow(const CsvRow& row, const std::vector<std::string>& columns,
                                     const TypeSpec& rows) {
  if (row.size() != columns.size()) {
    return InvalidArgument("expected ", columns.size(), " cells, one per column, found ",
                           row.size());
  }
  for (size_t i = 0; i < row.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(At(Cat("column `", Printable(columns[i]), "`"), CheckCsvText(row[i])));
  }
  bool is_record = !rows || rows.is(TypeKind::kStructured);
  if (!is_record) {
    if (columns.size() != 1) {
      return InvalidArgument("expected one column for rows of `", rows, "`, found ",
                             columns.size());
    }
    const bool is_text = rows.shape() != nullptr && rows.shape()->has_rank() &&
                         rows.shape()->rank() == 1 && IsText(rows, 1);
    return row[0] ? CellToJson(*row[0], is_text) : std::string("null");
  }
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    bool is_text = false;
    bool may_be_missing = false;
    const auto* structured = rows ? rows.As<StructuredSpec>() : nullptr;
    auto names = structured != nullptr ? structured->field_names() : std::span<const std::string>();
    if (auto found = std::find(names.begin(), names.end(), columns[i]); found != names.end()) {
      const auto child = static_cast<size_t>(found - names.begin());
      const TypeSpec& field = structured->children()[child];
      const bool is_optional = structured->IsOptionalChild(child);
      const int rank = structured->rank() + (is_optional ? 1 : 0);
      is_text = IsText(field, rank) && !IsListText(field, rank, row[i]);
      may_be_missing = is_optional || field.rep().notes().default_value;
    }
    if (!row[i] && (!is_text || may_be_missing)) continue;
    out += Cat(out.empty() ? "" : ",", Quoted(columns[i]), ":",
               CellToJson(row[i].value_or(""), is_text));
  }
  return Cat("{", out, "}");
}

StatusOr<std::string> CsvWriter::Write(std::string_view json_lines) {
  std::string out;
  while (!json_lines.empty()) {
    size_t end = std::min(json_lines.find('\n'), json_lines.size());
    const std::string_view line = json_lines.substr(0, end);
    json_lines.remove_prefix(std::min(end + 1, json_lines.size()));
    if (!OrderedJson::accept(line)) return DataLoss("a result is not JSON");
    const std::vector<JsonMember> members = MembersOf(line);
    if (columns_.empty()) {
      std::vector<std::string> names;
      for (const JsonMember& member : members) {
        columns_.push_back(member.name);
        names.push_back(CsvCell(OrderedJson(member.name).dump()));
      }
      out += CsvLine(names);
    }
    std::vector<std::string> cells(columns_.size());
    for (size_t i = 0; i < members.size(); ++i) {
      // The members of most records are in the order of the columns.
      auto column = i < columns_.size() && columns_[i] == members[i].name
                        ? columns_.begin() + static_cast<std::ptrdiff_t>(i)
                        : std::find(columns_.begin(), columns_.end(), members[i].name);
      if (column == columns_.end()) {
        return FailedPrecondition("column `", Printable(members[i].name),
                                  "` is not in the first result; use .ndjson for such results");
      }
      cells[static_cast<size_t>(column - columns_.begin())] = CsvCell(members[i].value);
    }
    out += CsvLine(cells);
  }
  return out;
}

}  // namespace signet
