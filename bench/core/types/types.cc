// Types: measures making, parsing, writing, and comparing types.
//
//   intern     making a type of each kind that exists already, as the decoding of an argument does
//   parse      parsing the notation of the types of a tensor and of a record
//   write      writing the notation of the same types
//   compare    IsSubtype for a wider type of the same structure, as a dispatch search does
//
// The reference of all rows is one malloc and free of 64 bytes.

#include <cstdlib>
#include <string>

#include "bench/subjects.h"
#include "core/types/notation/notation.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr const char* kRecord =
    "[{title: string[], ids: int64[(?)], ingredients: [{amount: float32[], name: string[]}]}]";
constexpr const char* kNarrowRecord =
    "{title: string[], ids: int64[3], steps: [{minutes: float32[]}]}";
constexpr const char* kWideRecord =
    "{title: string[], ids: int64[?], steps: [{minutes: float32[]}]}";

TypeSpec Parsed(std::string_view text) {
  auto spec = ParseTypeSpec(text);
  SIGNET_CHECK(spec.ok());
  return *spec;
}

}  // namespace

void BenchTypes(const BenchOptions& options, Report& report) {
  auto against_malloc = [&](std::string name, auto body) {
    Pair pair = MedianPair(
        options, [&] { return TimeOf(options, body); },
        [&] {
          return TimeOf(options, [] {
            void* memory = std::malloc(64);
            Keep(memory);
            std::free(memory);
          });
        });
    report.Add(Compared("types: " + name, "ns", "malloc and free of 64 B", pair, Better::kLower));
  };

  TypeSpec held = TensorType(DType::kFloat32, {2, 3});
  against_malloc("intern float32[2, 3]", [] { Keep(TensorType(DType::kFloat32, {2, 3})); });

  TypeSpec record = Parsed(kRecord);
  std::vector<TypeSpec> fields(record.children().begin(), record.children().end());
  against_malloc("intern a record of 3 fields",
                 [&] { Keep(record.rep().Rebuild(*record.shape(), fields)); });
  against_malloc("write a record of 3 fields", [&] { Keep(record.ToString()); });
  against_malloc("parse a record of 3 fields", [] { Keep(ParseTypeSpec(kRecord)); });
  against_malloc("parse float32[2, 3]", [] { Keep(ParseTypeSpec("float32[2, 3]")); });

  TypeSpec open = TensorType(DType::kFloat32, {kUnknownDim, 3});
  against_malloc("float32[2, 3] below float32[?, 3]", [&] { Keep(IsSubtype(held, open)); });
  TypeSpec narrow = Parsed(kNarrowRecord);
  TypeSpec wide = Parsed(kWideRecord);
  SIGNET_CHECK(IsSubtype(narrow, wide));
  against_malloc("a record below a wider one", [&] { Keep(IsSubtype(narrow, wide)); });
}

}  // namespace signet
