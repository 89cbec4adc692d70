// Binding agrees with Python: random signatures and calls, written as JSON lines with our answer to
// each, and judged by bind_judge.py with inspect.Signature.bind and a real call. Seeded;
// SIGNET_SEED repeats a run. Where they differ from each other, the real call is right
// (docs/reference/function-types.md).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/function/binding.h"

namespace signet {
namespace {

using Json = nlohmann::json;
using Source = BoundParameter::Source;

constexpr int kCases = 6000;

class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  // Mostly legal, mostly with names of their own.
  std::vector<Parameter> Parameters() {
    std::vector<Parameter> parameters;
    std::vector<std::string> names = {"a", "b", "c", "d", "e", "x", "args", "kw", "_y"};
    std::shuffle(names.begin(), names.end(), random_);
    size_t count = Below(7);
    bool shuffled = Chance(15);
    for (size_t i = 0; i < count; ++i) {
      Parameter parameter;
      parameter.name = Chance(60) ? "a" : Chance(60) ? "class" : Chance(60) ? "9" : names[i];
      parameter.kind = static_cast<ParameterKind>(Below(5));
      bool is_variadic = IsVariadic(parameter.kind);
      parameter.optional = is_variadic ? Chance(40) : Chance(2);
      if (is_variadic && !shuffled && Has(parameters, parameter.kind)) continue;
      parameters.push_back(std::move(parameter));
    }
    if (shuffled) return parameters;
    std::stable_sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
      auto rank = [](const Parameter& p) {
        bool is_positional = p.kind <= ParameterKind::kPositionalOrKeyword;
        return static_cast<int>(p.kind) * 2 + (is_positional && p.optional ? 1 : 0);
      };
      return rank(a) < rank(b);
    });
    // Optional positional parameters last, whichever of the two kinds they are of.
    bool seen = false;
    for (Parameter& parameter : parameters) {
      if (parameter.kind > ParameterKind::kPositionalOrKeyword) break;
      seen |= parameter.optional;
      if (!Chance(15)) parameter.optional = seen;
    }
    return parameters;
  }

  std::vector<std::string> Keywords(const std::vector<Parameter>& parameters) {
    std::vector<std::string> names = {"z", "q"};
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::shuffle(names.begin(), names.end(), random_);
    names.resize(std::min(names.size(), Below(5)));
    return names;
  }

  size_t Below(size_t n) { return random_() % n; }
  bool Chance(size_t one_in) { return Below(one_in) == 0; }

 private:
  static bool Has(const std::vector<Parameter>& parameters, ParameterKind kind) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& p) { return p.kind == kind; });
  }

  std::mt19937 random_;
};

Json RejectionOf(const Status& status) {
  return {{"error", ReasonOf(status)}, {"param", FieldOf(status)}};
}

// Bound values: positional argument i is the number i, a keyword argument is its name.
Json Answer(const std::vector<Parameter>& parameters, size_t num_positional,
            const std::vector<std::string>& names) {
  auto type = FunctionType::Make(parameters);
  if (!type.ok()) return RejectionOf(type.status());
  std::vector<std::string_view> keywords(names.begin(), names.end());
  auto binding = BindArguments(*type, num_positional, keywords);
  if (!binding.ok()) return RejectionOf(binding.status());
  Json bound = Json::object();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const BoundParameter& from = binding->parameters[i];
    const std::string& name = parameters[i].name;
    if (from.source == Source::kPositional) bound[name] = from.index;
    if (from.source == Source::kKeyword) bound[name] = names[from.index];
    if (from.source != Source::kVariadic) continue;
    Json rest = Json::array();
    for (size_t j = 0; j < from.count; ++j) rest.push_back(from.index + j);
    if (parameters[i].kind == ParameterKind::kVarKeyword) {
      for (size_t keyword : binding->extra_keywords) rest.push_back(names[keyword]);
    }
    if (!rest.empty()) bound[name] = std::move(rest);
  }
  return {{"bound", bound}};
}

TEST(BindPropertyTest, AgreesWithPython) {
  if (std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))'") != 0) {
    GTEST_SKIP() << "no python3 of version 3.8 or later";
  }
  const char* text = std::getenv("SIGNET_SEED");
  auto seed = static_cast<unsigned>(text != nullptr ? std::strtoul(text, nullptr, 10) : 20240817UL);
  std::printf("SIGNET_SEED=%u, %d calls\n", seed, kCases);
  RandomCalls random(seed);
  std::string path = testing::TempDir() + "bind_property.jsonl";
  {
    std::ofstream out(path);
    for (int i = 0; i < kCases; ++i) {
      std::vector<Parameter> parameters = random.Parameters();
      std::vector<std::string> keywords = random.Keywords(parameters);
      size_t num_positional = random.Below(6);
      Json written = Json::array();
      for (const Parameter& parameter : parameters) {
        written.push_back({parameter.name, static_cast<int>(parameter.kind), parameter.optional});
      }
      out << Json({{"parameters", written},
                   {"positional", num_positional},
                   {"keywords", keywords},
                   {"answer", Answer(parameters, num_positional, keywords)}})
          << "\n";
    }
  }
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  std::string judge =
      std::string(source == nullptr ? "." : source) + "/tests/properties/bind_judge.py";
  EXPECT_EQ(std::system(Cat("python3 '", judge, "' '", path, "'").c_str()), 0);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace signet
