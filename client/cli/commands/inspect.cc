// signet inspect: prints the content of a version directory, without a server.

#include <filesystem>
#include <iostream>
#include <system_error>

#include "client/cli/commands/commands.h"
#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Returns the directory of the model that `path` names. A model in the directory of all versions is
// version 1.
fs::path FolderOf(const std::string& path) {
  fs::path folder = path;
  if (!folder.has_filename()) folder = folder.parent_path();
  std::error_code ignored;
  bool is_bare =
      folder.filename() == "1" && !fs::exists(folder, ignored) && HoldsModel(folder.parent_path());
  return is_bare ? folder.parent_path() : folder;
}

}  // namespace

void AddInspect(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("inspect", "Print the content of a version directory");
  auto folder = std::make_shared<std::string>();
  verb->add_option("DIR", *folder,
                   "Version directory, such as models/recipes/3, or the file of a model")
      ->required();
  verb->callback([folder, &session] {
    const fs::path read = FolderOf(*folder);
    std::error_code ignored;
    if (!fs::exists(read, ignored)) {
      return session.Fail(NotFound("`", Printable(*folder), "`: no such file or directory"));
    }
    auto text = InspectModel(read);
    if (!text.ok()) return session.Fail(text.status());
    std::cout << *text;
  });
}

}  // namespace signet
