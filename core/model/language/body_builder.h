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

#include "core/model/language/node_builder.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/language/syntax/syntax.h"
#include "core/model/native/stated_function.h"

namespace signet {

// Sets `def.graph`. `def` is complete except for the graph. Adds the positions of nodes to
// `positions`. The graph is undefined if errors were added.
void BuildBody(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
               NodePositions& positions, SourceErrors& errors);

}  // namespace signet
