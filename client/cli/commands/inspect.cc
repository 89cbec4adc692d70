// signet inspect: prints the content of a version directory, without a server.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "client/cli/commands/commands.h"
#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/model/model_name.h"

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

// Returns the newest version in the directory of a model, or an empty text.
std::string NewestVersionIn(const fs::path& folder) {
  int64_t newest = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    newest = std::max(newest, ParseVersion(it->path().filename().native()).value_or(0));
  }
  return newest == 0 ? std::string() : Cat(newest);
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
    if (!text.ok()) {
      const std::string version = NewestVersionIn(read);
      if (version.empty()) return session.Fail(text.status());
      return session.Fail(FailedPrecondition(
          "`", Printable(*folder),
          "`: expected the directory of a version, found that of a model; ",
          "inspect a version, such as `", Printable((read / version).string()), "`"));
    }
    std::cout << *text;
  });
}

}  // namespace signet
