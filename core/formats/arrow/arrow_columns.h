// ArrowColumns: the arrays of an Arrow stream, as the components of a type.
//
// A column is read level by level, all batches at once. What a level looks at is a list of *runs*:
// elements [begin, end) of an array, or as many nulls. A level drops or keeps nulls, looks up
// dictionaries, and turns lists into row splits and the runs of their elements; so a column of one
// batch without nulls is one run down to its elements, whose bytes are borrowed. Internal to
// ValueFromArrow. One thread.

#pragma once

#include <vector>

#include "core/formats/arrow/arrow_runs.h"
#include "signet/value.h"

namespace signet {

// What a tensor, ragged or structured type says of its column.
DType ColumnDType(const TypeSpec& spec);            // not of a structure
int ColumnRaggedRank(const TypeSpec& spec);         // 0 of a tensor and of a structure
int64_t ColumnDim(const TypeSpec& spec, int axis);  // kUnknownDim also of an unknown rank
// Refuses nulls where `spec` has no rows of 0 or 1 for them.
Status CheckNoNulls(const ArrowRuns& runs, const TypeSpec& spec);

class ArrowColumns {
 public:
  // `needs` as in ValueFromArrow.
  ArrowColumns(const ArrowStream& stream, const Limits& limits, const std::vector<bool>& needs)
      : stream_(stream),
        allowance_(limits),
        needs_(needs),
        run_bytes_left_(limits.expanded_bytes) {}

  // As ValueFromArrow; a refusal's FieldOf is the path of the column.
  StatusOr<Value> Read(const TypeSpec& spec);

 private:
  // One level of lists: how many elements all lists have, and where they end or how long they are.
  struct Axis {
    int64_t count = 0;
    int64_t length = kUnknownDim;  // of the first list
    bool is_uniform = true;        // all are as long
    Tensor splits = {};            // where the type has them
  };
  // The axes so far; the first `shared` are those of the structure around.
  struct Place {
    std::vector<Axis> axes;
    int shared = 0;
    bool is_needed = true;

    int rank() const { return static_cast<int>(axes.size()); }
  };
  // Takes the lengths of lists, in order.
  class AxisWriter;

  StatusOr<ArrowRuns> AllRows();
  // Whether somebody reads any component of `spec`, whose first one is number `first`, behind the
  // `shared` dimensions of a structure.
  bool IsNeeded(const TypeSpec& spec, int shared, size_t first) const;
  StatusOr<Components> ReadComponents(const TypeSpec& spec, const ArrowRuns& rows);
  // `field` and what its runs lead to, under a tensor, ragged or structured type.
  Status ReadColumn(const ArrowField& field, ArrowRuns runs, const TypeSpec& spec, Place place,
                    Components& out);
  Status ReadFields(const ArrowField& field, const ArrowRuns& runs, const TypeSpec& spec,
                    const Place& place, Components& out);
  Status ReadChild(const ArrowField& field, const ArrowRuns& runs, std::string_view name,
                   const TypeSpec& spec, const Place& place, Components& out);
  Status ReadElements(const ArrowField& field, const ArrowRuns& runs, const TypeSpec& spec,
                      const Place& place, Components& out);
  StatusOr<Tensor> MakeZeros(DType dtype, Shape shape);  // share their bytes
  StatusOr<Tensor> ReadNumbers(const ArrowField& field, const ArrowRuns& runs, Shape shape);
  StatusOr<Tensor> ReadBools(const ArrowRuns& runs, Shape shape);
  StatusOr<Tensor> ReadText(const ArrowField& field, const ArrowRuns& runs, Shape shape);

  // Each adds an axis to `place`, which `spec` has next, and returns the runs of the elements. A
  // null is a row of length 0; where nobody reads it, of the length that the type knows.
  StatusOr<ArrowRuns> OpenOptional(const ArrowRuns& runs, const TypeSpec& spec, Place& place);
  StatusOr<ArrowRuns> OpenLists(const ArrowField& field, const ArrowRuns& runs,
                                const TypeSpec& spec, Place& place);
  // Row splits that may be the very offsets of a list; empty otherwise.
  StatusOr<Tensor> BorrowSplits(const ArrowField& field, const ArrowRuns& runs, DType dtype);
  StatusOr<Tensor> Allocate(DType dtype, Shape shape);
  // Of its elements or offsets, in bytes, if they may be as many.
  StatusOr<size_t> SizeOfTensor(DType dtype, const Shape& shape) const;

  const ArrowStream& stream_;
  Allowance allowance_;
  const std::vector<bool>& needs_;  // empty: all
  int64_t run_bytes_left_;
  Buffer zeros_;
};

}  // namespace signet
