// TypeOfRecords: the type of records in JSON, in the notation, for the parameter of a function.
//
//   [{"id": 1, "tags": []}, {"id": 2.5, "note": "x"}]
//     =>  [{id: float32[], tags: float32[(?)], note?: string[]}]
//
// The rules:
//   1. A field that is missing or null in a record is optional: `note?`.
//   2. Integers are int32, or int64 if one does not fit. Numbers of which one is not an integer are
//      float32.
//   3. An empty list is a list of float32, because its items are not known. A field that is null in
//      all records is left out. These are guesses, which `notes` lists, as it lists numbers that
//      are all integers.
// Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "signet/status.h"

namespace signet {

// Returns true if `json` is a list with at least one record.
bool IsListOfRecords(const nlohmann::ordered_json& json);

// INVALID_ARGUMENT names the place if two values have no common type. Adds one sentence per guess
// to `notes`.
StatusOr<std::string> TypeOfRecords(const nlohmann::ordered_json& records,
                                    std::vector<std::string>& notes);

}  // namespace signet
