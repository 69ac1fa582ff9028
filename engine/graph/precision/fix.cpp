#include "engine/graph/precision/fix.h"

#include <algorithm>

#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/edits_apart.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/autocast.h"
#include "engine/graph/precision/negotiate.h"
#include "engine/graph/precision/remedy.h"

namespace hw {
namespace {

bool is_clash(const Diagnostic& d) {
  return d.severity == Severity::error && (d.code == codes::dtype_mismatch || d.code == codes::weight_dtype);
}

const Remedy* remedy_of(const Diagnostic& d, Remedy::Kind kind) {
  const auto found =
      std::find_if(d.remedies.begin(), d.remedies.end(), [&](const Remedy& r) { return r.kind == kind; });
  return found == d.remedies.end() ? nullptr : &*found;
}

/// The next clash with a Cast as remedy; statistics cannot be cast on use, so they are converted on loading.
std::optional<Remedy> next_cast(const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& d : problems) {
    if (!is_clash(d)) continue;
    const Remedy* remedy = remedy_of(d, Remedy::Kind::insert_cast);
    if (!remedy) remedy = remedy_of(d, Remedy::Kind::cast_weight);
    if (!remedy && d.code == codes::weight_dtype) remedy = remedy_of(d, Remedy::Kind::set_dtype);
    if (remedy) return *remedy;
  }
  return std::nullopt;
}

std::vector<Diagnostic> problems_of(const Graph& graph, const std::map<std::string, Tensor>& weights) {
  Validator validator;
  validator.reset(graph);
  std::vector<Diagnostic> all = validator.all();
  auto fitted = fit_weights(graph, validator, weights);
  std::move(fitted.problems.begin(), fitted.problems.end(), std::back_inserter(all));
  return all;
}

/// Weights of the file that fitted before, and whose node now stores another dtype: converted on loading.
Status convert_the_rest(Graph& document, const std::map<std::string, Tensor>& weights,
                        std::vector<std::string>& notes) {
  for (size_t rounds = weights.size(); rounds > 0; --rounds) {
    const Graph graph = flatten(document);
    Validator validator;
    validator.reset(graph);
    const std::vector<Diagnostic> problems = fit_weights(graph, validator, weights).problems;
    const auto clash = std::find_if(problems.begin(), problems.end(), is_clash);
    const Remedy* remedy = clash == problems.end() ? nullptr : remedy_of(*clash, Remedy::Kind::set_dtype);
    if (!remedy) return ok();
    Edits own;  // of the others the graph keeps what it says
    for (const Edit& edit : remedy->edits) {
      const auto* set = std::get_if<SetWeight>(&edit);
      if (set && set->node == clash->node && set->weight == clash->socket) own.push_back(edit);
    }
    HW_CHECK(apply_flat_edits(document, own));
    notes.push_back(remedy->label + ".");
  }
  return ok();
}

}  // namespace

Result<Fix> parse_fix(const std::string& text) {
  if (text == "insert-cast") return Fix{Remedy::Kind::insert_cast, {}};
  if (text == "negotiate") return Fix{Remedy::Kind::negotiate, {}};
  const std::string unify = "unify=";
  const auto dtype = text.starts_with(unify) ? dtype_from_name(text.substr(unify.size())) : std::nullopt;
  if (dtype && info(*dtype).is_float && info(*dtype).storable) return Fix{Remedy::Kind::unify, *dtype};
  return Error{codes::bad_usage, "--fix " + text, "expected insert-cast, negotiate or unify=DTYPE.",
               "For example: --fix unify=bf16"};
}

Result<std::vector<std::string>> fix_clashes(Graph& document, const Fix& fix,
                                             const std::map<std::string, Tensor>& weights) {
  std::vector<std::string> notes;
  if (fix.kind != Remedy::Kind::insert_cast) {
    // What the file has becomes the graph's, so that the weights take part.
    for (const Diagnostic& d : problems_of(flatten(document), weights)) {
      const Remedy* remedy = is_clash(d) ? remedy_of(d, fix.kind) : nullptr;
      if (!remedy || remedy->edits.empty()) continue;
      HW_CHECK(apply_flat_edits(document, remedy->edits));
      break;
    }
    const Graph flat = flatten(document);
    const PrecisionPlan plan = fix.kind == Remedy::Kind::unify ? unify(flat, fix.dtype) : negotiate(flat);
    HW_TRY(const Edits edits, document_edits_apart(document, plan.edits));
    HW_CHECK(apply_edits(document, edits));
    notes = plan.notes;
    HW_CHECK(convert_the_rest(document, weights, notes));
    return notes;
  }
  // Each Cast mends one clash and may show another behind it.
  Graph flat = flatten(document);
  for (size_t rounds = 4 * (flat.link_count() + flat.nodes().size() + weights.size()); rounds > 0; --rounds) {
    const auto remedy = next_cast(problems_of(flat, weights));
    if (!remedy) break;
    HW_CHECK(apply_flat_edits(document, remedy_edits(flat, *remedy)));
    flat = flatten(document);
    notes.push_back(remedy->label + ".");
  }
  return notes;
}

PrecisionPlan policy_plan(const Graph& graph) {
  if (graph.precision.policy == Policy::negotiate) return negotiate(graph);
  if (graph.precision.policy == Policy::autocast) return autocast(graph, graph.precision.low);
  return {};
}

}  // namespace hw
