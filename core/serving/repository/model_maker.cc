#include "core/serving/repository/model_maker.h"

#include "core/frontends/load_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/native/model_files.h"
#include "core/serving/batching/verify_batches.h"

namespace signet {
namespace {

using Model = ModelMaker::Model;

StatusOr<Model> LoadVerified(const ModelMaker::Version& version, const ModelOptions& options) {
  SIGNET_ASSIGN_OR_RETURN(Model model,
                          LoadModel(version.folder, version.name, version.number, options));
  const Status batches = VerifyBatches(*model, version.folder, options.limits);
  if (!batches.ok()) {
    const Status placed = WithPositionInFolder(version.folder, batches);
    return At(PlaceOf(version.folder), FailedPrecondition(MessageOf(placed)));
  }
  return model;
}

Status CheckBatches(const LoadedModel& model) {
  return VerifyBatches(model, model.def().files->folder, model.options().limits);
}

StatusOr<ReplacedCaptures> ReplaceVerified(const Model& old,
                                           const std::filesystem::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures replaced, signet::ReplaceCaptures(old, captures));
  if (replaced.changed) SIGNET_RETURN_IF_ERROR(CheckBatches(*replaced.model));
  return replaced;
}

StatusOr<ReplacedCaptures> ReplaceImportedVerified(const Model& old,
                                                   const ModelFinder& find_model) {
  SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures replaced,
                          signet::ReplaceImportedCaptures(old, find_model));
  SIGNET_RETURN_IF_ERROR(CheckBatches(*replaced.model));
  return replaced;
}

}  // namespace

void FileModelMaker::Load(const Version& version, const ModelOptions& options,
                          const Done<Model>& done) {
  done(LoadVerified(version, options));
}

void FileModelMaker::ReplaceCaptures(const Model& old, const std::filesystem::path& captures,
                                     const Done<ReplacedCaptures>& done) {
  done(ReplaceVerified(old, captures));
}

void FileModelMaker::ReplaceImportedCaptures(const Model& old, const ModelFinder& find_model,
                                             const Done<ReplacedCaptures>& done) {
  done(ReplaceImportedVerified(old, find_model));
}

}  // namespace signet
