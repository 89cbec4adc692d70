// signet status: prints the health of a server or of one of its models.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <thread>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/cli/settings_text.h"
#include "client/cli/table.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

using std::chrono::steady_clock;

std::string NameOf(ServingState state) {
  switch (state) {
    case ServingState::kServing:
      return "SERVING";
    case ServingState::kNotServing:
      return "NOT_SERVING";
    case ServingState::kUnknown:
      return "UNKNOWN";
  }
  return "UNKNOWN";
}

// Returns an error that explains `state`, the error of a health check for `model`.
Status HealthError(const std::string& model, const Status& state, const Session& session) {
  if (state.code() != absl::StatusCode::kNotFound) return state;
  SIGNET_ASSIGN_OR_RETURN(ModelName name, ParseModelName(model));
  SIGNET_RETURN_IF_ERROR(session.Connect().GetModel({.name = name.name}).status());
  return NotFound("`", Printable(model), "`: expected a model without a version, `", name.name,
                  "`; health has one state for all versions");
}

// Returns a line for each label of the settings that has not moved to its version yet.
std::string WaitingLabels(const v1::ModelInfo& model, const v1::ModelSettings& settings) {
  std::map<std::string, int64_t> wanted(settings.labels().begin(), settings.labels().end());
  std::string out;
  for (const auto& [label, version] : wanted) {
    auto now = model.labels().find(label);
    if (now != model.labels().end() && now->second == version) continue;
    out +=
        Cat("label ", label, ": waits until version ", version, " is loaded; now ",
            now == model.labels().end() ? "it has no version" : Cat("it is version ", now->second),
            "\n");
  }
  return out;
}

// Prints the versions of a model and its effective settings.
void PrintModel(const std::string& name, const Session& session) {
  auto list = session.Connect().ListModels();
  if (!list.ok()) return;
  std::vector<std::vector<std::string>> rows = {{"VERSION", "STATE", "LABELS", "MEMORY", "ABOUT"}};
  v1::ModelInfo shown;
  for (const v1::ModelInfo& model : list->models()) {
    if (model.name() != name) continue;
    shown = model;
    for (const v1::VersionInfo& version : model.versions()) {
      rows.push_back({Cat(version.version()), v1::VersionInfo::State_Name(version.state()),
                      LabelsOf(model, version.version()), Cat(version.memory_bytes()),
                      AboutVersion(version)});
    }
    if (!model.settings_error().empty()) {
      std::cout << "settings: " << model.settings_error() << "\n";
    }
  }
  if (rows.size() == 1) return;  // a service of the server
  std::cout << "\n" << AlignColumns(rows);
  // The settings of a model that is loaded on demand are not worth a load.
  bool is_loaded =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row[1] == "AVAILABLE"; });
  if (!is_loaded) return;
  auto info = session.Connect().GetModel({.name = name});
  if (!info.ok()) return;
  std::cout << WaitingLabels(shown, info->settings()) << "\n" << RenderSettings(*info);
}

void Run(const std::string& model, double wait_seconds, Session& session) {
  auto end = steady_clock::now() + std::chrono::duration<double>(wait_seconds);
  while (true) {
    auto state = session.Connect().Health(model);
    if (state.ok() && *state == ServingState::kServing) {
      std::cout << NameOf(*state) << "\n";
      if (!model.empty()) PrintModel(model, session);
      return;
    }
    if (steady_clock::now() >= end) {
      if (!state.ok()) return session.Fail(HealthError(model, state.status(), session));
      std::cout << NameOf(*state) << "\n";
      if (!model.empty()) PrintModel(model, session);
      session.exit_code = 1;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

void PrintDetails(const std::string& model, Session& session) {
  auto status = AdminClient(session.Connect()).GetStatus(model);
  if (!status.ok()) return session.Fail(status.status());
  std::cout << FormatStatus(*status);
}

}  // namespace

void AddStatus(CLI::App& app, Session& session) {
  struct Options {
    std::string model;
    double wait = 0;
    bool details = false;
  };
  auto* verb = app.add_subcommand(
      "status", "Print the health of a server or a model; exit code 0 if it is SERVING");
  auto options = std::make_shared<Options>();
  verb->add_option("MODEL", options->model, "Name of a model; default: the server");
  verb->add_option("--wait", options->wait, "Time to wait until the server is SERVING")
      ->check(CLI::Range(0.0, 86400.0).description(""))
      ->type_name("SECONDS");
  verb->add_flag(
      "--details", options->details,
      "Print the states, captures, and statistics of models instead; requires AdminService");
  verb->callback([options, &session] {
    if (options->details) return PrintDetails(options->model, session);
    Run(options->model, options->wait, session);
  });
}

}  // namespace signet
