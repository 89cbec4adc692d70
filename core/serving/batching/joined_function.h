// JoinedFunction: runs calls of one function together, joined by rows.
//
//   score(recipes: {ids: int64[(?)]}[2], user)   and   score(recipes: {ids: int64[(?)]}[3], user)
//   =>  score(recipes: {ids: int64[(?)]}[5], user), whose result is split into 2 and 3 rows
//
// Calls can be joined if their types are equal except for the number of rows, and their other
// arguments are equal. The joined call runs a concrete function whose number of rows is open, so
// that every number of rows runs the same plan. It has the results of the single calls: both
// specializations chose the same branches, and each result gets the type that a single call
// returns. Immutable; thread-safe.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/runtime/polymorphic_function.h"
#include "core/serving/batching/row_layout.h"

namespace signet {

using PreparedCall = PolymorphicFunction::Prepared;

class JoinedFunction {
 public:
  // Makes the function for calls of `single`. `has_rows` states for each parameter whether it
  // contains rows. `types` may be null. Returns INVALID_ARGUMENT if such calls cannot be joined. If
  // the deferral of `control` stops the search, the status has no meaning.
  static StatusOr<std::shared_ptr<const JoinedFunction>> Find(const PolymorphicFunction& function,
                                                              const std::vector<bool>& has_rows,
                                                              const ConcreteFunction& single,
                                                              const ExtensionTypes* types,
                                                              const RunControl& control);

  // Returns the number of rows of the call, or nothing if its arguments have different numbers, or
  // if a partial call lacks a component that the joined call needs.
  std::optional<int64_t> CountRows(const PreparedCall& call) const;
  // Returns true if both calls, with their functions, can be parts of one batch. Other arguments of
  // more than 64 KiB are not compared; such calls cannot be joined.
  static bool CanJoin(const JoinedFunction& a, const PreparedCall& call_a, const JoinedFunction& b,
                      const PreparedCall& call_b);

  // Runs the calls, `rows` of each, and returns their results in order. An error may be the error
  // of one call, or of the batch only; the calls are then run one by one.
  StatusOr<std::vector<Value>> Run(std::span<const PreparedCall* const> calls,
                                   std::span<const int64_t> rows, const RunControl& control) const;

  // Returns false if the concrete function was dropped from the cache.
  bool is_alive() const { return !function_.expired(); }

 private:
  // The cache of the function owns the concrete function, so that its limits apply.
  std::weak_ptr<const ConcreteFunction> function_;
  std::vector<std::optional<RowLayout>> arguments_;  // empty for parameters without rows
  // For each parameter, whether the joined call needs each component.
  std::vector<std::vector<bool>> needs_;
  std::optional<RowLayout> result_;
};

// Returns the bytes of the components of the arguments.
size_t ArgumentBytesOf(const PreparedCall& call);

}  // namespace signet
