#include "app/interop/onnx/import_graph.h"

#include <algorithm>
#include <unordered_map>

#include "app/interop/onnx/rules.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"

namespace hw::interop {
namespace {

constexpr int kDeepest = 32;  // functions in functions
constexpr size_t kMostOperators = 1 << 18;
constexpr int64_t kFirstOpset = 6, kLastOpset = 21;
constexpr double kOtherSizes[] = {5, 7, 11, 13, 17, 19, 23};  // of symbolic axes, beside the example's 1

/// Makes nodes of operators, functions inlined.
class Import {
 public:
  Import(const OnnxModel& model, Importer& importer, std::vector<MissingOperator>& missing)
      : model_(model), importer_(importer), missing_(missing) {}

  Status nodes(const std::vector<OnnxNode>& all, int depth) {
    for (const OnnxNode& n : all) HW_CHECK(node(n, depth));
    return ok();
  }

 private:
  Status node(const OnnxNode& n, int depth) {
    const OnnxFunction* function = find_function(n);
    if (function && depth < kDeepest && function->opset == model_.opset && !function->has_unknown_parts)
      return inlined(n, *function, depth);
    if (++operators_ > kMostOperators)
      return Error{codes::unsupported, "", "it has more than " + std::to_string(kMostOperators) + " operators.", ""};
    importer_.begin(n);
    const Rule rule = n.domain.empty() ? find_rule(n.op) : nullptr;
    const Status made = function                ? Status(unsupported("a function that this version does not read."))
                        : !n.unreadable.empty() ? Status(unsupported(n.unreadable))
                        : rule                  ? rule(importer_, n)
                                                : Status(unsupported("there is no such operator here."));
    if (made) {
      importer_.fold(n);
      return ok();
    }
    importer_.take_back();
    importer_.add_placeholder(n);
    missing_.push_back({n.name, (n.domain.empty() ? "" : n.domain + ".") + n.op, made.error().reason});
    return ok();
  }

  const OnnxFunction* find_function(const OnnxNode& n) const {
    for (const OnnxFunction& f : model_.functions)
      if (f.name == n.op && f.domain == n.domain) return &f;
    return nullptr;
  }

  /// Values inside have names of their own: those of the call before them.
  Status inlined(const OnnxNode& n, const OnnxFunction& f, int depth) {
    const std::string prefix = (n.name.empty() ? n.op : n.name) + "/" + std::to_string(calls_++) + "/";
    std::unordered_map<std::string, std::string> names;
    for (size_t i = 0; i < f.inputs.size(); ++i) names[f.inputs[i]] = i < n.inputs.size() ? n.inputs[i] : "";
    for (size_t i = 0; i < f.outputs.size(); ++i)
      if (i < n.outputs.size() && !n.outputs[i].empty()) names[f.outputs[i]] = n.outputs[i];
    const auto outside = [&](const std::string& name) {
      if (name.empty()) return name;
      const auto found = names.find(name);
      return found == names.end() ? prefix + name : found->second;
    };
    std::vector<OnnxScope> scopes = n.scopes;
    scopes.push_back({(scopes.empty() ? "" : scopes.back().path + ".") + (n.name.empty() ? n.op : n.name), f.name});
    for (OnnxNode inner : f.nodes) {
      inner.name = prefix + (inner.name.empty() ? inner.op : inner.name);
      inner.scopes = scopes;
      for (std::string& name : inner.inputs) name = outside(name);
      for (std::string& name : inner.outputs) name = outside(name);
      for (const auto& [attribute, of_call] : inner.references)
        if (const auto given = n.attributes.find(of_call); given != n.attributes.end())
          inner.attributes[attribute] = given->second;
      HW_CHECK(node(inner, depth + 1));
    }
    return ok();
  }

  const OnnxModel& model_;
  Importer& importer_;
  std::vector<MissingOperator>& missing_;
  size_t calls_ = 0, operators_ = 0;
};

/// `symbols`: the other size of each, so far; null: symbolic sizes are 1 and no more symbolic.
Status add_input(Importer& im, const OnnxValue& v, std::map<std::string, double>* symbols, ImportedModel& into) {
  if (!v.dtype)
    return Error{codes::unsupported, v.name, "the input is " + v.type + ", which Halfwire does not have.", ""};
  std::vector<double> shape, other;
  std::string axes, symbolic;
  if (!v.dims) return Error{codes::unsupported, v.name, "the number of its axes is not known.", ""};
  bool open = false;
  double elements = 1;
  for (const OnnxDim& dim : *v.dims) {
    if (dim.size == 0) return Error{codes::unsupported, v.name, "it is empty.", ""};
    elements *= dim.size > 0 ? static_cast<double>(dim.size) : 1;
    if (elements > 0x1p40) return Error{codes::unsupported, v.name, "its sizes are beyond any memory.", ""};
    shape.push_back(dim.size > 0 ? static_cast<double>(dim.size) : 1);
    open = open || dim.size < 0;
    other.push_back(shape.back());
    if (dim.size >= 0 || !symbols) continue;
    const std::string symbol = dim.symbol.empty() ? v.name + std::to_string(other.size()) : dim.symbol;
    const double next = kOtherSizes[symbols->size() % std::size(kOtherSizes)];
    other.back() = symbols->emplace(symbol, next).first->second;
  }
  // Axes have names where one is symbolic.
  if (open && symbols) {
    std::set<std::string> used;
    for (size_t d = 0; d < v.dims->size(); ++d) {
      std::string name;
      for (const char c : (*v.dims)[d].symbol)
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') name += c;
      if (name.empty() || used.contains(name)) name = "axis" + std::string(1, static_cast<char>('a' + d % 26));
      used.insert(name);
      axes += (axes.empty() ? "" : " ") + name;
      if ((*v.dims)[d].size < 0) symbolic += (symbolic.empty() ? "" : " ") + name;
    }
  }
  const std::string id = im.add_input(v, shape, other, axes, symbolic);
  if (id.empty()) return Error{codes::unsupported, v.name, "the input cannot be made.", ""};
  into.inputs[v.name] = id;
  return ok();
}

/// `symbolic`: sizes of the inputs that are symbolic stay so.
Result<ImportedModel> made_of(const OnnxModel& model, const ImportOptions& options, bool symbolic) {
  ImportedModel made;
  std::map<std::string, double> symbols;
  Importer im(model.opset, options.given);
  for (const auto& [name, tensor] : model.graph.initializers) im.define(name, tensor);
  for (const OnnxValue& input : model.graph.inputs)
    if (!model.graph.initializers.contains(input.name))
      HW_CHECK(add_input(im, input, symbolic ? &symbols : nullptr, made));
  HW_CHECK(Import(model, im, made.missing).nodes(model.graph.nodes, 0));
  for (const OnnxValue& output : model.graph.outputs) {
    auto wire = im.wire_of(output.name);
    if (!wire) {
      made.missing.push_back({output.name, "output", wire.error().reason});
      continue;
    }
    made.outputs.emplace_back(output.name, *wire);
    Node node;
    node.id = im.id_for(output.name);
    node.name = output.name;
    node.type = "output";
    made.output_nodes.push_back(node.id);
    const Link link{wire->node, wire->socket, node.id, "x"};
    (void)apply_edits(im.graph(), {AddNode{std::move(node)}, AddLink{link}});
  }
  made.dequantized = im.dequantized();
  made.untied_weights = im.untied_weights();
  made.nodes = std::move(im.nodes());
  made.graph = std::move(im.graph());
  made.weights = std::move(im.weights());
  return made;
}

}  // namespace

Result<ImportedModel> import_graph(const OnnxModel& model, const ImportOptions& options) {
  if (model.opset < kFirstOpset || model.opset > kLastOpset)
    return Error{codes::unsupported, "", "it has opset " + std::to_string(model.opset) + "; 6 to 21 are read.",
                 "Export it with one of these, 17 for example."};
  return guarded([&]() -> Result<ImportedModel> {
    HW_TRY(ImportedModel symbolic, made_of(model, options, true));
    const auto open = [](const OnnxValue& v) {
      return v.dims && std::ranges::any_of(*v.dims, [](const OnnxDim& dim) { return dim.size < 0; });
    };
    if (symbolic.missing.empty() || std::ranges::none_of(model.graph.inputs, open)) return symbolic;
    HW_TRY(ImportedModel fixed, made_of(model, options, false));
    if (fixed.missing.size() >= symbolic.missing.size()) return symbolic;
    const MissingOperator& first = symbolic.missing.front();
    fixed.fixed_because = first.op + (first.node.empty() ? "" : " " + first.node) + ": " + first.reason;
    return fixed;
  });
}

}  // namespace hw::interop
