// signet import: a model of another form written in the native one, without a server.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "core/frontends/import_model.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

// It may have been written by hand.
Status CheckNoModel(const std::filesystem::path& folder) {
  for (const char* name : {kTextFile, kBinaryFile}) {
    SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / name));
    if (!is_there) continue;
    return FailedPrecondition(PlaceOf(folder), ": has a ", name, "; --force writes over it");
  }
  return absl::OkStatus();
}

}  // namespace

void AddImport(CLI::App& app, Session& session) {
  struct Words {
    std::string file;
    std::string folder;
    bool force = false;
  };
  auto* verb = app.add_subcommand("import", "Write a model.onnx in the native form");
  auto words = std::make_shared<Words>();
  verb->add_option("FILE", words->file, "The model, such as model.onnx")->required();
  verb->add_option("DIR", words->folder, "Version folder to make, such as models/resnet/1")
      ->required();
  verb->add_flag("--force", words->force, "Write over a model that is there");
  verb->callback([words, &session] {
    Status free = words->force ? absl::OkStatus() : CheckNoModel(words->folder);
    if (!free.ok()) return session.Refuse(free);
    Status imported = ImportModel(words->file, words->folder);
    if (!imported.ok()) return session.Refuse(imported);
    std::cout << "wrote " << words->folder << "; `signet inspect " << words->folder
              << "` shows it\n";
  });
}

}  // namespace signet
