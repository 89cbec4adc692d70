// Record parts: what the kinds with named children share: splitting, checking, hashing, writing.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "signet/record_spec.h"

namespace signet {

struct RecordParts {
  std::vector<std::string> names;
  std::vector<TypeSpec> types;  // one a name
  // Where the names were sorted: their indices in the order given. Empty: they came sorted.
  std::vector<uint32_t> order;
};

// Names apart from types. Refuses a name that appears twice, calling it a `what`.
StatusOr<RecordParts> SplitInOrder(std::string_view what, NamedTypes named);
// The same, by the bytes of the name.
StatusOr<RecordParts> SplitSorted(std::string_view what, NamedTypes named);
NamedTypes ZipNames(std::span<const std::string> names, std::vector<TypeSpec> types);
// The same in the order in which `rep`, whose children have these names, was written.
NamedTypes ZipWritten(const TypeSpecRep& rep, std::span<const std::string> names,
                      std::vector<TypeSpec> types);

uint64_t HashNames(std::span<const std::string> names);

// Appends `(name: type, ...)`, the children of `rep` in the order in which they were written; a
// name that is no identifier is quoted.
void AppendNamed(std::string& out, std::span<const std::string> names, const TypeSpecRep& rep);

}  // namespace signet
