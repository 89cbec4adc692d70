// signet import: writes an ONNX model or a model of TensorFlow in the model language, without a
// server.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "core/frontends/import_model.h"
#include "core/model/native/model_files.h"

namespace signet {
void AddImport(CLI::App& app, Session& session) {
  struct Words {
    std::string file;
    std::string folder;
    bool force = false;
  };
  auto* verb =
      app.add_subcommand("import", "Write an ONNX or TensorFlow model in the model language");
  auto words = std::make_shared<Words>();
  verb->add_option("FILE", words->file,
                   "ONNX model, SavedModel, or frozen graph: a file such as model.onnx, or a "
                   "version directory")
      ->required();
  verb->add_option("DIR", words->folder, "Version directory to make, such as models/resnet/1")
      ->required();
  verb->add_flag("--force", words->force, "Replace a model that exists");
  verb->callback([words, &session] {
    Status free = words->force ? absl::OkStatus() : CheckNoNativeModel(words->folder);
    if (!free.ok()) return session.Fail(free);
    Status imported = ImportModel(words->file, words->folder);
    if (!imported.ok()) return session.Fail(imported);
    std::cout << "wrote " << words->folder << "; `signet inspect " << words->folder
              << "` prints it\n";
  });
}

}  // namespace signet
