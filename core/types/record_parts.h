// RecordParts: splits, checks, hashes, and writes the named children of a type.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "signet/record_spec.h"

namespace signet {

struct RecordParts {
  std::vector<std::string> names;
  std::vector<TypeSpec> types;  // one per name
  // If the names had to be sorted: their indices in the given order. Empty if they were sorted
  // already.
  std::vector<uint32_t> order;
};

// Splits `named` into names and types. Returns an error that calls a name `what` if it appears
// twice.
StatusOr<RecordParts> SplitInOrder(std::string_view what, NamedTypes named);
// Does the same, and sorts by the bytes of the names.
StatusOr<RecordParts> SplitSorted(std::string_view what, NamedTypes named);
NamedTypes ZipNames(std::span<const std::string> names, std::vector<TypeSpec> types);
// Returns the named children of `rep` in the order in which the author of the type wrote them.
NamedTypes ZipWritten(const TypeSpecRep& rep, std::span<const std::string> names,
                      std::vector<TypeSpec> types);

uint64_t HashNames(std::span<const std::string> names);

// Appends `(name: type, ...)`, the children of `rep` in the order in which they were written. A
// name that is not an identifier is quoted.
void AppendNamed(std::string& out, std::span<const std::string> names, const TypeSpecRep& rep);

}  // namespace signet
