// OpExamples: the cases after an `# Example` comment in tests/core/ops/**/*.cases.
//
// op_examples.cc is generated: `./dev golden OpReferenceTest` writes it. Stateless; thread-safe.

#pragma once

#include <span>
#include <string_view>

namespace signet {

struct OpExample {
  std::string_view op;
  std::string_view text;  // the call and the result, on separate lines
};

// All examples, by the path of the case file and the line.
std::span<const OpExample> AllOpExamples();

}  // namespace signet
