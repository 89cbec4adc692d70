// signet completion: prints a script that completes commands, options, and names of models.

#include <iostream>

#include "client/cli/commands/commands.h"

namespace signet {
namespace {

// Returns the options of `app`, such as `--table --pretty`.
std::string OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return Join(names, " ");
}

std::string BashScript(const CLI::App& app) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
    cases += Cat("    ", verb->get_name(), ") words=\"", OptionsOf(*verb), "\" ;;\n");
  }
  return Cat(
      "_signet() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} verb= words= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      ",
      Join(verbs, "|"),
      ") verb=${COMP_WORDS[i]}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb in\n",
      cases, "    *) words=\"", Join(verbs, " "),
      "\" ;;\n"
      "  esac\n"
      "  case $verb:$((COMP_CWORD - i)) in\n"
      "    call:1|describe:1|explain:1|bench:1|status:1)\n"
      "      words=\"$words $(signet list --names --timeout 1 2>/dev/null)\" ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words ",
      OptionsOf(app),
      "\" -- \"$word\"))\n"
      "}\n"
      "complete -o default -F _signet signet\n");
}

}  // namespace

void AddCompletion(CLI::App& app, Session&) {
  auto* verb = app.add_subcommand("completion", "Print a completion script for bash or zsh");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}).description(""));
  verb->footer("Add to ~/.bashrc or ~/.zshrc:\n  source <(signet completion bash)");
  verb->callback([shell, &app] {
    // With bashcompinit, zsh runs bash's script.
    if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
    std::cout << BashScript(app);
  });
}

}  // namespace signet
