// signet convert: writes a model in another form, without a server.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "core/frontends/convert_model.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace fs = std::filesystem;

void AddConvert(CLI::App& app, Session& session) {
  struct Words {
    std::string source;
    std::string destination;
    std::string form = "signet";
    bool force = false;
  };
  auto* verb = app.add_subcommand("convert", "Write a model in another form");
  auto words = std::make_shared<Words>();
  verb->add_option("SOURCE", words->source,
                   "Version directory, such as models/recipes/3, or the file of a model")
      ->required();
  verb->add_option("DESTINATION", words->destination,
                   "Version directory to make, or a file in it named model.signet or model.pb")
      ->required();
  verb->add_option("--form", words->form, "Form to write: pb or signet")
      ->check(CLI::IsMember({"signet", "pb"}).description(""))
      ->type_name("FORM")
      ->capture_default_str();
  verb->add_flag("--force", words->force, "Replace a model that exists");
  verb->callback([words, &session] {
    fs::path folder = words->destination;
    std::string form = words->form;
    for (const char* name : {kLanguageFile, kBinaryFile}) {
      if (folder.filename() != name) continue;
      form = folder.extension().string().substr(1);
      folder = fs::absolute(folder).parent_path();
      break;
    }
    Status status = words->force ? absl::OkStatus() : CheckNoNativeModel(folder);
    if (status.ok()) {
      status = ConvertModel(words->source, folder,
                            form == "pb" ? ModelForm::kBinary : ModelForm::kLanguage);
    }
    if (!status.ok()) return session.Fail(status);
    std::cout << "wrote " << (folder / Cat("model.", form)).string() << "\n";
  });
}

}  // namespace signet
