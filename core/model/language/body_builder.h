// BuildBody: builds the graph of a function from its statements.
//
//   total = sum_of(x.items) * 2   =>  node `x.items` = struct_get(x, field="items")
//                                     node `total_1` = call(`x.items`, function="sum_of")
//                                     node `total` = mul(`total_1`, 2)
//
// Names of nodes:
//   1. The node of an assigned expression has the name of the first target.
//   2. A field or an index inside an expression has its text as its name, such as `x.items[0]`, and
//      exists once.
//   3. Other parts of an expression are `NAME_1`, `NAME_2`, ... for the first target NAME, in the
//      order in which Python evaluates them, except for names that occur elsewhere.
//   4. The node of `return` is `result`, except for a field or an index.
// A name, a literal, or a nest of literals adds no node. Not thread-safe.

#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/body/graph.h"
#include "core/model/language/closures.h"
#include "core/model/language/function_names.h"
#include "core/model/language/source_errors.h"
#include "core/model/language/syntax.h"
#include "core/model/native/stated_function.h"
#include "signet/index_key.h"

namespace signet {

struct BodyScope {
  const ModelScope& model;
  const FunctionNames& functions;
  const Closures& closures;
};

// The positions of nodes in a source file, by name.
using NodePositions = std::map<std::string, size_t, std::less<>>;

// Sets `def.graph`. `def` is complete except for the graph. Adds the positions of nodes to
// `positions`. The graph is undefined if errors were added.
void BuildBody(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
               NodePositions& positions, SourceErrors& errors);

// Returns the op of an operator, such as `mul` for `*`. Empty for other texts.
std::string_view OpOfBinary(std::string_view text);
std::string_view OpOfUnary(std::string_view text);

// Returns the text that names an index in the name of its node, such as `[0, 1:, "name", i]`.
// `references` are the names of the computed keys.
std::string TextOfKeys(std::span<const IndexKey> keys, std::span<const std::string> references);

// Returns the attribute with the names of the last inputs of `op`: `names` of struct_make,
// make_dict, and struct_update, or `keywords` of calls. Keyword arguments that the op does not
// declare are such inputs. Empty if there is none.
std::string_view NamesAttributeOf(const OpDef& op);

}  // namespace signet
