// RecordFieldNames: the fields of records that stand for tensorflow.Example messages.
//
//   `stars` => `stars`      `user/id` => `user_id`      `0` => `f_0`
//
// A character other than a letter, a digit, or an underscore becomes an underscore, and a name that
// does not begin with a letter gets `f_` before it. A feature that needs no change keeps its name.
// Other equal names get suffixes `_2`, `_3`, and so on, in the order of the features. Stateless;
// thread-safe.

#pragma once

#include <map>
#include <set>
#include <string>

namespace signet {

// Returns the name of the field by feature.
std::map<std::string, std::string> RecordFieldNames(const std::set<std::string>& features);

}  // namespace signet
