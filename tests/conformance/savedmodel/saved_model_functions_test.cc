// Checks the functions of the SavedModels in SIGNET_MODELS_DIR/savedmodel. Their parameters equal
// the parameters of the functions in Python. A call selects the function that was traced for its
// types. A function of serialized examples returns the same as the function of records.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/tensorflow/example_rows.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "signet/notation.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"
#include "tensorflow/example.pb.h"
#include "tensorflow/saved_model.pb.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using Structured = tensorflow::StructuredValue;

// The version directories of the models.
std::set<fs::path> VersionsOfModels() {
  std::set<fs::path> out;
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  if (dir == nullptr || !fs::is_directory(fs::path(dir) / "savedmodel")) {
    std::printf("skipped: functions of real SavedModels need SIGNET_MODELS_DIR\n");
    return out;
  }
  for (const auto& entry : fs::directory_iterator(fs::path(dir) / "savedmodel")) {
    std::ifstream file(entry.path() / "cases.json");
    const auto cases = nlohmann::json::parse(file, nullptr, false);
    if (!cases.is_discarded()) out.insert(entry.path() / std::string(cases.at("model")));
  }
  return out;
}

std::vector<Structured> ElementsOf(const Structured& value) {
  const auto& list =
      value.has_tuple_value() ? value.tuple_value().values() : value.list_value().values();
  return {list.begin(), list.end()};
}

// Returns a plain value as Python writes it, and `..` for other values.
std::string TextOf(const Structured& value) {
  switch (value.kind_case()) {
    case Structured::kNoneValue:
    case Structured::KIND_NOT_SET:
      return "None";
    case Structured::kBoolValue:
      return value.bool_value() ? "True" : "False";
    case Structured::kInt64Value:
      return std::to_string(value.int64_value());
    case Structured::kStringValue:
      return Cat("\"", value.string_value(), "\"");
    default:
      return "..";
  }
}

// Returns the parameters of a FullArgSpec of Python: `inputs, training=False, *, mask=None`.
std::string ParametersOf(const tensorflow::FunctionSpec& spec) {
  std::map<std::string, Structured> fields;
  for (const auto& pair : spec.fullargspec().named_tuple_value().values()) {
    fields[pair.key()] = pair.value();
  }
  std::vector<std::string> args;
  for (const Structured& arg : ElementsOf(fields["args"])) args.push_back(arg.string_value());
  const std::vector<Structured> defaults = ElementsOf(fields["defaults"]);
  std::vector<std::string> texts;
  const size_t first = !args.empty() && (spec.is_method() || args[0] == "self") ? 1 : 0;
  for (size_t i = first; i < args.size(); ++i) {
    const size_t from_end = args.size() - i;
    const bool has_default = from_end <= defaults.size();
    texts.push_back(has_default ? Cat(args[i], "=", TextOf(defaults[defaults.size() - from_end]))
                                : args[i]);
  }
  const std::string variadic = fields["varargs"].string_value();
  const std::vector<Structured> names = ElementsOf(fields["kwonlyargs"]);
  if (!variadic.empty()) texts.push_back("*" + variadic);
  if (variadic.empty() && !names.empty()) texts.emplace_back("*");
  for (const Structured& name : names) {
    const auto& given = fields["kwonlydefaults"].dict_value().fields();
    auto found = given.find(name.string_value());
    texts.push_back(found == given.end() ? name.string_value()
                                         : Cat(found->first, "=", TextOf(found->second)));
  }
  if (!fields["varkw"].string_value().empty())
    texts.push_back("**" + fields["varkw"].string_value());
  return Join(texts, ", ");
}

// Returns the parameters of a function of Signet in the same form.
std::string ParametersOf(const FunctionDef& def) {
  std::vector<std::string> texts;
  bool has_star = false;
  for (const Parameter& parameter : def.type.parameters()) {
    if (parameter.kind == ParameterKind::kVarPositional) {
      texts.push_back("*" + parameter.name);
      has_star = true;
      continue;
    }
    if (parameter.kind == ParameterKind::kVarKeyword) {
      texts.push_back("**" + parameter.name);
      continue;
    }
    if (parameter.kind == ParameterKind::kKeywordOnly && !has_star) {
      texts.emplace_back("*");
      has_star = true;
    }
    auto value = def.defaults.find(parameter.name);
    if (value == def.defaults.end()) {
      texts.push_back(parameter.name);
    } else {
      const bool is_literal = value->second.spec().is(TypeKind::kLiteral);
      texts.push_back(
          Cat(parameter.name, "=", is_literal ? value->second.literal().ToString() : ".."));
    }
  }
  return Join(texts, ", ");
}

// A function of the object graph that is published: its path, and its message.
std::map<std::string, const tensorflow::SavedFunction*> PublishedFunctions(
    const tensorflow::SavedObjectGraph& graph) {
  std::map<std::string, const tensorflow::SavedFunction*> out;
  if (graph.nodes_size() == 0) return out;
  const auto& root = graph.nodes(0);
  const bool is_keras = root.user_object().identifier().starts_with("_tf_keras_");
  for (const auto& child : root.children()) {
    const std::string& name = child.local_name();
    const auto& object = graph.nodes(child.node_id());
    if (!object.has_function() || object.function().concrete_functions().empty()) continue;
    if (name == "__call__") {
      out["call"] = &object.function();
    } else if (!is_keras && !name.starts_with('_')) {
      out[name] = &object.function();
    }
  }
  return out;
}

// Returns an argument of the type of a trace: zeros, or the literal. Empty for other types.
std::optional<Value> ArgumentFor(const Structured& type) {
  if (type.has_tensor_spec_value()) {
    const auto& spec = type.tensor_spec_value();
    Shape shape;
    for (const auto& dim : spec.shape().dim()) shape.push_back(dim.size() < 0 ? 2 : dim.size());
    if (spec.dtype() != tensorflow::DT_FLOAT) return std::nullopt;
    auto tensor = Tensor::Allocate(DType::kFloat32, shape);
    std::fill_n(tensor->mutable_elements<float>(), tensor->num_elements(), 0.0F);
    return Value(*std::move(tensor));
  }
  switch (type.kind_case()) {
    case Structured::kNoneValue:
      return Value::None();
    case Structured::kBoolValue:
      return Value::OfLiteral(Literal::Bool(type.bool_value()));
    case Structured::kInt64Value:
      return Value::OfLiteral(Literal::Int(type.int64_value()));
    case Structured::kStringValue:
      return Value::OfLiteral(Literal::String(type.string_value()));
    default:
      return std::nullopt;
  }
}

// Returns the hidden function of a trace that accepts `arguments`, or null if there is none.
const PolymorphicFunction* HiddenFunction(const LoadedModel& model, const std::string& name,
                                          const std::vector<Value>& arguments) {
  for (const auto& function : model.functions()) {
    const FunctionDef& def = function->def();
    if (!def.name.starts_with(Cat("_", name, "_"))) continue;
    const auto& parameters = def.type.parameters();
    bool fits = parameters.size() == arguments.size();
    for (size_t i = 0; fits && i < parameters.size(); ++i) {
      fits = IsSubtype(arguments[i].spec(), parameters[i].type);
    }
    if (fits) return function.get();
  }
  return nullptr;
}

TEST(SavedModelFunctionsTest, HaveTheParametersAndTracesOfThePythonFunctions) {
  int functions = 0;
  int traces = 0;
  for (const fs::path& version : VersionsOfModels()) {
    SCOPED_TRACE(version);
    tensorflow::SavedModel message;
    if (!fs::exists(version / "saved_model.pb")) continue;
    ASSERT_TRUE(message.ParseFromString(ReadWholeFile(version / "saved_model.pb")));
    const auto& graph = message.meta_graphs(0).object_graph_def();
    auto model = LoadModel(version, "m", 1, {});
    ASSERT_TRUE(model.ok()) << model.status();
    for (const auto& [path, saved] : PublishedFunctions(graph)) {
      SCOPED_TRACE(path);
      // A signature of the same name comes first.
      auto function = (*model)->FindFunction(path + "_2");
      if (!function.ok()) function = (*model)->FindFunction(path);
      const std::string unavailable = Cat("unavailable.", path);
      if (!function.ok()) {
        const auto& metadata = (*model)->def().metadata;
        EXPECT_TRUE(std::any_of(metadata.begin(), metadata.end(), [&](const auto& entry) {
          return entry.first.starts_with(unavailable);
        })) << function.status();
        continue;
      }
      ++functions;
      EXPECT_EQ(ParametersOf((*function)->def()), ParametersOf(saved->function_spec()));
      for (const std::string& name : saved->concrete_functions()) {
        SCOPED_TRACE(name);
        const auto& trace = graph.concrete_functions().at(name);
        const std::vector<Structured> both = ElementsOf(trace.canonicalized_input_signature());
        if (both.size() != 2 || !both[1].dict_value().fields().empty()) continue;
        CallArguments arguments;
        bool is_complete = true;
        for (const Structured& type : ElementsOf(both[0])) {
          auto argument = ArgumentFor(type);
          is_complete = is_complete && argument.has_value();
          if (argument) arguments.positional.push_back(*std::move(argument));
        }
        if (!is_complete) continue;
        const PolymorphicFunction* hidden = HiddenFunction(
            **model, (*function)->def().name.substr(0, path.size()), arguments.positional);
        auto selected = (*function)->Prepare(arguments, {});
        if (hidden == nullptr) {
          // The trace is not supported, so the call has no function.
          EXPECT_FALSE(selected.ok());
          continue;
        }
        auto traced = hidden->Prepare(arguments, {});
        ASSERT_TRUE(selected.ok()) << selected.status();
        ASSERT_TRUE(traced.ok()) << traced.status();
        EXPECT_EQ(selected->function->plan().ToString(), traced->function->plan().ToString());
        ++traces;
      }
    }
  }
  std::printf("models: savedmodel functions %d traces %d\n", functions, traces);
}

// Makes examples with random features for records of one type.
class RandomExamples {
 public:
  RandomExamples(const StructuredSpec& records, unsigned seed) : random_(seed) {
    for (size_t i = 0; i < records.field_names().size(); ++i) {
      fields_.emplace_back(records.field_names()[i], records.children()[i]);
    }
  }

  // Features without elements are missing.
  std::string Next() {
    tensorflow::Example example;
    for (const auto& [name, type] : fields_) AddFeature(name, type, example);
    auto& features = *example.mutable_features()->mutable_feature();
    for (const auto& [name, type] : fields_) {
      const auto& feature = features[name];
      if (feature.bytes_list().value().empty() && feature.int64_list().value().empty() &&
          feature.float_list().value().empty()) {
        features.erase(name);
      }
    }
    // A feature that the function does not read.
    if (random_() % 2 == 0) features["~other"].mutable_int64_list()->add_value(1);
    return example.SerializeAsString();
  }

 private:
  void AddFeature(const std::string& name, const TypeSpec& type, tensorflow::Example& example) {
    const auto* ragged = type.As<RaggedSpec>();
    int64_t count = ragged == nullptr ? 1 : static_cast<int64_t>(random_() % 4);
    // Many features with a default have one element or none.
    if (ragged != nullptr && random_() % 2 == 0) count %= 2;
    for (int64_t dim : type.shape()->dims()) {
      if (dim != kUnknownDim) count *= dim;
    }
    auto& feature = (*example.mutable_features()->mutable_feature())[name];
    const DType dtype = ragged == nullptr ? type.As<TensorSpec>()->dtype() : ragged->dtype();
    if (dtype == DType::kString) {
      feature.mutable_bytes_list();
    } else if (dtype == DType::kInt64) {
      feature.mutable_int64_list();
    } else {
      feature.mutable_float_list();
    }
    for (int64_t i = 0; i < count; ++i) {
      if (dtype == DType::kString) {
        feature.mutable_bytes_list()->add_value(std::string(random_() % 3, 'a'));
      } else if (dtype == DType::kInt64) {
        feature.mutable_int64_list()->add_value(static_cast<int64_t>(random_() % 20) - 2);
      } else {
        feature.mutable_float_list()->add_value(static_cast<float>(random_() % 1000) / 100);
      }
    }
  }

  std::mt19937 random_;
  std::vector<std::pair<std::string, TypeSpec>> fields_;
};

TEST(SavedModelFunctionsTest, ReturnTheSameForExamplesAndForRecords) {
  int same = 0;
  int rejected = 0;
  for (const fs::path& version : VersionsOfModels()) {
    SCOPED_TRACE(version);
    auto model = LoadModel(version, "m", 1, {});
    ASSERT_TRUE(model.ok()) << model.status();
    for (const auto& twin : (*model)->functions()) {
      const std::string& name = twin->def().name;
      if (!name.ends_with("_records") || name.starts_with('_')) continue;
      SCOPED_TRACE(name);
      auto plain = (*model)->FindFunction(name.substr(0, name.size() - 8));
      ASSERT_TRUE(plain.ok()) << plain.status();
      ASSERT_EQ(twin->def().type.parameters().size(), 1U);
      const Parameter& parameter = twin->def().type.parameters()[0];
      const auto* records = parameter.type.As<StructuredSpec>();
      ASSERT_NE(records, nullptr);
      RandomExamples examples(*records, static_cast<unsigned>(name.size()));
      for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        std::vector<std::string> rows;
        std::vector<Buffer> buffers;
        for (int row = 0; row < 1 + i % 3; ++row) {
          rows.push_back(examples.Next());
          buffers.push_back(Buffer::Copy(rows.back()));
        }
        const std::vector<std::string_view> views(rows.begin(), rows.end());
        auto wanted = (*plain)->Call(
            {{Value(Tensor::Strings({static_cast<int64_t>(rows.size())}, views))}, {}}, {});
        auto value = tf::ValueFromExamples(buffers, {}, parameter.type, {});
        auto found = value.ok() ? twin->Call({{*value}, {}}, {}) : value;
        ASSERT_EQ(wanted.ok(), found.ok()) << wanted.status() << "\n" << found.status();
        if (!wanted.ok()) {
          ++rejected;
          continue;
        }
        ++same;
        EXPECT_TRUE(SameValue(*wanted, *found)) << ToString(*wanted) << "\n" << ToString(*found);
      }
    }
  }
  std::printf("models: savedmodel records same %d rejected %d\n", same, rejected);
}

}  // namespace
}  // namespace signet
