#include "tests/support/case_file.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <absl/strings/ascii.h>

#include "core/base/constraint.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// Takes `name=` off the start of `text`, if that is what stands there.
std::string TakeAttributeName(std::string_view& text) {
  size_t start = text.find_first_not_of(' ');
  if (start == std::string_view::npos) return "";
  size_t end = start;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  if (end == start || end >= text.size() || text[end] != '=') return "";
  std::string name(text.substr(start, end - start));
  text.remove_prefix(end + 1);
  return name;
}

// A value; plain data in a list or tuple may be its type alone: `list(2, 0)`.
StatusOr<Value> ReadInput(NotationReader& in) {
  NotationReader as_value = in;
  auto value = ReadValue(as_value);
  if (value.ok()) {
    in = as_value;
    return value;
  }
  NotationReader as_type = in;
  auto type = as_type.ReadType();
  if (!type.ok() || type->num_components() > 0) return value;
  in = as_type;
  return Value::Trusted(*type, {});
}

Status ReadCall(std::string_view text, OpCase& out) {
  size_t end = 0;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  out.op = text.substr(0, end);
  text.remove_prefix(end);
  NamedTypes attributes;
  for (std::string name = TakeAttributeName(text); !name.empty(); name = TakeAttributeName(text)) {
    NotationReader in(text);
    SIGNET_ASSIGN_OR_RETURN(TypeSpec value, in.ReadType());
    attributes.emplace_back(std::move(name), std::move(value));
    text.remove_prefix(in.position());
  }
  out.attributes = Attributes(std::move(attributes));
  for (NotationReader in(text); !in.AtEnd();) {
    SIGNET_ASSIGN_OR_RETURN(Value input, ReadInput(in));
    out.inputs.push_back(std::move(input));
  }
  return absl::OkStatus();
}

Status ReadResults(std::string_view text, OpCase& out) {
  NotationReader in(text);
  do {
    SIGNET_ASSIGN_OR_RETURN(Value result, ReadValue(in));
    out.results.push_back(std::move(result));
  } while (in.Take(";"));
  return in.ExpectEnd();
}

// Lines with those that go on them, and their numbers.
std::vector<std::pair<int, std::string>> LogicalLines(std::string_view text) {
  std::vector<std::pair<int, std::string>> lines;
  std::istringstream in{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ' && !lines.empty()) {
      lines.back().second += line;
    } else {
      lines.emplace_back(number, line);
    }
  }
  return lines;
}

template <class T>
bool IsNear(T expected, T found, double tolerance) {
  if constexpr (std::same_as<T, Float16> || std::same_as<T, BFloat16>) {
    return IsNear(ToFloat(expected), ToFloat(found), tolerance);
  } else if constexpr (std::floating_point<T>) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    if (std::isinf(expected) || std::isinf(found)) return expected == found;
    // `-0.0` stands for itself, and `0` for either zero.
    if (expected == 0 && std::signbit(expected) && found == 0) return std::signbit(found);
    double size = std::max(std::abs(static_cast<double>(expected)), 1e-6);
    return std::abs(static_cast<double>(expected) - static_cast<double>(found)) <= tolerance * size;
  } else if constexpr (std::same_as<T, std::complex<float>> ||
                       std::same_as<T, std::complex<double>>) {
    return IsNear(expected.real(), found.real(), tolerance) &&
           IsNear(expected.imag(), found.imag(), tolerance);
  } else {
    return expected == found;
  }
}

double DefaultTolerance(DType dtype) {
  return dtype == DType::kFloat16 ? 1e-3 : dtype == DType::kBFloat16 ? 1e-2 : 1e-5;
}

// Removes a label such as `C2 ` from the start of `text`, and returns it without the blank.
std::string TakeLabel(std::string_view& text) {
  size_t end = text.find(' ');
  if (end == std::string_view::npos || end < 2 || text[0] != 'C') return "";
  std::string label(text.substr(0, end));
  if (label.find_first_not_of("0123456789", 1) != std::string::npos) return "";
  text.remove_prefix(end + 1);
  return label;
}

}  // namespace

StatusOr<std::vector<OpCase>> ParseCases(std::string_view text) {
  std::vector<OpCase> cases;
  bool open = false;  // the last case has no answer yet
  for (const auto& [number, line] : LogicalLines(text)) {
    std::string where = Cat("line ", number);
    std::string_view rest = line;
    std::string_view mark = rest.substr(0, 2);
    if (mark == "->" || mark == "!!" || mark == "~ ") {
      if (!open) return InvalidArgument(where, ": `", mark, "` without a call before it");
      rest.remove_prefix(2);
      OpCase& last = cases.back();
      if (mark == "~ ") {
        last.tolerance = std::atof(std::string(rest).c_str());
        continue;
      }
      open = false;
      if (mark == "->") {
        SIGNET_RETURN_IF_ERROR(At(where, ReadResults(rest, last)));
      } else {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        last.constraint = TakeLabel(rest);
        last.error = rest;
      }
      continue;
    }
    if (open) return InvalidArgument(where, ": the call before has no answer");
    OpCase next;
    next.line = number;
    next.call = line;
    SIGNET_RETURN_IF_ERROR(At(where, ReadCall(line, next)));
    cases.push_back(std::move(next));
    open = true;
  }
  if (open) return InvalidArgument("the last call has no answer");
  return cases;
}

std::vector<CaseFile> ReadCaseFiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/core")) {
    if (entry.path().extension() == ".cases") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CaseFile> files;
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    auto cases = ParseCases(text.str());
    CaseFile file = {.name = path.string()};
    if (cases.ok()) {
      file.cases = *std::move(cases);
    } else {
      file.fault = MessageOf(cases.status());
    }
    files.push_back(std::move(file));
  }
  return files;
}

bool IsKernelCall(const OpCase& op_case) {
  const OpDef* op = BuiltinOps().Lookup(op_case.op);
  if (op != nullptr && !op->expand_tensors_if.empty()) {
    const TypeSpec flag = op_case.attributes.Lookup(op->expand_tensors_if);
    if (flag && flag == AttributeOf(true)) return false;
  }
  return std::all_of(op_case.inputs.begin(), op_case.inputs.end(), [](const Value& input) {
    const auto* literal = input.spec().As<LiteralSpec>();
    return input.spec().is(TypeKind::kTensor) ||
           (literal != nullptr && literal->literal().is(Literal::Kind::kNone));
  });
}

std::string Difference(const Tensor& expected, const Tensor& found, double tolerance) {
  if (expected.dtype() != found.dtype() || expected.shape() != found.shape()) {
    return Cat("expected `", expected.spec(), "`; found `", found.spec(), "`");
  }
  if (tolerance == 0) tolerance = DefaultTolerance(expected.dtype());
  return VisitDType(expected.dtype(), [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      bool same;
      if constexpr (std::same_as<T, std::string_view>) {
        same = expected.string_at(i) == found.string_at(i);
      } else {
        auto at = static_cast<size_t>(i);
        same = IsNear(expected.elements<T>()[at], found.elements<T>()[at], tolerance);
      }
      if (!same) {
        return Cat("element ", i, " differs: expected ", ToString(Value(expected), 64), "; found ",
                   ToString(Value(found), 64));
      }
    }
    return "";
  });
}

std::string Difference(const OpCase& op_case, std::span<const Value> found) {
  if (found.size() != op_case.results.size()) {
    return Cat("expected ", op_case.results.size(), " results; found ", found.size());
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const Value& expected = op_case.results[i];
    if (ExactSpecOf(expected) != ExactSpecOf(found[i]) ||
        expected.components().size() != found[i].components().size()) {
      return Cat("result ", i, ": expected ", ToString(expected, 64), "; found ",
                 ToString(found[i], 64));
    }
    for (size_t j = 0; j < expected.components().size(); ++j) {
      std::string difference =
          Difference(expected.components()[j], found[i].components()[j], op_case.tolerance);
      if (!difference.empty()) return Cat("result ", i, ": ", difference);
    }
  }
  return "";
}

std::string LabelOf(const Status& status) {
  const std::string constraint = ConstraintOf(status);
  const size_t blank = constraint.rfind(' ');
  return blank == std::string::npos ? constraint : constraint.substr(blank + 1);
}

bool IsExpectedError(const OpCase& op_case, const Status& status) {
  return (op_case.constraint.empty() || LabelOf(status) == op_case.constraint) &&
         MessageOf(status).ends_with(op_case.error);
}

}  // namespace signet
