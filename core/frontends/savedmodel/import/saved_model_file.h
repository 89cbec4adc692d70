// SavedModelFile: the graph of a SavedModel that is served, from saved_model.pb or
// saved_model.pbtxt.
//
// A SavedModel may have several graphs, each with a set of tags. The graph with exactly the tag
// `serve` is selected, or else the only one whose tags include `serve`. A parser of untrusted
// input.

#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "signet/status.h"
#include "tensorflow/saved_model.pb.h"

namespace signet {

inline constexpr char kSavedModelFile[] = "saved_model.pb";
inline constexpr char kSavedModelTextFile[] = "saved_model.pbtxt";

struct SavedModelFile {
  tensorflow::MetaGraphDef graph;
  std::string tags;  // of the graph, joined with commas
  // What fingerprint.pb contradicts, for people. Empty: nothing.
  std::string fingerprint_note;
};

// Returns true if `path` is one of these files or a frozen graph, or a directory that contains one.
bool HoldsTensorFlowModel(const std::filesystem::path& path);

// Reads the file in the directory of a version. If both forms exist, saved_model.pb is read.
// NOT_FOUND if there is none.
StatusOr<std::unique_ptr<SavedModelFile>> ReadSavedModelFile(const std::filesystem::path& folder);

}  // namespace signet
