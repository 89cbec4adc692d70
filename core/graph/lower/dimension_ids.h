// DimensionIds: identifies each dimension of an edge with a dimension of the signature, while a
// function is specialized.
//
//   (orders: [{rate: float32[], items: [{price: float32[]}]}])
//     orders.rate          float32[?]              rows of `orders`
//     orders.items.price   ragged float32[?, (?)]  rows of `orders`, rows of `orders.items`
//   (points: [{weight: float32[], place: float32[3]}])
//     points.place         float32[?, 3]           rows of `points`, elements of `points.place`
//   (x: float32[n, 3], y: float32[m])
//     x                    float32[?, 3]           `n`, unknown
//
// Rules:
//   1. Specialize identifies the dimensions of parameters: the names of a signature, the row
//      partitions of structures and ragged values, and the dimensions of the vectors in their rows.
//      Rows that a signature declares as 1 are not identified.
//   2. FlatBuilder derives the identities of the outputs of an op from those of its inputs. The
//      rule depends on the name of the op and never on sizes, so identities are the same in every
//      concrete function of a function. The outputs of an op without a rule are unidentified.
//   3. A dimension after rows is a dimension of a vector in each row, wherever it comes from,
//      except for dimensions of size 1 that an op adds.
//   4. Rows that are selected from a structure have new identities, with the partitions of the
//      structure. What is selected from a dimension conflicts with the same vectors and partitions
//      as that dimension. The elements of one row, or of adjacent rows, also conflict with the rows
//      that contain them.
//   5. Two dimensions that an op aligns without a conflict are one dimension from then on, which
//      conflicts with what one of them conflicts with.
//   6. If a loop visits the rows of a ragged value, the elements of a row vary from iteration to
//      iteration, and so does everything that is sliced, selected, or joined from them. The results
//      of the iterations are therefore stacked into ragged rows.
//   7. Two identities conflict if the author distinguished them: two names of one signature, the
//      rows of two structures in one argument, or rows and what is in each of them: a partition, or
//      a vector. Rows of different arguments do not conflict, because they may correspond.
//
// Identities are not part of types, and do not exist when the function runs. Not thread-safe.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "core/graph/flat/flat_graph.h"

namespace signet {

using DimensionId = int;
inline constexpr DimensionId kUnidentified = -1;
using DimensionIdList = absl::InlinedVector<DimensionId, 4>;

// The identities of the dimensions of one edge.
struct EdgeDimensions {
  DimensionIdList dims;                // one per dimension of the tensor; empty if unknown
  DimensionId rows = kUnidentified;    // for row splits: the dimension of the rows
  DimensionId values = kUnidentified;  // for row splits: the dimension of the values

  bool operator==(const EdgeDimensions&) const = default;
  bool is_known() const;
};

// All identities. A graph and the bodies in it share one registry.
class DimensionRegistry {
 public:
  enum class Kind : uint8_t {
    kName,      // a name in a signature
    kRows,      // the rows of a structure, or of a ragged argument
    kElements,  // the elements of a ragged column in each of its rows
    kVector,    // a dimension of a vector in each row
    kAdded,     // a dimension of size 1 that an op adds, which is repeated next to any other
    kUnnamed,   // a dimension of a tensor in the signature without a name; for AlignmentWarnings
  };

  // Adds a name of the signature.
  DimensionId AddName(std::string name);
  // Adds dimension `dim` of the parameter `path`, which has no name. It never conflicts.
  DimensionId AddUnnamed(std::string_view path, int dim);
  // Adds the rows at `path`, which divide `parent`; without a parent, the rows of a whole argument.
  // `root` is the identity of the argument, or kUnidentified for a new one.
  DimensionId Add(Kind kind, std::string path, DimensionId parent, DimensionId root);
  // Returns the identity of a dimension of a vector in each row of `rows`.
  DimensionId InEachOf(DimensionId rows);
  // Adds the elements of rows that are divided.
  DimensionId ElementsIn(DimensionId rows);
  // Returns the identity of a dimension of size 1 that an op adds.
  DimensionId Added();
  // Returns the identity of the elements at the positions of an edge, which is the same each time.
  // They may be elements of any rows. Returns kUnidentified for names, because the elements
  // selected from two of them may correspond.
  DimensionId Picked(DimensionId source, int positions);
  // Returns the same for the elements from `start`, an edge, such as those of one row. They stay in
  // the rows that `source` divides.
  DimensionId PickedRange(DimensionId source, int start, int count);
  // Adds the elements of a row that a loop visits.
  DimensionId AddVarying();
  // Returns the identity of an output dimension that has another size than `source`. It varies if
  // `source` varies. It is kUnidentified if `source` is a name.
  DimensionId ChangedFrom(DimensionId source);
  // Returns the identity of a dimension that is both `a` and `b`.
  DimensionId JointOf(DimensionId a, DimensionId b);
  // Returns the identity of a dimension that is `a` or `b`, depending on a value of the run, or
  // kUnidentified if they differ.
  DimensionId EitherOf(DimensionId a, DimensionId b) const;
  bool Varies(DimensionId id) const { return id != kUnidentified && At(id).varies; }
  // Returns the identity of the values of row splits that were `source` and now divide `rows`.
  DimensionId Divided(DimensionId source, DimensionId rows);
  // Returns the identity of some of the values of each row of `rows`.
  DimensionId SomeOf(DimensionId source, DimensionId rows);

  bool Conflict(DimensionId a, DimensionId b) const;
  // Records that `a` and `b` have one size, for AlignmentWarnings. Does not affect Conflict.
  void Unite(DimensionId a, DimensionId b);
  // Returns true if `a` and `b` are one dimension, or were united.
  bool AreUnited(DimensionId a, DimensionId b) const;
  bool IsName(DimensionId id) const { return At(id).kind == Kind::kName; }
  bool IsUnnamed(DimensionId id) const {
    return id != kUnidentified && At(id).kind == Kind::kUnnamed;
  }
  // Returns true if the signature declares the dimension; false if an op derives it.
  bool IsDeclared(DimensionId id) const { return id != kUnidentified && !At(id).is_derived; }
  // Returns true if rows can be divided: rows of a structure, or elements of a ragged column.
  bool IsRows(DimensionId id) const;
  // Returns true if the dimension is one of a vector in each row.
  bool IsVector(DimensionId id) const {
    return id != kUnidentified && At(id).kind == Kind::kVector;
  }
  bool IsAdded(DimensionId id) const { return id != kUnidentified && At(id).kind == Kind::kAdded; }
  // Returns true if `inner` divides `outer`, or is in each row of it, directly or indirectly.
  bool IsWithin(DimensionId inner, DimensionId outer) const;
  // Returns the text for messages: `n`, or "rows of `orders.items`".
  std::string Describe(DimensionId id) const;

 private:
  struct Dimension {
    Kind kind;
    std::string path;
    DimensionId parent;
    DimensionId root;
    bool varies = false;
    bool is_derived = false;       // by selecting rows, or some values of each row
    DimensionIdList origins = {};  // of a derived dimension: those from which it was selected
    DimensionIdList members = {};  // of a joint dimension
  };
  const Dimension& At(DimensionId id) const { return dimensions_[static_cast<size_t>(id)]; }
  DimensionId AddSelection(DimensionId source, bool stays_in_rows);
  bool HasNoSelections(DimensionId id) const;
  // Returns the members of a joint dimension, or else `id` itself.
  DimensionIdList MembersOf(DimensionId id) const;
  // Returns the dimensions from which `id` was selected, or else `id` itself.
  DimensionIdList OriginsOf(DimensionId id) const;
  bool HaveOneOrigin(DimensionId a, DimensionId b) const;
  bool MembersConflict(DimensionId a, DimensionId b) const;
  // Returns true if `a` and `b` are dimensions of vectors in the same rows, which nothing
  // distinguishes.
  bool AreAlike(DimensionId a, DimensionId b) const;

  DimensionId RepresentativeOf(DimensionId id) const;

  std::vector<Dimension> dimensions_;
  std::unordered_map<DimensionId, DimensionId> united_;  // each with another one of its group
  std::map<std::tuple<DimensionId, int, int>, DimensionId> picked_;
  std::map<std::pair<DimensionId, DimensionId>, DimensionId> joint_;
  std::map<DimensionId, DimensionId> in_each_;  // by the rows
  DimensionId added_ = kUnidentified;
};

// The identities of the dimensions of each edge of one graph.
class DimensionIds {
 public:
  // `registry` is the registry of the outer graph, or null.
  explicit DimensionIds(std::shared_ptr<DimensionRegistry> registry = nullptr);

  const std::shared_ptr<DimensionRegistry>& registry() const { return registry_; }
  bool is_empty() const { return edges_.empty(); }  // no dimension is identified
  const EdgeDimensions& Of(int edge) const;
  // Sets the dimensions of an edge, with identities for the vectors in its rows.
  void Set(int edge, EdgeDimensions dimensions);
  // Declares that dimension 0 of a tensor varies from iteration to iteration.
  void SetVarying(const GraphValue& tensor);
  bool Varies(const GraphValue& tensor) const;
  // Returns the first dimension of a tensor, ragged value, or structure; otherwise kUnidentified.
  DimensionId RowsOf(const GraphValue& value) const;
  // Declares that the first dimension of such a value is `rows`.
  void SetRows(const GraphValue& value, DimensionId rows);

  // Returns the identities of an edge that is one of two edges when the function runs, as far as
  // they are equal.
  EdgeDimensions EitherOf(const EdgeDimensions& a, const EdgeDimensions& b) const;
  // Returns the identities of such an edge, which conflict with what one of the two conflicts with.
  EdgeDimensions JointOf(const EdgeDimensions& a, const EdgeDimensions& b);

  // Identifies the dimensions of an argument, at `path` in the arguments. `declared` is its type in
  // the signature, or null; `names` are the names of a tensor's dimensions, or empty.
  void IdentifyArgument(const GraphValue& argument, const TypeSpec& declared, std::string path,
                        const std::vector<std::string>& names);
  // Identifies the open dimensions of a parameter that IdentifyArgument left unidentified, if it is
  // a tensor.
  void IdentifyUnnamed(const GraphValue& argument, std::string_view path);
  // Derives the identities of the outputs of `node`, whose edges are in `edges`.
  void Derive(const FlatNode& node, const std::vector<FlatEdge>& edges);

  // One identity per dimension of a tensor, ragged value, or structure; empty for other values and
  // unknown ranks.
  DimensionIdList OfValue(const GraphValue& value) const;

 private:
  void IdentifyStructure(const GraphValue& structure, const TypeSpec& declared,
                         const std::string& path, DimensionIdList levels, DimensionId root);
  void IdentifyColumn(const GraphValue& column, const TypeSpec& declared, const std::string& path,
                      const DimensionIdList& levels, DimensionId root);
  // Identifies the dimensions after rows as dimensions of vectors.
  void IdentifyVectors(DimensionIdList& dims);

  std::shared_ptr<DimensionRegistry> registry_;
  std::map<std::string, DimensionId> names_;
  std::unordered_map<int, EdgeDimensions> edges_;  // known ones only
};

}  // namespace signet
