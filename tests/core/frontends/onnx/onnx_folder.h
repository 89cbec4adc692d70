// OnnxFolder: a model.onnx of a test, in a folder of its own.

#pragma once

#include <memory>
#include <string>

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {

inline constexpr char kHead[] = "ir_version: 8 opset_import { version: 17 } ";

class OnnxFolder {
 public:
  explicit OnnxFolder(const onnx::ModelProto& model) {
    folder_.Write(kOnnxFile, model.SerializeAsString());
  }
  // From the text of its message.
  explicit OnnxFolder(const std::string& text) : OnnxFolder(Parsed(text)) {}

  static onnx::ModelProto Parsed(const std::string& text) {
    onnx::ModelProto model;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
    return model;
  }

  const TemporaryFolder& folder() const { return folder_; }
  StatusOr<std::shared_ptr<const LoadedModel>> Load() const {
    return LoadModel(folder_.path(), "m", 1, {});
  }
  // Returns the error message without the place, or "" if the model loads.
  std::string Rejection() const {
    auto model = Load();
    if (model.ok()) return "";
    std::string text(MessageOf(model.status()));
    size_t behind = text.find("model.onnx: ");
    return behind == std::string::npos ? text : text.substr(behind + 12);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace signet
