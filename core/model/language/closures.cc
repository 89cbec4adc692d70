#include "core/model/language/closures.h"

#include <algorithm>
#include <deque>
#include <map>

#include "core/graph/body/function_references.h"
#include "core/model/language/syntax/limits.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

using ExpressionKind = Expression::Kind;

// Functions that one node calls.
struct FunctionGroup {
  size_t caller = 0;
  size_t position = 0;
  std::vector<size_t> functions;
};

class ClosureFinder {
 public:
  ClosureFinder(std::vector<ClosureFunction> functions, SourceErrors& errors)
      : functions_(std::move(functions)), errors_(errors) {}

  Closures Find() {
    taken_.resize(functions_.size());
    users_.resize(functions_.size());
    for (size_t i = 0; i < functions_.size(); ++i) {
      indices_.emplace(functions_[i].name, i);
      for (const Statement& statement : functions_[i].syntax->statements) {
        for (const Target& target : statement.targets) {
          if (!target.is_blank) functions_[i].own.emplace(target.name);
        }
      }
    }
    for (size_t i = 0; i < functions_.size(); ++i) {
      for (const Statement& statement : functions_[i].syntax->statements) {
        Visit(i, *statement.value);
      }
    }
    while (!changed_.empty() && !has_errors_) {
      const size_t function = changed_.front();
      changed_.pop_front();
      for (size_t group : users_[function]) Share(groups_[group]);
    }
    Closures out;
    for (size_t i = 0; i < functions_.size(); ++i) {
      if (taken_[i].empty()) continue;
      TakenNames& names = out[functions_[i].name];
      for (const auto& [name, owner] : taken_[i]) names.push_back(name);
    }
    return out;
  }

 private:
  void Fail(size_t position, std::string message) {
    errors_.Add(position, std::move(message));
    has_errors_ = true;
  }

  // Notes that function `i` takes the value `name` of function `owner`.
  void Take(size_t i, const std::string& name, size_t owner, size_t position) {
    auto [known, is_new] = taken_[i].emplace(name, owner);
    const bool is_other = functions_[i].own.contains(name) || known->second != owner;
    if (is_other) {
      Fail(position, Cat("`", functions_[i].syntax->name, "` has a value `", name,
                         "` of its own, but calls a function that uses `", name, "` of `",
                         functions_[owner].syntax->name, "`; choose another name"));
    } else if (taken_[i].size() > kMaxTakenNames) {
      Fail(position, Cat("`", functions_[i].syntax->name,
                         "`: the values of functions "
                         "around it exceed the limit of ",
                         kMaxTakenNames));
    } else if (is_new) {
      changed_.push_back(i);
    }
  }

  bool IsWithin(size_t function, size_t outer) const {
    for (int i = functions_[function].outer; i >= 0; i = functions_[static_cast<size_t>(i)].outer) {
      if (static_cast<size_t>(i) == outer) return true;
    }
    return false;
  }

  // Applies rules 2 and 3 to the functions of a node.
  void Share(const FunctionGroup& group) {
    std::map<std::string, size_t> all;
    for (size_t function : group.functions) {
      all.insert(taken_[function].begin(), taken_[function].end());
    }
    for (const auto& [name, owner] : all) {
      for (size_t function : group.functions) {
        if (IsWithin(function, owner)) {
          Take(function, name, owner, group.position);
        } else {
          Fail(group.position, Cat("functions of one op take the same values: expected `",
                                   functions_[function].syntax->name, "` to be inside `",
                                   functions_[owner].syntax->name,
                                   "`, because another function uses its `", name, "`"));
        }
      }
      if (owner != group.caller) Take(group.caller, name, owner, group.position);
    }
  }

  void AddGroup(size_t caller, size_t position, const std::vector<std::string>& names) {
    FunctionGroup group{caller, position, {}};
    for (const std::string& name : names) {
      const std::string* function = functions_[caller].names->Lookup(name);
      auto found = function == nullptr ? indices_.end() : indices_.find(*function);
      if (found != indices_.end()) group.functions.push_back(found->second);
    }
    for (size_t function : group.functions) users_[function].push_back(groups_.size());
    groups_.push_back(std::move(group));
  }

  void VisitName(size_t i, const Expression& expression) {
    const std::string name(expression.text);
    if (functions_[i].own.contains(name)) return;
    for (int outer = functions_[i].outer; outer >= 0;) {
      const auto owner = static_cast<size_t>(outer);
      if (functions_[owner].own.contains(name)) return Take(i, name, owner, expression.begin);
      outer = functions_[owner].outer;
    }
  }

  // Returns the op of a call, or null.
  static const OpDef* OpOf(std::string_view callee) {
    if (callee.starts_with("ops.")) callee.remove_prefix(4);
    return BuiltinOps().Lookup(callee == "while_loop" ? "while" : callee);
  }

  // Adds the name of a function, which may be a text.
  static void AddName(const Expression& value, std::vector<std::string>& out) {
    if (value.kind == ExpressionKind::kName) {
      out.emplace_back(value.text);
    } else if (value.kind == ExpressionKind::kValue && value.value.spec().is(TypeKind::kLiteral) &&
               value.value.literal().is(Literal::Kind::kString)) {
      out.push_back(value.value.literal().string_value());
    }
    for (const auto& child : value.children) AddName(*child, out);
  }

  void VisitCall(size_t i, const Expression& call) {
    const std::string callee = DottedName(*call.children[0]);
    if (callee.empty()) Visit(i, *call.children[0]);
    for (size_t k = 1; k < call.children.size(); ++k) Visit(i, *call.children[k]);
    const bool is_function = functions_[i].names->Lookup(callee) != nullptr;
    const OpDef* op = is_function ? nullptr : OpOf(callee);
    std::vector<std::string> names;
    if (is_function) names.push_back(callee);
    for (const NamedExpression& argument : call.named) {
      const bool names_functions = op != nullptr && (NamesFunction(*op, argument.name) ||
                                                     NamesFunctions(*op, argument.name));
      if (names_functions) {
        AddName(*argument.value, names);
      } else {
        Visit(i, *argument.value);
      }
    }
    if (!names.empty()) AddGroup(i, call.begin, names);
  }

  void Visit(size_t i, const Expression& expression) {
    if (expression.kind == ExpressionKind::kCall) return VisitCall(i, expression);
    if (expression.kind == ExpressionKind::kName || expression.kind == ExpressionKind::kLocal) {
      return VisitName(i, expression);
    }
    for (const auto& child : expression.children) Visit(i, *child);
    for (const NamedExpression& entry : expression.named) Visit(i, *entry.value);
    for (const KeyExpression& key : expression.keys) {
      for (const ExpressionPointer* part : {&key.value, &key.stop, &key.step}) {
        if (*part != nullptr) Visit(i, **part);
      }
    }
  }

  std::vector<ClosureFunction> functions_;
  SourceErrors& errors_;
  bool has_errors_ = false;
  absl::flat_hash_map<std::string, size_t> indices_;  // by the name in the model
  std::vector<std::map<std::string, size_t>> taken_;  // by function: the owner of each name
  std::vector<FunctionGroup> groups_;
  std::vector<std::vector<size_t>> users_;  // by function: the groups that contain it
  std::deque<size_t> changed_;              // functions whose callers have not been visited
};

}  // namespace

Closures FindClosures(std::vector<ClosureFunction> functions, SourceErrors& errors) {
  return ClosureFinder(std::move(functions), errors).Find();
}

}  // namespace signet
