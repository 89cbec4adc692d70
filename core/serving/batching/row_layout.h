// RowLayout: joins the components of several values by rows, and splits them again.
//
//   auto layout = RowLayout::Make(type);          // of ragged int64[?, (?)]
//   auto joined = layout->Join({a, b});           // [[1, 2], []] and [[3]]  =>  [[1, 2], [], [3]]
//   auto parts = layout->Split(*joined, {2, 1});  // [[1, 2], []] and [[3]]
//
// Each component of a value belongs to a *level* of rows. Level 0 contains the rows of the value.
// Row splits divide the rows of one level into those of the next level:
//
//   {ids: int64[(?)]}[]   nrows         the number of rows at level 0
//                         ids.values    one element per row at level 1
//                         ids.splits    divides the rows at level 0 into those at level 1
//
// Joining concatenates each component: elements are copied, and row splits and sparse indices are
// increased by the rows before them. Nothing is padded. The children of nests and of extension
// values are joined one by one. Plain values belong to the type. Immutable; thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/lower/extension_types.h"
#include "signet/value.h"

namespace signet {

class RowLayout {
 public:
  using Parts = std::span<const Tensor>;  // the components of one value

  // Returns an error with the path of the part that has no rows: a scalar, a value of type `any`,
  // or an extension value whose type, in `types`, does not allow batches. `types` may be null.
  static StatusOr<RowLayout> Make(const TypeSpec& type, const ExtensionTypes* types);

  // Returns `type` with any number of rows. `type` passed Make.
  static StatusOr<TypeSpec> WithOpenRows(const TypeSpec& type);

  // `needs` states for each component whether its content is used; if it is empty, all are.
  //
  // Returns the number of rows, or nothing if two parts differ or a part has none.
  std::optional<int64_t> CountRows(Parts value, const std::vector<bool>& needs = {}) const;

  // Returns the components of the joined value. Returns an error if sizes other than the numbers of
  // rows differ, or if the result is too large.
  StatusOr<Components> Join(std::span<const Parts> values,
                            const std::vector<bool>& needs = {}) const;
  // Returns one value per element of `rows`, whose sum is the number of rows of `value`. Large
  // parts share the memory of `value`.
  StatusOr<std::vector<Components>> Split(Parts value, std::span<const int64_t> rows) const;

  bool has_rows() const { return !parts_.empty(); }

 private:
  enum class Kind : uint8_t {
    kCount,    // int64 scalar: the rows of level 0
    kData,     // one element per row of `level`
    kSplits,   // divides the rows of `level` into those of `next`
    kIndices,  // the indices of sparse values, sorted by row of `level`; one per row of `next`
    kSizes,    // the dense shape of sparse values
  };
  struct Part {
    Kind kind;
    int level = 0;
    int next = 0;
  };

  Status Add(const TypeSpec& type, const std::string& path, std::vector<int> levels, bool is_field,
             const ExtensionTypes* types);
  void AddSplits(int first, int last, std::vector<int>& levels);

  std::vector<Part> parts_;  // one per component
  int num_levels_ = 1;
};

}  // namespace signet
