#include "core/eager/builtin_library.h"

#include "core/ops/catalog.h"

namespace signet {
namespace {

class OpsOnly final : public FunctionLibrary {
 public:
  const OpRegistry& ops() const override { return BuiltinOps(); }
  const FunctionDef* Lookup(std::string_view) const override { return nullptr; }
  const Captures& captures() const override { return captures_; }

 private:
  const Captures captures_;
};

}  // namespace

const FunctionLibrary& BuiltinLibrary() {
  static const auto* const library = new OpsOnly;
  return *library;
}

}  // namespace signet
