// ExampleForm: what an operator reads from tensorflow.Example messages, and from the contexts of
// tensorflow.SequenceExample messages, which have the same encoding. Stateless; thread-safe.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {

struct DenseFeature {
  std::string key;
  DType dtype{};
  std::vector<int64_t> shape = {};
  GraphValue default_value = {};
};

// What the operators of all versions read.
struct ExampleForm {
  GraphValue serialized = {};
  bool is_scalar = false;
  bool has_scalar_splits = false;  // return the row splits of a scalar too
  std::vector<std::string> sparse = {};
  std::vector<std::string> ragged = {};
  std::vector<DenseFeature> dense = {};
  std::vector<DType> sparse_types = {};
  std::vector<DType> ragged_types = {};
  std::vector<DType> split_types = {};
};

// Return the dtypes, and the shapes, of the features that an attribute lists.
StatusOr<std::vector<DType>> FeatureDTypes(const OpCall& call, std::string_view name);
StatusOr<std::vector<std::vector<int64_t>>> FeatureShapes(const OpCall& call,
                                                          std::string_view name);

// Adds dense features, whose dtypes and shapes are in these attributes.
Status AddDenseFeatures(const OpCall& call, std::string_view dtypes_name,
                        std::string_view shapes_name, const std::vector<std::string>& keys,
                        TfInputs defaults, ExampleForm& form);

// Returns the outputs in the order of ParseExampleV2: the indices, values, and shapes of sparse
// features, dense features, and the values and row splits of ragged features.
TfOutputs ReadExamples(OpBuilder& build, const ExampleForm& form);

// The names of features without duplicates, in the form of attributes. A name may occur several
// times with one dtype.
class FeatureNames {
 public:
  Status Add(const std::string& key, DType dtype);
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& dtypes() const { return dtypes_; }
  Attributes ToAttributes() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> dtypes_;
  std::map<std::string, size_t> indices_;  // by name
};

}  // namespace signet
