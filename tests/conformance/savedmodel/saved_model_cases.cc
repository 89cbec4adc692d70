#include "tests/conformance/savedmodel/saved_model_cases.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>

#include "core/frontends/import_model.h"
#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/model/unique_names.h"
#include "signet/record_spec.h"
#include "tests/server/test_server.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

StatusOr<Value> ReadTensor(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  onnx::TensorProto proto;
  if (!file || !proto.ParseFromString(bytes)) return NotFound("no tensor in ", path.string());
  OnnxFile none;
  ExternalFiles files(none);
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromOnnx(proto, files));
  return Value(std::move(tensor));
}

double ElementOf(const Tensor& tensor, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (tensor.dtype() == DType::kFloat64) return tensor.elements<double>()[at];
  return tensor.elements<float>()[at];
}

// Returns the first difference, or an empty string.
std::string Compare(const Tensor& found, const Tensor& wanted, double rtol, double atol) {
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape()) {
    return Cat("expected `", wanted.spec(), "`, found `", found.spec(), "`");
  }
  if (wanted.dtype() != DType::kFloat32 && wanted.dtype() != DType::kFloat64) {
    return SameTensor(found, wanted) ? "" : "other elements";
  }
  for (int64_t i = 0; i < wanted.num_elements(); ++i) {
    const double a = ElementOf(found, i);
    const double b = ElementOf(wanted, i);
    if (std::isnan(b) ? std::isnan(a) : a == b) continue;
    if (std::abs(a - b) <= atol + rtol * std::abs(b)) continue;
    return Cat("element ", i, ": expected ", b, ", found ", a);
  }
  return "";
}

// Returns the function and the parameter of a signature.
struct Names {
  std::string function;
  const LoadedModel& model;

  std::string Parameter(const std::string& key) const { return Of("input", key); }
  std::string Output(const std::string& key) const { return Of("output", key); }

 private:
  std::string Of(std::string_view kind, const std::string& key) const {
    const std::string prefix = Cat("savedmodel.", function, ".", kind, ".");
    for (const auto& [name, value] : model.def().metadata) {
      if (value == key && name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return key;
  }
};

std::string FunctionOf(const LoadedModel& model, const std::string& signature) {
  for (const auto& [name, value] : model.def().metadata) {
    constexpr std::string_view kPrefix = "savedmodel.";
    constexpr std::string_view kSuffix = ".signature";
    if (value == signature && name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      return name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    }
  }
  return signature;
}

}  // namespace

std::vector<RecordedCall> ReadRecordedCalls(const fs::path& folder, const LoadedModel& model) {
  std::vector<RecordedCall> calls;
  std::ifstream file(folder / "cases.json");
  const auto cases = nlohmann::json::parse(file, nullptr, false);
  if (cases.is_discarded()) return calls;
  for (const auto& entry : cases.at("cases")) {
    const Names names{FunctionOf(model, entry.at("signature")), model};
    RecordedCall call{.function = names.function, .arguments = {}};
    bool is_complete = true;
    for (const auto& key : entry.at("inputs")) {
      auto input = ReadTensor(folder / std::string(entry.at("dir")) /
                              Cat("input_", std::string(key), ".pb"));
      is_complete = is_complete && input.ok();
      if (input.ok()) {
        call.arguments.keyword.emplace_back(names.Parameter(key), *std::move(input));
      }
    }
    if (is_complete) calls.push_back(std::move(call));
  }
  return calls;
}

struct SavedModelRunner::Serving {
  TestServer server;
  ServiceClient client = server.MakeClient();
};

SavedModelRunner::SavedModelRunner() : serving_(std::make_unique<Serving>()) {}
SavedModelRunner::~SavedModelRunner() = default;

SavedModelOutcome SavedModelRunner::Run(const fs::path& folder) {
  SavedModelOutcome out;
  std::ifstream file(folder / "cases.json");
  const auto cases = nlohmann::json::parse(file, nullptr, false);
  if (cases.is_discarded()) {
    out.failed = 1;
    out.failures.emplace_back("no cases.json");
    return out;
  }
  auto fail = [&](const std::string& where, const std::string& why) {
    ++out.failed;
    out.failures.push_back(Cat(where, ": ", why));
  };
  const fs::path version = folder / std::string(cases.at("model"));
  TemporaryFolder temporary;
  const fs::path native = temporary.path() / "1";
  // The model itself, and its native form.
  for (bool is_native : {false, true}) {
    if (is_native) {
      fs::path model_file = version / "saved_model.pb";
      if (!fs::exists(model_file)) model_file = version / "saved_model.pbtxt";
      Status imported = ImportModel(model_file, native);
      if (!imported.ok()) {
        if (!out.not_imported.empty()) break;
        fail("import", std::string(MessageOf(imported)));
        break;
      }
    }
    auto model = LoadModel(is_native ? native : version, "case", 1, {});
    if (!model.ok()) {
      if (absl::IsFailedPrecondition(model.status()) && !is_native) {
        out.not_imported.emplace_back(MessageOf(model.status()));
        continue;
      }
      fail(is_native ? "native form" : "load", std::string(MessageOf(model.status())));
      break;
    }
    serving_->server.server().repository().Add(*model);
    bool has_changed = false;
    for (const auto& entry : cases.at("cases")) {
      const std::string signature = entry.at("signature");
      const fs::path set = folder / std::string(entry.at("dir"));
      const std::string where = Cat(is_native ? "native, " : "", std::string(entry.at("dir")));
      const Names names{FunctionOf(**model, signature), **model};
      CallSpec call{.model = {.name = "case"}, .function = names.function};
      bool is_complete = true;
      for (const auto& key : entry.at("inputs")) {
        auto input = ReadTensor(set / Cat("input_", std::string(key), ".pb"));
        if (!input.ok()) {
          fail(where, std::string(MessageOf(input.status())));
          is_complete = false;
          break;
        }
        call.kwargs.emplace_back(names.Parameter(key), *std::move(input));
      }
      if (!is_complete) continue;
      auto answer = serving_->client.Call(call);
      if (absl::IsUnimplemented(answer.status())) {
        // Later calls of a sequence see a state that Signet does not change.
        has_changed = has_changed || cases.at("sequence").get<bool>();
        if (!is_native) {
          out.not_imported.push_back(Cat(where, ": ", MessageOf(answer.status())));
        }
        continue;
      }
      if (!answer.ok()) {
        fail(where, std::string(MessageOf(answer.status())));
        continue;
      }
      if (has_changed) {
        if (!is_native) out.not_imported.push_back(Cat(where, ": follows a change of state"));
        continue;
      }
      const auto* dict = answer->result.spec().As<DictSpec>();
      std::string why = dict == nullptr ? "expected a dict" : "";
      for (const auto& key : entry.at("outputs")) {
        if (!why.empty()) break;
        auto wanted = ReadTensor(set / Cat("output_", std::string(key), ".pb"));
        const auto& keys = dict->keys();
        auto at = std::find(keys.begin(), keys.end(), names.Output(key));
        if (!wanted.ok()) {
          why = std::string(MessageOf(wanted.status()));
        } else if (at == keys.end()) {
          why = Cat("no output `", std::string(key), "`");
        } else {
          const Value found = ChildrenOf(answer->result)[static_cast<size_t>(at - keys.begin())];
          why = found.spec().is(TypeKind::kTensor)
                    ? Compare(found.tensor(), wanted->tensor(), cases.at("rtol"), cases.at("atol"))
                    : "expected a tensor";
          if (!why.empty()) why = Cat("output `", std::string(key), "`: ", why);
        }
      }
      if (why.empty()) {
        ++out.passed;
      } else {
        fail(where, why);
      }
    }
  }
  return out;
}

}  // namespace signet
