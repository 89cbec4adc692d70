// DecodeUnderType: decodes one encoded argument under one type. Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "core/model/model_def.h"

namespace signet {

// Returns an error if the data of the argument is in the field for another format, where it would
// be ignored.
Status CheckDataField(const EncodedArgument& argument);

// Decodes `argument` as a value of `type` (null: any type). Rows of protobuf are messages of the
// model. `needs` has for each component of `type` whether it is decoded; the others have empty rows
// and zeros. If `needs` is empty, all are decoded.
StatusOr<Value> DecodeUnderType(const EncodedArgument& argument, const TypeSpec& type,
                                const ModelDef& model, const Limits& limits,
                                const std::vector<bool>& needs = {});

// Returns an error if the rank of `type`, or of a type within it, exceeds the limit. The reader of
// wire values checks this itself.
Status CheckRanks(const TypeSpec& type, const Limits& limits);

}  // namespace signet
