// DimensionIds: identifies each dimension of an edge with a dimension of the signature, while a
// function is specialized.
//
//   (orders: [{rate: float32[], items: [{price: float32[]}]}])
//     orders.rate          float32[?]              rows of `orders`
//     orders.items.price   ragged float32[?, (?)]  rows of `orders`, rows of `orders.items`
//   (x: float32[n, 3], y: float32[m])
//     x                    float32[?, 3]           `n`, unknown
//
// Rules:
//   1. Specialize identifies the dimensions of parameters: the names of a signature, and the row
//      partitions of structures and ragged values. A size of 1 in a signature is not identified.
//   2. FlatBuilder derives the identities of the outputs of an op from those of its inputs. The
//      rule depends on the name of the op and never on sizes, so identities are the same in every
//      concrete function of a function. The outputs of an op without a rule are unidentified.
//   3. Rows that are selected from a structure have new identities, with the partitions of the
//      structure.
//   4. If a loop visits the rows of a ragged value, the elements of a row vary from iteration to
//      iteration, and so does everything that is sliced, selected, or joined from them. The results
//      of the iterations are therefore stacked into ragged rows.
//   5. Two identities conflict if the author distinguished them: two names of one signature, the
//      rows of two structures in one argument, or a partition and the rows that it divides. Rows
//      of different arguments do not conflict, because they may correspond.
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
    kUnnamed,   // a dimension of a tensor in the signature without a name; for AlignmentWarnings
  };

  // Adds a name of the signature.
  DimensionId AddName(std::string name);
  // Adds dimension `dim` of the parameter `path`, which has no name. It never conflicts.
  DimensionId AddUnnamed(std::string_view path, int dim);
  // Adds the rows at `path`, which divide `parent`; without a parent, the rows of a whole argument.
  // `root` is the identity of the argument, or kUnidentified for a new one.
  DimensionId Add(Kind kind, std::string path, DimensionId parent, DimensionId root);
  // Returns the identity of the elements that the edges `first` and `second` select from `source`,
  // which is the same each time. Returns kUnidentified for names, because the elements selected
  // from two of them may correspond.
  DimensionId Picked(DimensionId source, int first, int second);
  // Adds the elements of a row that a loop visits.
  DimensionId AddVarying();
  // Returns the identity of an output dimension that has another size than `source`. It varies if
  // `source` varies, and is kUnidentified otherwise.
  DimensionId ChangedFrom(DimensionId source);
  // Returns the identity of a dimension that is `a` or `b`, depending on a value of the run.
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
  // Returns true if `inner` divides `outer`, directly or indirectly.
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
    bool is_derived = false;  // by selecting rows, or some values of each row
  };
  const Dimension& At(DimensionId id) const { return dimensions_[static_cast<size_t>(id)]; }

  DimensionId RepresentativeOf(DimensionId id) const;

  std::vector<Dimension> dimensions_;
  std::unordered_map<DimensionId, DimensionId> united_;  // each with another one of its group
  std::map<std::tuple<DimensionId, int, int>, DimensionId> picked_;
};

// The identities of the dimensions of each edge of one graph.
class DimensionIds {
 public:
  // `registry` is the registry of the outer graph, or null.
  explicit DimensionIds(std::shared_ptr<DimensionRegistry> registry = nullptr);

  const std::shared_ptr<DimensionRegistry>& registry() const { return registry_; }
  bool is_empty() const { return edges_.empty(); }  // no dimension is identified
  const EdgeDimensions& Of(int edge) const;
  void Set(int edge, EdgeDimensions dimensions);
  // Declares that dimension 0 of a tensor varies from iteration to iteration.
  void SetVarying(const GraphValue& tensor);
  bool Varies(const GraphValue& tensor) const;
  // Returns the first dimension of a tensor, ragged value, or structure; otherwise kUnidentified.
  DimensionId RowsOf(const GraphValue& value) const;
  // Declares that the first dimension of such a value is `rows`.
  void SetRows(const GraphValue& value, DimensionId rows);

  // Returns the identities of an edge that is one of two edges when the function runs.
  EdgeDimensions EitherOf(const EdgeDimensions& a, const EdgeDimensions& b) const;

  // Identifies the dimensions of an argument, at `path` in the arguments. `declared` is its type in
  // the signature, or null; `names` are the names of a tensor's dimensions, or empty.
  void IdentifyArgument(const GraphValue& argument, const TypeSpec& declared, std::string path,
                        const std::vector<std::string>& names);
  // Identifies the open dimensions of a parameter that IdentifyArgument left unidentified, if it is
  // a tensor.
  void IdentifyUnnamed(const GraphValue& argument, std::string_view path);
  // Derives the identities of the outputs of `node`, whose edges are in `edges`.
  void Derive(const FlatNode& node, const std::vector<FlatEdge>& edges);

  // One identity per dimension of a tensor or ragged value; empty for other values and unknown
  // ranks.
  DimensionIdList OfValue(const GraphValue& value) const;

 private:
  void IdentifyStructure(const GraphValue& structure, const TypeSpec& declared,
                         const std::string& path, DimensionIdList levels, DimensionId root);
  void IdentifyColumn(const GraphValue& column, const TypeSpec& declared, const std::string& path,
                      const DimensionIdList& levels, DimensionId root);

  std::shared_ptr<DimensionRegistry> registry_;
  std::map<std::string, DimensionId> names_;
  std::unordered_map<int, EdgeDimensions> edges_;  // known ones only
};

}  // namespace signet
