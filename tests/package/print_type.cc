// print_type: parses a type in Signet's notation and prints it back.

#include <iostream>

#include "signet/notation.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: print_type 'float32[?, 3]'\n";
    return 2;
  }
  const auto spec = signet::ParseTypeSpec(argv[1]);
  if (!spec.ok()) {
    std::cerr << spec.status().message() << "\n";
    return 1;
  }
  std::cout << spec->ToString() << "\n";
}
