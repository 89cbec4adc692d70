// signet completion: prints a script that completes commands, options, and the names of models and
// functions.

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

// Returns the words that complete an argument of this name, as bash expands them.
std::string_view WordsOf(std::string_view argument) {
  if (argument == "MODEL") return "$(signet list --names --timeout 1 2>/dev/null)";
  if (argument == "FUNCTION") {
    return "$(signet describe \"${COMP_WORDS[COMP_CWORD - 1]}\" --names --timeout 1 2>/dev/null)";
  }
  if (argument == "ACTION") return "replace";
  return argument == "SHELL" ? "bash zsh" : "";
}

// Returns the cases for the arguments of `verb`, by their positions.
std::string ArgumentCases(const CLI::App& verb) {
  std::string cases;
  int position = 0;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) continue;
    ++position;
    const std::string_view words = WordsOf(option->get_name(/*positional=*/true));
    if (words.empty()) continue;
    cases += Cat("    ", verb.get_name(), ":", position, ") words=\"$words ", words, "\" ;;\n");
  }
  return cases;
}

std::string BashScript(const CLI::App& app) {
  std::vector<std::string> verbs;
  std::string cases;
  std::string argument_cases;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
    cases += Cat("    ", verb->get_name(), ") words=\"", OptionsOf(*verb), "\" ;;\n");
    argument_cases += ArgumentCases(*verb);
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
      "  case $verb:$((COMP_CWORD - i)) in\n",
      argument_cases,
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
