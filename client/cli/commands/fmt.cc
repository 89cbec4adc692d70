// signet fmt: formats files in the model language, without a server.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "core/model/language/format.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/native/model_files.h"

namespace signet {

void AddFmt(CLI::App& app, Session& session) {
  struct Words {
    std::vector<std::string> files;
    bool check = false;
  };
  auto* verb = app.add_subcommand("fmt", "Format files in the model language");
  auto words = std::make_shared<Words>();
  verb->add_option("FILE", words->files, "Files, such as models/recipes/3/model.signet")
      ->required();
  verb->add_flag("--check", words->check, "Change nothing; fail if a file is not formatted");
  verb->callback([words, &session] {
    for (const std::string& file : words->files) {
      auto text = ReadPlainFile(file, kMaxSourceBytes);
      if (!text.ok()) {
        session.Fail(At(Printable(file), text.status()));
        continue;
      }
      auto formatted = FormatSource(*text, file);
      if (!formatted.ok()) {
        session.Fail(formatted.status());
      } else if (*formatted != *text && words->check) {
        session.Fail(FailedPrecondition(Printable(file), ": is not formatted"));
      } else if (*formatted != *text) {
        const Status written = WriteFileAtomically(file, *formatted);
        if (written.ok()) {
          std::cout << "formatted " << file << "\n";
        } else {
          session.Fail(written);
        }
      }
    }
  });
}

}  // namespace signet
