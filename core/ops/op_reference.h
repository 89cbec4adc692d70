// OpReference: the entry of an op in the reference, computed from its OpDef.
//
//   SignatureText(gather)  =>  "gather(x, indices; axis=None, batch_dims=0)"
//
// The pages of docs/reference/ops and `signet ops` show the same entries. Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// Returns the name, the inputs, and, after a semicolon, the attributes with their defaults.
std::string SignatureText(const OpDef& op);

enum class InputKind : uint8_t { kRequired, kOptional, kAnyNumber };
struct InputEntry {
  std::string name;
  InputKind kind = InputKind::kRequired;
};
std::vector<InputEntry> InputEntries(const OpDef& op);
std::string_view NameOf(InputKind kind);  // `required`, `optional`, `any number`

struct AttributeEntry {
  std::string name;
  std::string type;           // `bool`, `int`, `float`, `str`, `list`, `dict`; `any` if not known
  std::string default_value;  // in the notation of types; empty if the attribute is required
};
std::vector<AttributeEntry> AttributeEntries(const OpDef& op);

// Returns the meaning of the op on composite values: `op.composites`, and sentences that are
// derived from the other fields.
std::string CompositesText(const OpDef& op);

// Returns the examples of an op: calls and results in the form of tests/core/ops/**/*.cases.
std::vector<std::string_view> ExamplesOf(std::string_view op);

}  // namespace signet
