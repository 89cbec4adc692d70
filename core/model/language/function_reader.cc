#include "core/model/language/function_reader.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/model/language/body_builder.h"
#include "core/model/language/closures.h"
#include "core/model/native/attribute_value.h"
#include "signet/any_spec.h"

namespace signet {
namespace {

using ExpressionKind = Expression::Kind;

const std::string* TextOf(const Expression& expression) {
  const bool is_text = expression.kind == ExpressionKind::kValue &&
                       expression.value.spec().is(TypeKind::kLiteral) &&
                       expression.value.literal().is(Literal::Kind::kString);
  return is_text ? &expression.value.literal().string_value() : nullptr;
}

}  // namespace

void FunctionReader::Read(FunctionWorks& functions) {
  for (auto& work : functions) {
    if (!file_.errors.is_full()) ReadSignature(*work);
  }
  const Closures closures = ReadClosures(functions);
  for (auto& work : functions) {
    if (!file_.errors.is_full() && work->signature) ReadHead(*work);
  }
  for (auto& work : functions) {
    if (file_.errors.is_full()) return;
    if (!work->has_head) continue;
    for (Statement& statement : work->syntax->statements) ReadTypes(*statement.value);
    BuildBody(*work->syntax, {model_, *work->names, closures}, work->def, work->positions,
              file_.errors);
  }
}

void FunctionReader::ReadSignature(FunctionWork& work) {
  const FunctionSyntax& syntax = *work.syntax;
  auto signature = ParseSignature(file_.Notation(syntax.signature), &types_);
  if (signature.ok()) {
    work.signature = *std::move(signature);
  } else {
    file_.AddNotationError(syntax.signature, syntax.position, signature.status());
  }
}

Closures FunctionReader::ReadClosures(FunctionWorks& works) {
  std::vector<ClosureFunction> functions;
  absl::flat_hash_map<const FunctionWork*, int> indices;
  for (const auto& work : works) {
    indices.emplace(work.get(), static_cast<int>(functions.size()));
    ClosureFunction& function = functions.emplace_back();
    function.syntax = work->syntax;
    function.names = work->names.get();
    function.name = work->name;
    function.outer = work->outer == nullptr ? -1 : indices.at(work->outer);
    if (!work->signature) continue;
    for (const Parameter& parameter : work->signature->type.parameters()) {
      function.own.insert(parameter.name);
    }
  }
  Closures closures = FindClosures(std::move(functions), file_.errors);
  for (auto& work : works) {
    auto taken = closures.find(work->name);
    if (taken == closures.end() || !work->signature) continue;
    FunctionType& type = work->signature->type;
    std::vector<Parameter> parameters(type.parameters().begin(), type.parameters().end());
    for (const Parameter& parameter : parameters) {
      const bool is_plain =
          !parameter.optional && (parameter.kind == ParameterKind::kPositionalOnly ||
                                  parameter.kind == ParameterKind::kPositionalOrKeyword);
      if (is_plain) continue;
      file_.errors.Add(work->syntax->position,
                       Cat("`", work->syntax->name, "` uses `", taken->second[0],
                           "` of the function around it: expected parameters without defaults that "
                           "are neither keyword-only nor variadic, found `",
                           parameter.name, "`; make `", taken->second[0], "` a parameter"));
    }
    for (const std::string& name : taken->second) parameters.push_back({.name = name});
    auto made = FunctionType::Make(std::move(parameters),
                                   {type.captures().begin(), type.captures().end()}, type.output());
    if (made.ok()) type = *std::move(made);
  }
  return closures;
}

void FunctionReader::ReadHead(FunctionWork& work) {
  const FunctionSyntax& syntax = *work.syntax;
  StatedFunction stated{.name = work.name,
                        .doc = syntax.doc,
                        .signature = *std::move(work.signature),
                        .parameter_docs = {},
                        .examples = {},
                        .nodes = {},
                        .result = {}};
  file_.CheckText(syntax.doc_position, syntax.doc);
  for (const Declaration& decorator : syntax.decorators) ReadDecorator(decorator, stated);
  auto def = MakeFunctionHead(std::move(stated), model_);
  if (!def.ok()) {
    file_.AddNotationError(syntax.signature, syntax.position, def.status());
    return;
  }
  work.def = *std::move(def);
  work.has_head = true;
}

void FunctionReader::ReadDecorator(const Declaration& decorator, StatedFunction& out) {
  if (decorator.name == "example") {
    const bool is_one = decorator.arguments.size() == 1 && decorator.named.empty();
    const std::string* text = is_one ? TextOf(*decorator.arguments[0]) : nullptr;
    if (text == nullptr) {
      file_.errors.Add(decorator.position, "expected `example(\"ARGUMENTS\")`");
    } else if (file_.CheckText(decorator.position, *text)) {
      out.examples.push_back(*text);
    }
  } else if (decorator.name == "parameters") {
    ForEachNamed(decorator, [&](std::string_view name, size_t position, const Expression& value) {
      const std::string* text = TextOf(value);
      if (text == nullptr) {
        file_.errors.Add(value.begin,
                         "expected the documentation of a parameter in quotation marks");
      } else if (out.signature.type.LookupParameter(name) == nullptr) {
        file_.errors.Add(position, Cat("parameter `", Printable(name), "` not found"));
      } else if (file_.CheckText(value.begin, *text)) {
        out.parameter_docs.emplace(std::string(name), *text);
      }
    });
  } else if (decorator.name == "batch") {
    ReadBatch(decorator, out);
  } else if (decorator.name == "defaults") {
    ForEachNamed(decorator, [&](std::string_view name, size_t position, const Expression& value) {
      ReadDefault(name, position, value, out);
    });
  } else {
    file_.errors.Add(decorator.position,
                     Cat("decorator `", Printable(decorator.name),
                         "` not found; decorators: batch, defaults, example, parameters"));
  }
}

void FunctionReader::ReadBatch(const Declaration& decorator, const StatedFunction& function) {
  std::vector<std::string> names;
  for (const auto& argument : decorator.arguments) {
    const std::string* name = TextOf(*argument);
    if (name == nullptr) {
      file_.errors.Add(argument->begin, "expected the name of a parameter in quotation marks");
    } else if (function.signature.type.LookupParameter(*name) == nullptr) {
      file_.errors.Add(argument->begin, Cat("parameter `", Printable(*name), "` not found"));
    } else {
      names.push_back(*name);
    }
  }
  if (decorator.arguments.empty() || !decorator.named.empty()) {
    file_.errors.Add(decorator.position, "expected `batch(\"PARAMETER\", ...)`");
  } else if (!batches_.emplace(function.name, std::move(names)).second) {
    file_.errors.Add(decorator.position, "duplicate decorator `batch`");
  }
}

template <class Visit>
void FunctionReader::ForEachNamed(const Declaration& decorator, Visit visit) {
  for (const NamedExpression& entry : decorator.named) {
    visit(entry.name, entry.position, *entry.value);
  }
  for (const auto& argument : decorator.arguments) {
    if (argument->kind != ExpressionKind::kDict) {
      file_.errors.Add(argument->begin, "expected keyword arguments");
      continue;
    }
    for (const NamedExpression& entry : argument->named) {
      visit(entry.name, entry.position, *entry.value);
    }
  }
}

void FunctionReader::ReadDefault(std::string_view name, size_t position, const Expression& value,
                                 StatedFunction& out) {
  const Parameter* parameter = out.signature.type.LookupParameter(name);
  if (parameter == nullptr || !parameter->optional ||
      out.signature.defaults.contains(std::string(name))) {
    file_.errors.Add(position,
                     Cat("`", Printable(name), "`: expected a parameter with the default `...`"));
    return;
  }
  Value made = value.value;
  if (value.kind == ExpressionKind::kName || value.kind == ExpressionKind::kCapture) {
    auto found = model_.captures.find(absl::string_view(value.text.data(), value.text.size()));
    if (found == model_.captures.end()) {
      file_.errors.Add(value.begin, Cat("capture `", Printable(value.text), "` not found"));
      return;
    }
    auto got = found->second.Get();
    if (!got.ok()) {
      file_.errors.Add(value.begin, std::string(MessageOf(got.status())));
      return;
    }
    made = *std::move(got);
  } else if (value.kind != ExpressionKind::kValue) {
    file_.errors.Add(value.begin, "expected a capture or a value in the notation");
    return;
  }
  out.signature.defaults.emplace(std::string(name), std::move(made));
}

void FunctionReader::ReadTypes(Expression& expression) {
  if (expression.kind == ExpressionKind::kType && !expression.type) {
    auto type = ParsePlainType(file_.Notation(expression.notation), &types_);
    if (type.ok()) {
      expression.type = *std::move(type);
    } else {
      file_.AddNotationError(expression.notation, expression.begin, type.status());
      expression.type = AnyType();
    }
  }
  auto read = [&](const ExpressionPointer& part) {
    if (part != nullptr) ReadTypes(*part);
  };
  for (const auto& child : expression.children) read(child);
  for (const NamedExpression& entry : expression.named) read(entry.value);
  for (const KeyExpression& key : expression.keys) {
    read(key.value);
    read(key.stop);
    read(key.step);
  }
}

}  // namespace signet
