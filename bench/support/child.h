// Child: starts another program, and ends it when this object is destroyed. Not thread-safe.

#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "signet/status.h"

namespace signet {

class Child {
 public:
  // Starts `command`, whose first word is the path of the program. It shares the standard output.
  static StatusOr<Child> Start(const std::vector<std::string>& command);
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  Child& operator=(Child&&) = delete;
  ~Child();  // ends it, and waits

  pid_t process() const { return process_; }

 private:
  explicit Child(pid_t process) : process_(process) {}

  pid_t process_;  // 0: none
};

}  // namespace signet
