// signet publish: copies a version of a model into the directory of models of a server.

#include "client/cli/publish.h"

#include <iostream>

#include "client/cli/commands/commands.h"

namespace signet {

void AddPublish(CLI::App& app, Session& session) {
  struct Words {
    std::string source;
    std::string models;
    std::string name;
    int64_t version = 0;
  };
  auto* verb = app.add_subcommand(
      "publish", "Check a version of a model, and copy it into a directory of models");
  auto words = std::make_shared<Words>();
  verb->add_option("SRC", words->source, "Version directory or ONNX file, such as build/recipes")
      ->required();
  verb->add_option("DIR", words->models, "Directory of models that servers poll")->required();
  verb->add_option("--name", words->name, "Name of the model; default: the name of SRC")
      ->type_name("NAME");
  verb->add_option("--version", words->version, "Version; default: the newest one plus 1")
      ->check(CLI::Range(int64_t{1}, INT64_MAX).description(""))
      ->type_name("N");
  verb->footer(
      "The copy appears at once, with a manifest, so that no server loads half of it. If the "
      "newest\n"
      "version has the same files, nothing is copied.\n"
      "\n"
      "Example:\n"
      "  signet publish build/recipes /srv/models --name recipes");
  verb->callback([words, &session] {
    PublishOptions options{.name = words->name};
    if (words->version > 0) options.version = words->version;
    auto published = PublishModel(words->source, words->models, options);
    if (!published.ok()) return session.Fail(published.status());
    std::cout << published->name << "/" << published->version
              << (published->was_published ? " has these files already\n" : "");
    if (!published->was_published) {
      std::cout << " published: " << published->files
                << (published->files == 1 ? " file, " : " files, ") << published->bytes
                << " bytes\n";
    }
  });
}

}  // namespace signet
