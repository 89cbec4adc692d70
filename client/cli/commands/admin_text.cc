#include "client/cli/commands/admin_text.h"

#include <algorithm>
#include <vector>

#include "client/cli/table.h"
#include "signet/cat.h"

namespace signet {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string Outcome(bool changed, bool dry_run) {
  if (dry_run) return changed ? "would change\n" : "would change nothing\n";
  return changed ? "changed\n" : "unchanged\n";
}

void AddVersions(const v1::ModelInfo& model, Rows& rows) {
  for (const v1::VersionInfo& version : model.versions()) {
    rows.push_back(
        {model.name(), Cat(version.version()), v1::VersionInfo::State_Name(version.state()),
         LabelsOf(model, version.version()), Cat(version.memory_bytes()), AboutVersion(version)});
  }
}

// Returns the first line of a reason. A line that ends with a colon is the heading of a list, whose
// items are joined with it.
std::string FirstStatementOf(std::string_view reason) {
  std::string out;
  bool has_items = false;
  while (!reason.empty()) {
    const size_t end = std::min(reason.find('\n'), reason.size());
    std::string_view line = reason.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    reason.remove_prefix(std::min(end + 1, reason.size()));
    out += Cat(out.empty() ? "" : has_items ? "; " : " ", line);
    has_items = out.size() > line.size();
    if (!has_items && !line.ends_with(':')) break;
  }
  return out;
}

Rows VersionTable() { return {{"MODEL", "VERSION", "STATE", "LABELS", "MEMORY", "ABOUT"}}; }

}  // namespace

std::string LabelsOf(const v1::ModelInfo& model, int64_t version) {
  std::vector<std::string> labels;
  for (const auto& [label, of] : model.labels()) {
    if (of == version) labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  return Join(labels, ", ");
}

std::string AboutVersion(const v1::VersionInfo& version) {
  const std::string reason = FirstStatementOf(version.reason());
  return Cat(version.progress(), version.progress().empty() || reason.empty() ? "" : "; ", reason);
}

std::string FormatChange(const v1::ChangeResponse& response, bool dry_run) {
  std::string out = Outcome(response.changed(), dry_run);
  if (response.models().empty()) return out;
  Rows rows = VersionTable();
  for (const v1::ModelInfo& model : response.models()) AddVersions(model, rows);
  return out + AlignColumns(rows);
}

std::string FormatReplacement(const v1::ReplaceCapturesResponse& response, bool dry_run) {
  std::string out = Cat("version ", response.version(), ": ", Outcome(response.changed(), dry_run));
  if (dry_run || !response.changed()) return out;
  return out + Cat("functions kept: ", response.functions_kept(),
                   ", rebuilt: ", response.functions_rebuilt(),
                   ", specialized again: ", response.functions_specialized(), "\n");
}

std::string FormatStatus(const v1::StatusResponse& response) {
  std::string out = Cat("draining: ", response.draining() ? "yes" : "no",
                        ", calls in flight: ", response.calls_in_flight(),
                        ", connections: ", response.connections(),
                        ", memory of models: ", response.model_memory_bytes(), "\n\n");
  Rows versions = VersionTable();
  Rows captures = {{"MODEL", "VERSION", "CAPTURES", "BYTES", "REVISION"}};
  Rows functions = {
      {"MODEL", "VERSION", "FUNCTION", "CONCRETE", "BYTES", "HITS", "SPECIALIZED", "EVICTED"}};
  for (const v1::ModelDetails& model : response.models()) {
    AddVersions(model.info(), versions);
    for (const v1::VersionDetails& version : model.versions()) {
      if (version.capture_count() > 0) {
        captures.push_back({model.info().name(), Cat(version.version()),
                            Cat(version.capture_count()), Cat(version.capture_bytes()),
                            version.captures_revision()});
      }
      for (const v1::FunctionStatistics& function : version.functions()) {
        functions.push_back({model.info().name(), Cat(version.version()), function.name(),
                             Cat(function.concrete_functions()), Cat(function.bytes()),
                             Cat(function.hits()), Cat(function.specializations()),
                             Cat(function.evictions())});
      }
    }
  }
  out += AlignColumns(versions);
  if (captures.size() > 1) out += "\n" + AlignColumns(captures);
  if (functions.size() > 1) out += "\n" + AlignColumns(functions);
  return out;
}

}  // namespace signet
