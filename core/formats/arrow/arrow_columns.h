// ArrowColumns: reads the arrays of an Arrow stream as the components of a type.
//
// A column is read level by level, all batches at once. The input of a level is a list of *runs*:
// elements [begin, end) of an array, or a number of nulls. A level drops or keeps nulls, looks up
// dictionaries, and converts lists to row splits and the runs of their elements. Therefore a column
// of one batch without nulls is one run at every level, and its bytes are borrowed. Internal to
// ValueFromArrow. Not thread-safe.

#pragma once

#include <vector>

#include "core/formats/arrow/arrow_runs.h"
#include "signet/value.h"

namespace signet {

// Properties of a column by its tensor, ragged, or structured type.
DType ColumnDType(const TypeSpec& spec);            // not for structures
int ColumnRaggedRank(const TypeSpec& spec);         // 0 for tensors and structures
int64_t ColumnDim(const TypeSpec& spec, int axis);  // kUnknownDim also for an unknown rank
// Returns an error for nulls unless `spec` has rows of length 0 or 1 for them.
Status CheckNoNulls(const ArrowRuns& runs, const TypeSpec& spec);

class ArrowColumns {
 public:
  // `needs` is as in ValueFromArrow.
  ArrowColumns(const ArrowStream& stream, const Limits& limits, const std::vector<bool>& needs)
      : stream_(stream),
        allowance_(limits),
        needs_(needs),
        run_bytes_left_(limits.expanded_bytes) {}

  // See ValueFromArrow. FieldOf an error is the path of the column.
  StatusOr<Value> Read(const TypeSpec& spec);

 private:
  // One level of lists: the number of elements of all lists, and where the lists end or how long
  // they are.
  struct Axis {
    int64_t count = 0;
    int64_t length = kUnknownDim;  // length of the first list
    bool is_uniform = true;        // all lists have this length
    Tensor splits = {};            // if the type has them
  };
  // The axes so far. The first `shared` axes are those of the surrounding structure.
  struct Place {
    std::vector<Axis> axes;
    int shared = 0;
    bool is_needed = true;

    int rank() const { return static_cast<int>(axes.size()); }
  };
  // Records the lengths of lists, in order.
  class AxisWriter;

  StatusOr<ArrowRuns> AllRows();
  // Returns true if any component of `spec` is needed. Its first component is number `first`; the
  // `shared` dimensions of a structure precede it.
  bool IsNeeded(const TypeSpec& spec, int shared, size_t first) const;
  StatusOr<Components> ReadComponents(const TypeSpec& spec, const ArrowRuns& rows);
  // Reads `field` and the elements that its runs lead to, as a tensor, ragged, or structured type.
  Status ReadColumn(const ArrowField& field, ArrowRuns runs, const TypeSpec& spec, Place place,
                    Components& out);
  Status ReadFields(const ArrowField& field, const ArrowRuns& runs, const TypeSpec& spec,
                    const Place& place, Components& out);
  Status ReadChild(const ArrowField& field, const ArrowRuns& runs, std::string_view name,
                   const TypeSpec& spec, const Place& place, Components& out);
  Status ReadElements(const ArrowField& field, const ArrowRuns& runs, const TypeSpec& spec,
                      const Place& place, Components& out);
  StatusOr<Tensor> MakeZeros(DType dtype, Shape shape);  // all zeros share their bytes
  StatusOr<Tensor> ReadNumbers(const ArrowField& field, const ArrowRuns& runs, Shape shape);
  StatusOr<Tensor> ReadBools(const ArrowRuns& runs, Shape shape);
  StatusOr<Tensor> ReadText(const ArrowField& field, const ArrowRuns& runs, Shape shape);

  // Each of these adds an axis to `place`, the next one of `spec`, and returns the runs of the
  // elements. A null is a row of length 0. If the column is not needed, it is a row of the length
  // that the type declares.
  StatusOr<ArrowRuns> OpenOptional(const ArrowRuns& runs, const TypeSpec& spec, Place& place);
  StatusOr<ArrowRuns> OpenLists(const ArrowField& field, const ArrowRuns& runs,
                                const TypeSpec& spec, Place& place);
  // Returns the offsets of a list if they can be used directly as row splits, and otherwise an
  // empty tensor.
  StatusOr<Tensor> BorrowSplits(const ArrowField& field, const ArrowRuns& runs, DType dtype);
  StatusOr<Tensor> Allocate(DType dtype, Shape shape);
  // Returns the size in bytes of elements or offsets, after a check of the limits.
  StatusOr<size_t> SizeOfTensor(DType dtype, const Shape& shape) const;

  const ArrowStream& stream_;
  Allowance allowance_;
  const std::vector<bool>& needs_;  // empty: all
  int64_t run_bytes_left_;
  Buffer zeros_;
};

}  // namespace signet
