// PolymorphicFunction: binds a call, finds or makes the concrete function for its types, and runs
// it.
//
//   PolymorphicFunction function(definition, library, options);
//   auto result = function.Call({{recipes, user}, {}}, {});
//
// Programs that embed Signet hold it in a Function (include/signet/function.h). Thread-safe: any
// number of threads may call it at the same time. The library must outlive the function.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/function/canonicalize.h"
#include "core/graph/body/graph.h"
#include "core/runtime/concrete_function.h"
#include "core/runtime/function_cache.h"
#include "core/runtime/run_control.h"

namespace signet {

struct FunctionOptions {
  size_t max_concrete_functions = 1024;             // --max_concrete_functions
  int64_t max_function_bytes = int64_t{256} << 20;  // --max_function_bytes: kept for one function
  int64_t max_cache_bytes = int64_t{1} << 30;       // --max_cache_bytes: kept for all functions
  // Of all functions of a server; null: each function for itself.
  std::shared_ptr<CacheBudget> cache_budget = {};
  int64_t max_loop_steps = RunBudget::kMaxSteps;  // --max_loop_steps: of one call
  int64_t max_call_bytes = RunBudget::kMaxBytes;  // --max_call_bytes: that one call holds at once
};

// What became of one argument; for Explain.
struct ExplainedArgument {
  enum class Source : uint8_t { kPositional, kKeyword, kDefault, kVariadic };
  std::string parameter;
  Source source;
  TypeSpec given;            // before casting
  TypeSpec constraint;       // null: none
  TypeSpec bound;            // after casting
  std::string cast_by = {};  // the functions that converted it, if any did: `upgrade_1, upgrade_2`
};

struct ExplainedCandidate {
  FunctionType type;
  bool accepts = false;
  bool chosen = false;
  std::string why;
};

struct Explanation {
  enum class Outcome : uint8_t { kExact, kSupertype, kSpecialized, kRefused };
  std::vector<ExplainedArgument> arguments;
  FunctionType request_type;
  Outcome outcome = Outcome::kRefused;
  std::vector<ExplainedCandidate> candidates;
  TypeSpec output;
  std::string plan;
  Status error;  // of kRefused
};

// The types that were added last, in bounded number. Thread-safe.
class RecentTypes {
 public:
  bool Contains(const FunctionType& type) const;
  void Add(const FunctionType& type);

 private:
  static constexpr size_t kMost = 64;
  mutable std::mutex mutex_;
  std::deque<FunctionType> types_;  // guarded by mutex_
};

class PolymorphicFunction {
 public:
  PolymorphicFunction(const FunctionDef& def, const FunctionLibrary& library,
                      FunctionOptions options = {});

  const FunctionDef& def() const { return def_; }
  // The signature in writing, default values included: `score(x: float32[?], top_k = 3)`.
  const std::string& signature() const { return signature_; }

  // A call that is ready to run: its arguments are bound and cast, and its concrete function is
  // found.
  struct Prepared {
    std::shared_ptr<const ConcreteFunction> function;
    std::vector<Value> arguments;  // one per parameter of the function's type
    // Whether components that no result needs are not decoded. If such a run fails, the call is
    // prepared and run again with all components.
    bool is_partial = false;

    // Runs on the calling thread.
    StatusOr<Value> Run(const RunControl& control) const;
    // Returns whether `result` of Run is the error of a partial call, which all components may not
    // have.
    bool MustRepeat(const StatusOr<Value>& result, const RunControl& control) const;
    // Returns for each component of argument `i` whether a result needs it.
    std::vector<bool> NeedsOf(size_t i) const;
  };

  // The steps from arguments to a call that is ready to run. If the deferral of `control` stops a
  // step, the step has changed nothing and can be repeated.
  //
  // Assigns the arguments to the parameters, by number and names only.
  StatusOr<Binding> Bind(const CallArguments& arguments) const;
  // Fills in defaults and casts. `control` also stops conversions that the types of a model
  // declare.
  StatusOr<CanonicalCall> Canonicalize(const Binding& binding, const CallArguments& arguments,
                                       const RunControl& control) const;
  // Selects the concrete function, and makes it if there is none. Moves the arguments of `call`.
  StatusOr<Prepared> Select(CanonicalCall& call, const RunControl& control) const;
  // Returns the concrete function for arguments that need none of these steps, because they are
  // values by position, one per parameter, of types that were seen before. Null if that is not so,
  // or not certain.
  std::shared_ptr<const ConcreteFunction> LookupDirect(const CallArguments& arguments) const;

  // All of the steps.
  StatusOr<Prepared> Prepare(CallArguments arguments, const RunControl& control) const;

  // As Canonicalize and Select, where types stand for arguments that are not decoded yet, and stay
  // in their places among the arguments: the function accepts any value of them. Functions for
  // types are kept apart from those that calls find. Empty if the types do not select a function,
  // or are rejected, or if the deferral of `control` stops the call.
  std::optional<Prepared> PrepareForTypes(const Binding& binding, const CallArguments& arguments,
                                          const RunControl& control) const;

  // After PrepareForTypes, with values in place of the types, of which the components that the
  // function does not need may be made up: the call for the types of these values, which is
  // partial. Empty if it needs other components, or if the deferral of `control` stops the call.
  std::optional<Prepared> PrepareForParts(Prepared prepared, const RunControl& control) const;

  // The concrete function for these arguments, in which types may stand for values. It remembers
  // the defaults of this function.
  StatusOr<std::shared_ptr<const ConcreteFunction>> FindConcrete(
      const CallArguments& arguments, const RunControl& control = {}) const;

  // Prepare, then run on the calling thread (large kernels use `control`'s pool).
  StatusOr<Value> Call(const CallArguments& arguments, const RunControl& control) const;

  // What Call would do. Placeholder values (types) will do for arguments. The explanation of a call
  // that does not fit says so in `error`; only our own faults make the status.
  Explanation Explain(const CallArguments& arguments, const RunControl& control = {}) const;
  // The same for arguments that are bound.
  Explanation ExplainBound(const Binding& binding, const CallArguments& arguments,
                           const RunControl& control) const;

  // Specialises the body for the types that the signature itself states, to find a model's mistakes
  // before its first call. OK without a look when they do not say enough: a parameter without
  // constraint and default, of unknown rank, or variadic; and for what is not implemented, when
  // they leave sizes open. Before the function is shared.
  Status CheckBody();
  // Warnings about dimensions that the body aligns only by position (core/graph/lower/alignment.h),
  // for the types that the signature states. Empty if they do not say enough, or the body is
  // rejected.
  std::vector<std::string> AlignmentWarningsOfBody() const;
  // The type of the result of every call: as declared, else as CheckBody found it; empty if it
  // differs from call to call, as with a default whose parameter takes any type.
  const TypeSpec& output() const { return output_; }

  FunctionCacheStats cache_stats() const;
  // As FunctionCache::Collect.
  void CollectCache() const { cache_.Collect(); }

 private:
  // What the signature alone says about the types of calls.
  struct StatedTypes {
    FunctionType type;
    bool are_sizes_known = true;
    bool hold_for_all = true;  // the types are those of every call, or wider
  };
  // Nothing if the signature does not say enough.
  StatusOr<std::optional<StatedTypes>> FindStatedTypes() const;

  // The concrete function for `type`. A wider one may lend its plan.
  StatusOr<FunctionCache::Target> Make(const FunctionType& type,
                                       const std::shared_ptr<const ConcreteFunction>& wider,
                                       std::string_view context) const;
  StatusOr<FunctionCache::Found> Find(const FunctionType& type, const RunControl& control,
                                      std::string_view context = "") const;

  const FunctionDef& def_;
  const FunctionLibrary& library_;
  const RunBudget budget_;
  const std::string signature_;
  TypeSpec output_;
  // Of each parameter, its HashRole in a call; none when a call may have more or fewer arguments,
  // or takes some by name only.
  const std::vector<uint64_t> roles_;
  mutable FunctionCache cache_;
  mutable RecentTypes refused_types_;  // by PrepareForTypes
};

}  // namespace signet
