// ReadFrozenGraph: reads a frozen graph of TensorFlow 1, a GraphDef whose variables are constants,
// as a SavedModel with one signature, `serving_default`.
//
//   x = Placeholder; w = Const; y = MatMul(x, w)   =>   serving_default: x -> y
//
// A graph does not state its inputs and outputs. The settings of the model may name them:
//
//   frozen_graph { inputs { key: "image" value: "x:0" } outputs { key: "scores" value: "y:0" } }
//
//   1. `settings.textproto` is next to the file, or next to the directory of the version.
//   2. Without inputs there, each placeholder is an input with the name of its node.
//   3. Without outputs there, the first output of each node that no other node uses is an output
//      with the name of its node. Nodes that only have effects, such as assertions, are none.
//   4. Tables whose contents are constants are filled by the nodes that initialize them.
//
// A parser of untrusted input. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <memory>

#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "signet/v1/settings.pb.h"

namespace signet {

inline constexpr char kFrozenGraphFile[] = "frozen_graph.pb";

// Returns true if the name of a file ends in .pb and is not that of a model of another form.
bool IsFrozenGraphFile(const std::filesystem::path& path);

// Returns the names of the inputs and outputs in the settings of the model. They are empty if there
// are no settings. The file need not exist.
StatusOr<v1::FrozenGraph> ReadFrozenGraphNames(const std::filesystem::path& file);

StatusOr<std::unique_ptr<SavedModelFile>> ReadFrozenGraph(const std::filesystem::path& file);

}  // namespace signet
