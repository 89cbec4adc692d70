// Explanation: how a call is bound, and which concrete function it selects.
//
//   signet::Explanation explanation = function.Explain({query});
//   bool fits = explanation.outcome != signet::Explanation::Outcome::kRejected;
//   std::string why = fits ? explanation.plan : std::string(explanation.error.message());
//
// docs/guide/dispatch.md describes the selection. Plain data.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "signet/function_type.h"
#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

// How one parameter got its argument.
struct ExplainedArgument {
  enum class Source : uint8_t { kPositional, kKeyword, kDefault, kVariadic };
  std::string parameter;
  Source source;
  TypeSpec given;            // before casting
  TypeSpec constraint;       // null: none
  TypeSpec bound;            // after casting
  std::string cast_by = {};  // the functions that converted it, if any did: `upgrade_1, upgrade_2`
};

// A concrete function that the call could have selected.
struct ExplainedCandidate {
  FunctionType type;
  bool accepts = false;  // whether it accepts the types of the call
  bool chosen = false;
  std::string why;  // why it does not accept them, or why another one is more specific
};

struct Explanation {
  enum class Outcome : uint8_t {
    kExact,        // the types of a concrete function are those of the call
    kSupertype,    // a concrete function accepts the types of the call
    kSpecialized,  // a concrete function was compiled for the call
    kRejected,     // the call does not fit the signature; see `error`
  };
  std::vector<ExplainedArgument> arguments;
  FunctionType request_type;  // of the call, after defaults and casts
  Outcome outcome = Outcome::kRejected;
  std::vector<ExplainedCandidate> candidates;
  TypeSpec output;
  std::string plan;  // the steps of the selected function, for people
  Status error;      // of kRejected
};

}  // namespace signet
