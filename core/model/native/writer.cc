#include "core/model/native/writer.h"

#include <algorithm>

#include "core/formats/safetensors/safetensors.h"
#include "core/formats/signet_wire/wire.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/model/native/model_to_proto.h"
#include "core/model/native/source_lines.h"
#include "signet/dtype.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Returns true if captures.safetensors can contain `value`.
bool IsNumericTensor(const Value& value) {
  if (!value.spec().is(TypeKind::kTensor)) return false;
  DType dtype = value.tensor().dtype();
  return dtype != DType::kString && !IsComplex(dtype);
}

// Converts as wire::ValueToProto does, but writes string tensors element by element, as readable
// text.
v1::Value CaptureToProto(const Value& value) {
  if (!value.spec().is(TypeKind::kTensor) || !value.tensor().is_string()) {
    return wire::ValueToProto(value);
  }
  v1::Value out;
  const Tensor& tensor = value.tensor();
  out.mutable_tensor()->set_dtype(v1::DTYPE_STRING);
  for (int64_t dim : tensor.shape().dims()) out.mutable_tensor()->add_shape(dim);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    out.mutable_tensor()->add_strings(std::string(tensor.string_at(i)));
  }
  return out;
}

Status WriteFiles(const fs::path& folder, v1::Model proto, const Captures& captures) {
  NamedTensors tensors;
  for (const auto& [name, captured] : captures) {
    auto got = captured.Get();
    if (!got.ok()) return At(Cat("capture `", Printable(name), "`"), got.status());
    const Value& value = *got;
    if (IsNumericTensor(value)) {
      tensors.emplace_back(name, value.tensor());
    } else {
      (*proto.mutable_captures())[name] = CaptureToProto(value);
    }
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FailedPrecondition("cannot make the directory");
  // The message types are a part of this form.
  for (const char* name : {kBinaryFile, kLanguageFile, kDescriptorsFile}) {
    fs::remove(folder / name, error);
  }
  if (tensors.empty()) {
    fs::remove(folder / kCapturesFile, error);
  } else {
    SIGNET_RETURN_IF_ERROR(At(kCapturesFile, WriteSafetensors(folder / kCapturesFile, tensors)));
  }
  SIGNET_ASSIGN_OR_RETURN(const std::string bytes, SerializeModel(proto));
  return WriteFileAtomically(folder / kBinaryFile, bytes);
}

}  // namespace

Status WriteNativeModel(const fs::path& folder, const ModelDef& model, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(WrittenModel written, ModelToProto(model));
  SIGNET_RETURN_IF_ERROR(ModelDefFromProto(written.proto, written.captures, limits).status());
  SIGNET_RETURN_IF_ERROR(WriteFiles(folder, std::move(written.proto), written.captures));
  return SourceLines::Write(folder, model.sources.get());
}

}  // namespace signet
