// signet import: a model of another form written in the native one, without a server.

#include "core/model/import.h"

#include <iostream>

#include "client/commands/commands.h"

namespace signet {

void AddImport(CLI::App& app, Session& session) {
  struct Words {
    std::string file;
    std::string folder;
  };
  auto* verb = app.add_subcommand("import", "Write a model.onnx in the native form");
  auto words = std::make_shared<Words>();
  verb->add_option("FILE", words->file, "The model, such as model.onnx")->required();
  verb->add_option("DIR", words->folder, "Version folder to make, such as models/resnet/1")
      ->required();
  verb->callback([words, &session] {
    Status imported = ImportModel(words->file, words->folder);
    if (!imported.ok()) return session.Refuse(imported);
    std::cout << "wrote " << words->folder << "; `signet inspect " << words->folder
              << "` shows it\n";
  });
}

}  // namespace signet
