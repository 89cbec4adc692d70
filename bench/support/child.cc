#include "bench/support/child.h"

#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace signet {

StatusOr<Child> Child::Start(const std::vector<std::string>& command) {
  // setpriv of util-linux ends the program with this one, even if this one is aborted.
  std::vector<std::string> whole = {"/usr/bin/setpriv", "--pdeathsig", "KILL"};
  whole.insert(whole.end(), command.begin(), command.end());
  std::vector<char*> words;
  for (const std::string& word : whole) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  int failure = posix_spawn(&process, words[0], nullptr, nullptr, words.data(), environ);
  if (failure != 0) return Unavailable(command[0], ": cannot be started");
  return Child(process);
}

Child::~Child() {
  if (process_ == 0) return;
  kill(process_, SIGTERM);
  for (int tries = 0; waitpid(process_, nullptr, WNOHANG) == 0; ++tries) {
    if (tries == 50) kill(process_, SIGKILL);
    usleep(100'000);
  }
}

}  // namespace signet
