#include "engine/graph/check/structure_hints.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/codes.h"
#include "engine/graph/check/pass_through.h"
#include "engine/graph/topological_sort.h"

namespace hw {
namespace {

const NodeType* type_of(const Node& node) {
  return Registry::instance().find(node.type);
}

/// Whether it multiplies by a trained weight.
bool is_layer(const Node& node) {
  const NodeType* type = type_of(node);
  return type && !node.bypassed && type->decl.autocast() == Autocast::low && !type->decl.weights().empty();
}

Diagnostic hint(const char* code, const std::string& node, const std::string& socket, std::string reason) {
  Diagnostic d;
  d.code = code;
  d.severity = Severity::info;
  d.node = node;
  d.socket = socket;
  d.reason = std::move(reason);
  return d;
}

/// The nodes that read what `id` gives, through corners, sockets of groups and bypassed nodes.
std::vector<const Node*> readers(const Graph& flat, const std::string& id) {
  std::vector<const Node*> found;
  std::vector<std::string> stack{id};
  std::set<std::string> seen;
  while (!stack.empty()) {
    const std::string from = std::move(stack.back());
    stack.pop_back();
    for (const Link& link : flat.links_from(from)) {
      const Node* reader = flat.find(link.to);
      if (!reader || !seen.insert(reader->id).second) continue;
      const bool passes = (is_pass_through(*reader) || reader->bypassed) && !flat.links_from(reader->id).empty();
      if (passes)
        stack.push_back(reader->id);
      else
        found.push_back(reader);
    }
  }
  return found;
}

void add_idle_biases(const Graph& flat, std::vector<Diagnostic>& hints) {
  std::vector<std::string> idle;
  for (const auto& [id, node] : flat.nodes()) {
    if (!is_layer(node)) continue;
    const ParamDecl* bias = type_of(node)->decl.find_param("bias");
    if (!bias || param_value(node, "bias") != ParamValue(true)) continue;
    const auto all = readers(flat, id);
    if (all.empty() || !std::ranges::all_of(all, [](const Node* n) { return n->type == "batch_norm"; })) continue;
    idle.push_back(id);
  }
  if (idle.empty()) return;
  const std::string others = idle.size() == 1 ? "."
                                              : "; nor do those of " + std::to_string(idle.size() - 1) +
                                                    (idle.size() == 2 ? " more layer." : " more layers.");
  Diagnostic d =
      hint(codes::idle_bias, idle.front(), "bias",
           "The batch norm behind it subtracts the mean, and with it this bias, which does nothing" + others);
  Remedy remedy{idle.size() == 1 ? "Leave out the bias" : "Leave out these biases", {}};
  for (const std::string& id : idle) remedy.edits.push_back(SetParam{id, "bias", ParamValue(false)});
  d.remedies.push_back(std::move(remedy));
  hints.push_back(std::move(d));
}

/// Rows of layers that every way to a node leads through, since ways last met. From its dominators: Cooper, Harvey and
/// Kennedy 2001, "A Simple, Fast Dominance Algorithm", on a graph without cycles.
class Dominators {
 public:
  explicit Dominators(const Graph& flat) {
    std::set<std::string> ids;
    for (const auto& [id, node] : flat.nodes()) ids.insert(id);
    for (const std::string& id : topological_sort(flat, ids)) {
      int dominator = kRoot;
      bool first = true, meet = false;
      for (const Link& link : flat.links_into(id)) {
        const auto from = places_.find(link.from);
        if (from == places_.end()) continue;
        meet = meet || (!first && from->second != dominator);
        dominator = first ? from->second : common(dominator, from->second);
        first = false;
      }
      const Node& node = *flat.find(id);
      const bool layer = is_layer(node);
      const Entry* above = dominator == kRoot ? nullptr : &entries_[static_cast<size_t>(dominator)];
      places_[id] = static_cast<int>(entries_.size());
      entries_.push_back(
          {&node, dominator, (above ? above->depth : 0) + 1, (above && !meet ? above->layers : 0) + layer, layer});
    }
  }

  /// The last layers of the longest rows: by node, how many.
  std::vector<std::pair<const Node*, int>> longest() const {
    std::vector<bool> goes_on(entries_.size());  // another layer lies behind it in the row
    for (const Entry& entry : entries_) {
      if (!entry.layer) continue;
      for (int d = entry.dominator; d != kRoot && !goes_on[static_cast<size_t>(d)];
           d = entries_[static_cast<size_t>(d)].dominator)
        goes_on[static_cast<size_t>(d)] = true;
    }
    std::vector<std::pair<const Node*, int>> rows;
    for (size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].layer && !goes_on[i]) rows.emplace_back(entries_[i].node, entries_[i].layers);
    return rows;
  }

 private:
  static constexpr int kRoot = -1;
  struct Entry {
    const Node* node;
    int dominator;      // the last node that all ways to this one lead through
    int depth, layers;  // layers: of the row that ends here
    bool layer;
  };
  int common(int a, int b) const {
    while (a != b) {
      if (a == kRoot || b == kRoot) return kRoot;
      int& deeper = entries_[static_cast<size_t>(a)].depth > entries_[static_cast<size_t>(b)].depth ? a : b;
      deeper = entries_[static_cast<size_t>(deeper)].dominator;
    }
    return a;
  }
  std::unordered_map<std::string, int> places_;
  std::vector<Entry> entries_;
};

void add_missing_shortcuts(const Graph& flat, std::vector<Diagnostic>& hints) {
  for (const auto& [node, layers] : Dominators(flat).longest()) {
    if (layers < kMostPlainLayers) continue;
    hints.push_back(hint(codes::no_shortcut, node->id, "",
                         std::to_string(layers) +
                             " layers lie behind one another, and no wire leads around any of them: gradients reach "
                             "the first through all the others. Blocks whose input is added to their output, as in "
                             "ResNet, train better at this depth."));
  }
}

/// Whether the node gives the same numbers under other sizes, or most of them.
bool rearranges(const Node& node) {
  return node.type == "flatten" || node.type == "reshape" || node.type == "dropout";
}

void add_missing_classifiers(const Graph& flat, std::vector<Diagnostic>& hints) {
  for (const auto& [id, node] : flat.nodes()) {
    if ((node.type != "global_avg_pool" && node.type != "adaptive_avg_pool") || node.bypassed) continue;
    std::vector<std::string> stack{id};
    std::set<std::string> seen;  // what is on a cycle is no network yet
    bool ends = false;
    while (!stack.empty() && !ends) {
      const std::string from = std::move(stack.back());
      stack.pop_back();
      for (const Node* reader : readers(flat, from)) {
        const NodeType* type = type_of(*reader);
        const bool is_output = reader->type == kOutputType && reader->id.find('/') == std::string::npos;
        ends = ends || is_output || (type && type->decl.category() == "Loss");
        if (rearranges(*reader) && seen.insert(reader->id).second) stack.push_back(reader->id);
      }
    }
    if (!ends) continue;
    hints.push_back(hint(codes::no_classifier, id, "",
                         "Its averages are the network's output: no layer turns them into scores of classes. Where "
                         "classes are wanted, put a Linear behind it, with a feature for each."));
  }
}

/// Lion moves every weight by the learning rate in each step. With Adam's it diverges, or trains no further than it
/// begins (Chen et al. 2023: 3 to 10 times smaller, weight decay as many times larger, beta2 0.99).
void add_lion_like_adam(const Graph& flat, std::vector<Diagnostic>& hints) {
  constexpr double kBeta2 = 0.99, kSmaller = 10;
  for (const auto& [id, node] : flat.nodes()) {
    const NodeType* type = type_of(node);
    if (!type || type->decl.role() != Role::train || node.bypassed) continue;
    if (param_value(node, "optimiser") != ParamValue(std::string("lion"))) continue;
    if (param_value(node, "beta2") != type->decl.find_param("beta2")->value) continue;
    const ParamValue rate_set = param_value(node, "learning_rate"), decay_set = param_value(node, "weight_decay");
    const auto *rate = std::get_if<double>(&rate_set), *decay = std::get_if<double>(&decay_set);
    if (!rate || !decay) continue;  // of a wrong kind: the validator's
    Diagnostic d = hint(codes::other_optimiser, id, "optimiser",
                        "Lion moves every weight by the learning rate in each step, and beta2 is Adam's: usual are "
                        "beta2 0.99, a learning rate 3 to 10 times smaller than Adam's, and as many times its weight "
                        "decay.");
    Remedy remedy{
        "Set beta2 to 0.99 and the learning rate to a tenth",
        {SetParam{id, "beta2", ParamValue(kBeta2)}, SetParam{id, "learning_rate", ParamValue(*rate / kSmaller)}}};
    if (*decay > 0) remedy.edits.push_back(SetParam{id, "weight_decay", ParamValue(std::min(*decay * kSmaller, 1.0))});
    d.remedies.push_back(std::move(remedy));
    d.remedies.push_back({"Set beta2 alone", {SetParam{id, "beta2", ParamValue(kBeta2)}}});
    hints.push_back(std::move(d));
  }
}

}  // namespace

std::vector<Diagnostic> structure_hints(const Graph& flat) {
  std::vector<Diagnostic> hints;
  add_missing_shortcuts(flat, hints);
  add_missing_classifiers(flat, hints);
  add_idle_biases(flat, hints);
  add_lion_like_adam(flat, hints);
  return hints;
}

}  // namespace hw
