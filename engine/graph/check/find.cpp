#include "engine/graph/check/find.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool holds(std::string_view text, const std::string& part) {
  return lower(text).find(part) != std::string::npos;
}

}  // namespace

Result<FindQuery> FindQuery::parse(std::string_view text, const MakePattern& pattern) {
  FindQuery query;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (text[at] == '/') {
      size_t end = at + 1;
      while (end < text.size() && text[end] != '/') end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size())
        return Error{codes::expression_syntax, {}, "The regular expression is not closed.", "End it with a /."};
      HW_TRY(auto matches, pattern(text.substr(at + 1, end - at - 1)));
      query.terms_.push_back({Term::What::pattern, {}, {}, std::move(matches)});
      at = end + 1;
      continue;
    }
    const size_t end = std::min(text.find(' ', at), text.size());
    auto term = term_of(text.substr(at, end - at));
    if (!term) return term.error();
    // A prefix whose word is still to be typed asks for nothing.
    if (term->what == Term::What::problem || !term->text.empty()) query.terms_.push_back(std::move(*term));
    at = end;
  }
  return query;
}

Result<FindQuery::Term> FindQuery::term_of(std::string_view word) {
  const size_t colon = word.find(':');
  const std::string prefix = colon == word.npos ? std::string() : lower(word.substr(0, colon));
  const std::string rest = lower(word.substr(colon == word.npos ? 0 : colon + 1));
  if (prefix == "type") return Term{Term::What::type, rest};
  if (prefix == "dtype") return Term{Term::What::dtype, rest};
  if (prefix == "has") {
    constexpr std::string_view kProblem = "problem";
    if (rest == kProblem || rest == "problems") return Term{Term::What::problem, rest};
    if (kProblem.starts_with(rest)) return Term{Term::What::name, {}};
    return Error{
        codes::expression_syntax, {}, "Nodes cannot be found by has:" + rest + ".", "has:problem finds errors."};
  }
  if (prefix == "value") {
    const size_t equals = rest.find('=');
    if (equals == rest.npos) return Term{Term::What::param, rest};
    return Term{Term::What::param, rest.substr(0, equals), rest.substr(equals + 1)};
  }
  return Term{Term::What::name, lower(word)};
}

/// Goes through a document, scope by scope.
class NodeFinder {
 public:
  NodeFinder(const Validator& validator, const FindQuery& query) : validator_(validator), query_(query) {}

  /// Whether anything in the scope has a problem.
  bool search(const Scope& scope) {
    std::vector<const Node*> nodes;
    for (const auto& [id, node] : scope.graph->nodes()) nodes.push_back(&node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Node* a, const Node* b) { return std::pair(a->x, a->y) < std::pair(b->x, b->y); });
    bool any_wrong = false;
    for (const Node* node : nodes) {
      const size_t place = found.size();
      const std::string path = scope.prefix + node->id;
      bool wrong =
          std::ranges::any_of(validator_.of(path), [](const Diagnostic& d) { return d.severity != Severity::info; });
      if (const auto inside = enter(scope, *node)) wrong = search(*inside) || wrong;
      any_wrong = any_wrong || wrong;
      if (std::ranges::all_of(query_.terms_, [&](const FindQuery::Term& t) { return meets(scope, *node, t, wrong); }))
        found.insert(found.begin() + static_cast<std::ptrdiff_t>(place), path);
    }
    return any_wrong;
  }

  std::vector<std::string> found;

 private:
  using What = FindQuery::Term::What;

  bool meets(const Scope& scope, const Node& node, const FindQuery::Term& term, bool wrong) const {
    const NodeType* type = Registry::instance().find(node.type);
    const Group* group = definition(scope, node);
    const std::string title = type ? type->decl.title() : !group ? "" : group->title.empty() ? group->id : group->title;
    switch (term.what) {
      case What::name:
        return holds(node.label, term.text) || holds(node.id, term.text) || holds(title, term.text);
      case What::pattern:
        return term.pattern(node.label) || term.pattern(node.id) || term.pattern(title);
      case What::type:
        return holds(node.type, term.text) || holds(title, term.text);
      case What::dtype:
        return carries(scope, node, term.text) ||
               has_param(scope, node, [&](const ParamDecl& decl, const ParamValue& v) {
                 return decl.type == ParamDecl::Type::dtype && to_string(v) == term.text;
               });
      case What::param:
        return has_param(scope, node, [&](const ParamDecl& decl, const ParamValue& v) {
          const bool named = holds(decl.id, term.text) || holds(decl.label, term.text);
          std::string value = lower(to_string(v));
          std::erase(value, ' ');  // terms have none
          return term.value ? named && value == *term.value : named || value == term.text;
        });
      case What::problem:
        return wrong;
    }
    return false;
  }

  bool carries(const Scope& scope, const Node& node, const std::string& dtype) const {
    const auto is = [&](const Link& link) {
      const Link flat = flat_link(scope, link);
      const auto type = validator_.output_type(flat.from, flat.from_socket);
      return type && type->kind == Kind::tensor && name(type->dtype) == dtype;
    };
    return std::ranges::any_of(scope.graph->links_into(node.id), is) ||
           std::ranges::any_of(scope.graph->links_from(node.id), is);
  }

  template <class Test>
  bool has_param(const Scope& scope, const Node& node, Test&& test) const {
    const auto any = [&](const NodeDecl& decl, const Node& given) {
      return std::ranges::any_of(decl.params(), [&](const ParamDecl& p) {
        const auto own = given.params.find(p.id);
        return test(p, own == given.params.end() ? p.value : own->second);
      });
    };
    const Node given = given_node(scope, node);
    if (const Group* group = definition(scope, node)) return any(interface_of(*scope.document, *group), given);
    const NodeType* type = Registry::instance().find(node.type);
    if (!type) return false;
    const Declaration declared = type->declared(given.params);
    return any(*declared, given);
  }

  const Validator& validator_;
  const FindQuery& query_;
};

std::vector<std::string> find_nodes(const Graph& document, const Validator& validator, const FindQuery& query) {
  if (query.empty()) return {};
  NodeFinder finder(validator, query);
  finder.search(document_scope(document));
  return std::move(finder.found);
}

}  // namespace hw
