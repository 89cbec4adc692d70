// StringInput: checks that text ops share.

#pragma once

#include <initializer_list>
#include <string_view>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// Returns the type of input `i`, or an error with the label C1 if it is not a tensor of strings.
StatusOr<const TensorSpec*> StringInput(const OpCall& call, size_t i);

// Returns true if attribute `unit` is "utf8" (characters) and false if it is "bytes". Errors have
// the label C2.
StatusOr<bool> CountsCharacters(const OpCall& call);

// Checks that attribute `method` is one of `methods`, and that `key` is two integers for the method
// `siphash` and empty otherwise. Errors have the label `label`.
Status CheckHashMethod(const Attributes& attributes, std::string_view label,
                       std::initializer_list<std::string_view> methods);

// Returns the rank of a tensor or ragged value of strings. Any other type and an unknown rank are
// errors with the label C1.
StatusOr<int> TextRank(const GraphValue& x);

}  // namespace signet
