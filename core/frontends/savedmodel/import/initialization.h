// Initialization: the values of variables and the contents of tables after a SavedModel was loaded.
//
// The restore op of the graph and then its init op are followed without running them: a variable
// has the last value that is assigned to it, which is an entry of the checkpoint, a constant, or
// computed from both. A variable that they do not assign has the value of its object: Keras 3 saves
// variables whose restore op assigns copies. A table has the last contents, which are such values,
// or lines of a file in assets/. What depends on anything else has no value; functions that read it
// are rejected. initialization.cc finds the values, initial_values.cc computes those that are not
// constants, and table_contents.cc reads the entries of tables. A parser of untrusted input. Not
// thread-safe.

#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/frontends/savedmodel/checkpoint/tensor_bundle.h"
#include "core/frontends/savedmodel/import/graph_library.h"

namespace signet {

inline constexpr int64_t kMaxFollowedSteps = 10'000'000;  // nodes that are followed

// Where a tensor comes from that is known when the model is loaded.
struct InitialTensor {
  const tensorflow::TensorProto* constant = nullptr;
  std::string key = {};  // of the checkpoint, if there is no constant
  TensorBundle::Ranges ranges = {};
  std::shared_ptr<const Tensor> computed = {};  // by operators of the initialization
  std::string fault = {};                       // why it could not be computed
  explicit operator bool() const {
    return constant != nullptr || !key.empty() || computed != nullptr;
  }
};

struct ModelVariable {
  std::string name;  // for people
  int data_type = 0;
  const tensorflow::TensorShapeProto* shape = nullptr;  // null: any
  InitialTensor value = {};
  std::vector<int> parts = {};  // the variables with the values of a resource that has several
};

struct ModelTable {
  // How the lines of a file are entries.
  struct TextFile {
    std::string asset;
    int64_t key_index = -2;
    int64_t value_index = -1;
    int64_t vocab_size = -1;
    int64_t offset = 0;
    std::string delimiter = "\t";
  };
  std::string name;
  int key_type = 0;
  int value_type = 0;
  bool starts_empty = false;  // a table that is changed one entry at a time
  std::optional<TextFile> file = {};
  InitialTensor keys = {};
  InitialTensor values = {};
  std::vector<InitialTensor> unused_keys = {};  // keys that mark places without an entry
};

class Initialization {
 public:
  Initialization(GraphLibrary& library, TensorBundle& bundle, std::filesystem::path folder);
  ~Initialization();
  Initialization(const Initialization&) = delete;
  Initialization& operator=(const Initialization&) = delete;

  // Follows the initialization of the graph.
  Status Run();
  // Follows a function that fills tables, such as `_initialize` of the object graph. `arguments`
  // are objects of the object graph.
  void RunFunction(const std::string& name, std::span<const int> objects);

  // Return the variable or table that a node creates, by its index.
  int VariableOf(const NodeGraph& graph, int node);
  int TableOf(const NodeGraph& graph, int node);
  // Returns the variable of an object, or -1.
  int VariableOfObject(int object);
  // Returns the table of a resource in the object graph, or -1 if it creates none.
  int TableOfObject(int object);

  const ModelVariable& variable(int i) const { return variables_[static_cast<size_t>(i)]; }
  const ModelTable& table(int i) const { return tables_[static_cast<size_t>(i)]; }
  const std::vector<ModelVariable>& variables() const { return variables_; }
  const std::vector<ModelTable>& tables() const { return tables_; }

  // Return the value, with the checks of its type. The error says why there is none.
  StatusOr<CapturedValue> Read(const ModelVariable& variable);
  StatusOr<std::pair<Tensor, Tensor>> Read(const ModelTable& table);  // keys and values, vectors
  // Returns the bytes of a file in assets/, as a scalar.
  StatusOr<Tensor> ReadAsset(const std::string& asset);

  // Returns the name of the asset that a node of the graph stands for, or an empty string.
  std::string AssetOf(const std::string& node) const;
  std::string AssetOfIndex(int index) const;

  // Returns true if the operator makes a variable or a table.
  static bool MakesVariable(std::string_view op);
  static bool MakesTable(std::string_view op);

 private:
  struct Known {
    enum class Kind : uint8_t { kUnknown, kVariable, kTable, kPrefix, kTensor, kAsset };
    Kind kind = Kind::kUnknown;
    int index = 0;
    InitialTensor tensor = {};
    std::string asset = {};
  };
  // A graph or a call of a function that is followed.
  struct Place {
    const NodeGraph* graph = nullptr;
    std::vector<Known> arguments = {};
    std::set<int> done = {};           // nodes that ran
    std::map<int, Place*> calls = {};  // by node
    int depth = 0;
  };

  Known ValueOf(Place& place, const NodeReference& reference);
  Known ValueOfNode(Place& place, int node, int output);
  Known InputOf(Place& place, int node, size_t input);
  // The tensor that an input is, where a variable is its value.
  InitialTensor TensorAt(Place& place, int node, size_t input);
  // Computes an output of a node whose operator has no other meaning here.
  Known Compute(Place& place, int node, int output);
  Place* InnerPlace(Place& place, int node);
  void RunNode(Place& place, int node);
  void RunEffect(Place& place, int node);
  void RunBody(Place& place);
  // Returns the place of a call of a function whose last arguments are objects.
  Place PlaceOfFunction(const NodeGraph& graph, std::span<const int> objects);
  // Returns the table that a node creates, after it has read the keys that mark places without an
  // entry.
  int TableOfNode(Place& place, int node);
  bool RunReference(const std::string& reference);
  void ReadAssets();
  void WalkObjects();
  // Gives the variables of the graph that have no value the values of their objects.
  void AddValuesOfObjects();
  Known KnownOfObject(int object);
  StatusOr<CapturedValue> Read(const InitialTensor& tensor);
  StatusOr<std::pair<Tensor, Tensor>> ReadTextFile(const ModelTable& table);
  StatusOr<std::shared_ptr<const MappedFile>> MapAsset(const std::string& asset);

  GraphLibrary& library_;
  TensorBundle& bundle_;
  const std::filesystem::path folder_;
  std::vector<ModelVariable> variables_;
  std::vector<ModelTable> tables_;
  absl::flat_hash_map<std::string, int> variable_names_;  // by the name of the node
  // The values of variables of the graph, by container and shared name.
  absl::flat_hash_map<std::string, InitialTensor> shared_values_;
  absl::flat_hash_map<std::string, int> table_names_;
  std::map<int, int> variable_objects_;
  std::map<int, int> table_objects_;
  std::map<int, std::string> checkpoint_keys_;            // by object
  absl::flat_hash_map<std::string, std::string> assets_;  // by node
  std::vector<std::string> asset_files_;
  std::vector<std::unique_ptr<Place>> places_;
  int64_t num_steps_ = 0;
  int depth_ = 0;
  std::chrono::steady_clock::duration compute_time_ = std::chrono::seconds(5);  // that is left
};

}  // namespace signet
