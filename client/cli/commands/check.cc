// signet check: finds, without a server, what a server would reject in a model.

#include "client/cli/check.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "client/cli/commands/commands.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval(500);

// Returns the files below `path` with their sizes and modification times.
std::map<std::string, std::pair<uintmax_t, fs::file_time_type>> FilesOf(const fs::path& path) {
  std::map<std::string, std::pair<uintmax_t, fs::file_time_type>> files;
  std::error_code ignored;
  auto options = fs::directory_options::skip_permission_denied;
  for (auto it = fs::recursive_directory_iterator(path, options, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    if (!it->is_regular_file(ignored)) continue;
    files[it->path().string()] = {it->file_size(ignored), it->last_write_time(ignored)};
  }
  return files;
}

// Prints the outcome. Returns true if a server would accept every model.
bool CheckOnce(const std::string& path, Session& session) {
  auto checked = CheckModels(path);
  if (!checked.ok()) {
    session.Fail(checked.status());
    return false;
  }
  bool is_sound = true;
  for (const CheckedModel& model : *checked) {
    std::cout << RenderCheck(model);
    is_sound = is_sound && model.errors.empty();
  }
  std::cout.flush();
  return is_sound;
}

void Watch(const std::string& path, Session& session) {
  while (std::cout.good()) {
    auto files = FilesOf(path);
    CheckOnce(path, session);
    std::cout << "waiting for a change in " << path << "\n" << std::flush;
    while (FilesOf(path) == files) std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

void AddCheck(CLI::App& app, Session& session) {
  struct Words {
    std::string path;
    bool watch = false;
  };
  auto* verb =
      app.add_subcommand("check", "Check models as a server would, and run their examples");
  auto words = std::make_shared<Words>();
  verb->add_option(
          "DIR", words->path,
          "Directory of models, of one model, or of one version, such as models/recipes/3, or "
          "the file of a model")
      ->required();
  verb->add_flag("--watch", words->watch, "Check again whenever a file changes");
  verb->footer(
      "Exit codes: 0 if a server would accept every model and every example succeeds; 1 if not.\n"
      "\n"
      "Example:\n"
      "  signet check examples/models");
  verb->callback([words, &session] {
    if (words->watch) return Watch(words->path, session);
    if (!CheckOnce(words->path, session)) session.exit_code = 1;
  });
}

}  // namespace signet
