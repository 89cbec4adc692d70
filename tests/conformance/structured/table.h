// OpRow: the table of the functions that run the cases of each operation.
//
// An operation is a row of one of the lists below. Each list is in a separate file
// (structured/<list>.cc). The function of a row makes the call and returns an answer, or the error
// of the call. If there is an op for the operation, the call is RunThreeWays (three_ways.h).

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/conformance/structured/compare.h"

namespace signet::structured_vectors {

struct OpRow {
  std::string_view op;
  StatusOr<Answer> (*run)(const Case& one);
};

std::span<const OpRow> ArrayOps();
std::span<const OpRow> ArrayDimOps();  // expand_dims, squeeze
std::span<const OpRow> MaskedOps();    // masked.*
std::span<const OpRow> FieldOps();     // updates of structures
std::span<const OpRow> FieldValues();  // making structures, taking fields
std::span<const OpRow> IndexOps();
std::span<const OpRow> JsonOps();  // from_json; also ragged.constant
std::span<const OpRow> NestOps();
std::span<const OpRow> PickOps();     // gather, boolean_mask, where and their like
std::span<const OpRow> PromoteOps();  // promote, broadcast, apply, merge_dims and their like
std::span<const OpRow> RaggedArrayOps();
std::span<const OpRow> RaggedDenseOps();  // to and from dense and sparse
std::span<const OpRow> RaggedDimOps();    // expand_dims, squeeze, merge_dims, reverse
std::span<const OpRow> RaggedMathOps();   // arithmetic, reductions, broadcasting
std::span<const OpRow> RowPartitionOps();
std::span<const OpRow> SparseOps();
std::span<const OpRow> BatchOps();
std::span<const OpRow> BatchTypes();  // type.*

struct VectorFile {
  std::string_view name;  // `index.json`
  std::vector<std::span<const OpRow>> ops;
  // If true, every operation must have a row. Otherwise, operations without a row are skipped and
  // counted.
  bool is_complete = false;
};
std::vector<VectorFile> VectorFiles();

}  // namespace signet::structured_vectors
