// Finding nodes in a document, by what they are called, are, carry and hold.
#pragma once

#include <functional>

#include "engine/graph/check/validate.h"

namespace hw {

/// Whether a text matches a regular expression anywhere, upper and lower case being the same.
using TextPattern = std::function<bool(std::string_view)>;
/// Errors: a wrong expression (HW-X001), one that is too large (HW-X005).
using MakePattern = std::function<Result<TextPattern>(std::string_view expression)>;

/// Terms, of which a node must meet all:
///   words         in its label, id or the title of its type
///   /expression/  a regular expression found in one of these
///   type:conv     in the id or title of its type
///   dtype:bf16    the dtype of a wire at it, or a dtype parameter's value
///   value:width   in the name of a parameter, or its value; value:width=64: this parameter has this value
///   has:problem   a warning or an error, of an instance of a group also inside
class FindQuery {
 public:
  /// Errors: those of `pattern`; a term that is not known (HW-X001).
  static Result<FindQuery> parse(std::string_view text, const MakePattern& pattern);
  bool empty() const { return terms_.empty(); }

 private:
  friend class NodeFinder;
  struct Term {
    enum class What : uint8_t { name, pattern, type, dtype, param, problem } what = What::name;
    std::string text;  // in lower case
    std::optional<std::string> value = {};
    TextPattern pattern = {};
  };
  static Result<Term> term_of(std::string_view word);
  std::vector<Term> terms_;
};

/// Paths of the nodes that meet a query, in groups too: of each graph from left to right, what is in an instance behind
/// it. An empty query finds none. `validator`: of the flattened document.
std::vector<std::string> find_nodes(const Graph& document, const Validator& validator, const FindQuery& query);

}  // namespace hw
