// signet infer-type: the type of the values in a JSON file, in the notation, without a server.

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/commands/commands.h"
#include "client/cli/input_file.h"
#include "client/cli/json_type.h"
#include "core/formats/json/json.h"
#include "core/serving/batching/row_layout.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

// Returns the lines of `text` as one JSON list.
std::string ListOfLines(std::string_view text) {
  std::string list = "[";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    list += Cat(list.size() > 1 ? ",\n" : "", line);
  }
  return list + "]";
}

// Returns the type for a parameter that accepts such values: lists may have any number of rows.
StatusOr<std::string> InferType(const std::string& path, std::vector<std::string>& notes) {
  SIGNET_ASSIGN_OR_RETURN(InputFile file, InputFile::Open(path));
  SIGNET_ASSIGN_OR_RETURN(std::string text, file.ReadAll(kMaxBytes));
  if (path.ends_with(".ndjson") || path.ends_with(".jsonl")) text = ListOfLines(text);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded() && IsListOfRecords(json)) {
    auto type = TypeOfRecords(json, notes);
    if (!type.ok()) return At(Printable(path), type.status());
    return type;
  }
  StatusOr<Value> value = InferFromJson(text, Limits());  // also states what is wrong in JSON
  if (!value.ok()) return At(Printable(path), value.status());
  if (json.is_array() && json.empty()) notes.emplace_back("the list is empty; float32 is a guess");
  auto layout = RowLayout::Make(value->spec(), nullptr);
  if (!layout.ok()) return value->spec().ToString();  // not a list
  SIGNET_ASSIGN_OR_RETURN(TypeSpec open, RowLayout::WithOpenRows(value->spec()));
  return open.ToString();
}

}  // namespace

void AddInferType(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("infer-type", "Print the type of the values in a JSON file");
  auto path = std::make_shared<std::string>();
  verb->add_option(
          "FILE", *path,
          "JSON, or one JSON text per line in a file .ndjson or .jsonl; - is standard input")
      ->required();
  verb->callback([path, &session] {
    std::vector<std::string> notes;
    auto type = InferType(*path, notes);
    if (!type.ok()) return session.Fail(type.status());
    std::cout << *type << "\n";
    for (const std::string& note : notes) std::cerr << "signet: note: " << note << "\n";
  });
}

}  // namespace signet
