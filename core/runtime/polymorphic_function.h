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
#include <map>
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
#include "signet/explanation.h"

namespace signet {

struct FunctionOptions {
  size_t max_concrete_functions = 1024;             // --max_concrete_functions
  int64_t max_function_bytes = int64_t{256} << 20;  // --max_function_bytes: for one function
  int64_t max_cache_bytes = int64_t{1} << 30;       // --max_cache_bytes: for all functions
  // Shared by all functions of a server; null: each function has its own.
  std::shared_ptr<CacheBudget> cache_budget = {};
  int64_t max_loop_steps = RunBudget::kMaxSteps;  // --max_loop_steps: per call
  int64_t max_call_bytes = RunBudget::kMaxBytes;  // --max_call_bytes: per call, at the same time
};

// Stores the types that were added last, in bounded number. Thread-safe.
class RecentTypes {
 public:
  bool Contains(const FunctionType& type) const;
  void Add(const FunctionType& type);

 private:
  static constexpr size_t kMost = 64;
  mutable std::mutex mutex_;
  std::deque<FunctionType> types_;  // guarded by mutex_
};

// What happened to the concrete functions of a model whose captures were replaced.
struct AdoptedFunctions {
  size_t kept = 0;         // used on: they do not use captures
  size_t rebuilt = 0;      // kernels were made again for the new values, such as packed weights
  size_t specialized = 0;  // specialized again, because a call on a capture was folded
  size_t dropped = 0;      // not valid for the new values; a call reports the error
};

// The state of an adoption (PolymorphicFunction::AdoptFunctions). One thread.
struct Adoption {
  // By the function of the old model, which `sources` keeps: the new one, or null if it was
  // dropped.
  std::map<const DispatchTarget*, std::shared_ptr<const ConcreteFunction>> made;
  std::vector<FunctionCache::Target> sources;
  FunctionCacheStats counted;  // statistics of the old function that the new one continues
};

class PolymorphicFunction {
 public:
  PolymorphicFunction(const FunctionDef& def, const FunctionLibrary& library,
                      FunctionOptions options = {});

  const FunctionDef& def() const { return def_; }
  // Returns the signature including default values: `score(x: float32[?], top_k = 3)`.
  const std::string& signature() const { return signature_; }

  // A call that is ready to run: its arguments are bound and cast, and its concrete function is
  // selected.
  struct Prepared {
    std::shared_ptr<const ConcreteFunction> function;
    std::vector<Value> arguments;  // one per parameter of the function's type
    // True if components that no result needs were not decoded. If such a run fails, the call is
    // prepared and run again with all components.
    bool is_partial = false;

    // Runs on the calling thread.
    StatusOr<Value> Run(const RunControl& control) const;
    // Returns true if `result` of Run is an error of a partial call that may not occur with all
    // components.
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
  // Selects the concrete function, and builds it if there is none. Moves the arguments of `call`.
  StatusOr<Prepared> Select(CanonicalCall& call, const RunControl& control) const;
  // Returns the concrete function for arguments that need none of these steps, because they are
  // values by position, one per parameter, of types that were seen before. Otherwise, or if that is
  // not certain, returns null.
  std::shared_ptr<const ConcreteFunction> LookupDirect(const CallArguments& arguments) const;

  // Returns the concrete function for calls that are joined by rows, whose types leave the number
  // of rows open. Functions for joined calls are stored separately from functions for single calls.
  StatusOr<std::shared_ptr<const ConcreteFunction>> FindForRows(const FunctionType& type,
                                                                const RunControl& control) const;

  // Performs all steps.
  StatusOr<Prepared> Prepare(CallArguments arguments, const RunControl& control) const;

  // Like Canonicalize and Select, but types stand for arguments that are not decoded yet; the
  // function accepts any value of these types. Functions for types are stored separately from
  // functions for calls. Returns nothing if the types do not select a function, if they are
  // rejected, or if the deferral of `control` stops the call.
  std::optional<Prepared> PrepareForTypes(const Binding& binding, const CallArguments& arguments,
                                          const RunControl& control) const;

  // Returns the call after PrepareForTypes for values in place of the types. The call is partial:
  // components that the function does not need may have any content. Returns nothing if the call
  // needs other components, or if the deferral of `control` stops it.
  std::optional<Prepared> PrepareForParts(Prepared prepared, const RunControl& control) const;

  // Returns the concrete function for these arguments, which may be types. It stores the defaults
  // of this function.
  StatusOr<std::shared_ptr<const ConcreteFunction>> FindConcrete(
      const CallArguments& arguments, const RunControl& control = {}) const;

  // Performs Prepare, then runs on the calling thread (large kernels use the pool of `control`).
  StatusOr<Value> Call(const CallArguments& arguments, const RunControl& control) const;

  // Returns what Call would do. Arguments may be placeholders (types). If the call is rejected,
  // `error` in the explanation says why. The status is an error only for bugs in Signet.
  Explanation Explain(const CallArguments& arguments, const RunControl& control = {}) const;
  // Does the same for bound arguments.
  Explanation ExplainBound(const Binding& binding, const CallArguments& arguments,
                           const RunControl& control) const;

  // Specializes the body for the types that the signature states, to find mistakes of a model
  // before its first call. Returns OK without a check if the types are incomplete: if a parameter
  // has neither constraint nor default, has unknown rank, or is variadic. Also returns OK for
  // unimplemented features if the types leave sizes open, and if the types have parts of unknown
  // rank for some rank of which the body is accepted. Must be called before the function is
  // shared.
  Status CheckBody();
  // Returns warnings about dimensions that the body aligns only by position
  // (core/graph/lower/alignment.h), for the types that the signature states. Empty if these are
  // incomplete or if the body is rejected.
  std::vector<std::string> AlignmentWarningsOfBody() const;
  // Returns the type of the result of every call: as declared, or as CheckBody found it. Empty if
  // the type differs between calls, for example for a default whose parameter accepts any type.
  const TypeSpec& output() const { return output_; }

  // Fills the cache with the concrete functions of `old`, the same function of a model whose
  // captures have the same types and other values. Continues the statistics of `old`, and counts
  // functions that are specialized again. May be called again with the same `adoption`, for
  // functions that were added to `old` since.
  void AdoptFunctions(const PolymorphicFunction& old, Adoption& adoption,
                      AdoptedFunctions& counts) const;
  // Performs CheckBody, but only if its outcome for `old` depends on the values of captures.
  Status AdoptBodyCheck(const PolymorphicFunction& old);

  FunctionCacheStats cache_stats() const;
  // What a concrete function is for: single calls, calls whose arguments are decoded in part, or
  // calls that are joined by rows.
  enum class Purpose : uint8_t { kCalls, kPartialCalls, kBatches };
  struct CachedFunction {
    std::shared_ptr<const ConcreteFunction> function;
    Purpose purpose;
  };
  // Returns the concrete functions that are in memory, in the order in which they were made.
  std::vector<CachedFunction> CachedFunctions() const;
  // See FunctionCache::Collect.
  void CollectCache() const { cache_.Collect(); }

 private:
  // The types of calls as far as the signature determines them.
  struct StatedTypes {
    FunctionType type;
    bool are_sizes_known = true;
    bool are_ranks_known = true;
    bool hold_for_all = true;  // every call has these types or narrower ones
  };
  // Returns nothing if the signature is incomplete.
  StatusOr<std::optional<StatedTypes>> FindStatedTypes() const;
  // Returns true if some parts of the types have an unknown rank, and the body is accepted for
  // some rank.
  bool MayAcceptSomeRank(const StatedTypes& stated) const;

  // Adds the targets of one context of the cache of `old`.
  void AdoptContext(const PolymorphicFunction& old, const std::string& context, Adoption& adoption,
                    AdoptedFunctions& counts) const;
  // Returns a function that builds a plan of its own for `type`.
  ConcreteFunction::MakePlan OwnPlanMaker(const FunctionType& type, std::string_view context) const;
  // Builds the concrete function for `type`, which may share the plan of `wider`.
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
  bool check_depends_on_captures_ = false;  // the outcome of CheckBody
  // The HashRole of each parameter in a call. Empty if the number of arguments may vary, or if some
  // are passed only by name.
  const std::vector<uint64_t> roles_;
  mutable FunctionCache cache_;
  mutable RecentTypes rejected_types_;  // by PrepareForTypes
};

}  // namespace signet
