#include "app/interop/onnx/import_graph.h"

#include <algorithm>
#include <array>

#include "app/interop/onnx/count_operators.h"
#include "app/interop/onnx/example_sizes.h"
#include "app/interop/onnx/import_operators.h"
#include "app/interop/onnx/keep_ranges.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "app/interop/onnx/quantised_scopes.h"
#include "app/interop/onnx/trial_sizes.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/nearest_names.h"
#include "engine/core/same_bits.h"
#include "engine/graph/check/check_type.h"
#include "engine/graph/weights/foreign_names.h"

namespace hw::interop {
namespace {

constexpr size_t kMostSymbols = 4;  // of which each is tried whether it can stay; more of small models,
constexpr size_t kMostRead = 8192;  // where so many operators are read for it
constexpr int64_t kMostMultiple = 64;
constexpr size_t kMostTried = 4096;  // operators of models that are tried so

/// An input without elements.
void define_empty(Importer& im, const OnnxValue& v, const Symbols& symbols) {
  Dims dims;
  for (size_t d = 0; d < v.dims->size(); ++d) {
    const OnnxDim& dim = (*v.dims)[d];
    dims.push_back(dim.size < 0 ? symbols.at(symbol_of(v, d)).size : dim.size);
  }
  im.define(v.name, Tensor(*v.dtype, dims));
}

/// `fixed`: symbols that are no more symbolic.
Status add_input(Importer& im, const OnnxValue& v, const Symbols& symbols, const std::set<std::string>& fixed,
                 ImportedModel& into) {
  if (!v.dtype)
    return Error{codes::unsupported, v.name, "the input is " + v.type + ", which Halfwire does not have.", ""};
  if (!v.dims) return Error{codes::unsupported, v.name, "the number of its axes is not known.", ""};
  if (std::ranges::count(*v.dims, 0, &OnnxDim::size) > 0) {  // what has no elements is a constant
    define_empty(im, v, symbols);
    return ok();
  }
  std::vector<double> shape, other, held, multiples;
  std::string axes, symbolic;
  double elements = 1;
  std::set<std::string> used;
  for (size_t d = 0; d < v.dims->size(); ++d) {
    const OnnxDim& dim = (*v.dims)[d];
    const std::string symbol = dim.size < 0 ? symbol_of(v, d) : "";
    const bool open = dim.size < 0 && !fixed.contains(symbol);
    const int64_t size = dim.size > 0 ? dim.size : open ? symbols.at(symbol).here : symbols.at(symbol).size;
    elements *= static_cast<double>(size);
    if (elements > 0x1p40) return Error{codes::unsupported, v.name, "its sizes are beyond any memory.", ""};
    shape.push_back(static_cast<double>(size));
    other.push_back(static_cast<double>(open ? symbols.at(symbol).other : size));
    held.push_back(dim.size < 0 && !open ? static_cast<double>(size) : -1);
    multiples.push_back(open ? static_cast<double>(symbols.at(symbol).multiple) : 1);
    const std::string name = axis_name(dim.size < 0 ? symbols.at(symbol).name : "axis", used);
    axes += (axes.empty() ? "" : " ") + name;
    if (open) symbolic += (symbolic.empty() ? "" : " ") + name;
  }
  if (symbolic.empty()) axes = "";  // axes have names where one is symbolic
  ParamMap params{{"shape", shape}, {"axes", axes}, {"symbolic", symbolic}};
  if (std::ranges::any_of(held, [](double size) { return size >= 0; })) params["fixed"] = held;
  if (std::ranges::any_of(multiples, [](double of) { return of > 1; })) params["multiples"] = multiples;
  // At random whole rows may be masked, of which nothing can be concluded.
  if (v.name.find("mask") != v.name.npos) params["example"] = std::string("ones");
  const auto id = im.add_input(v, std::move(params), other);
  if (!id)
    return Error{codes::unsupported, v.name, "the input cannot be made: " + id.error().reason,
                 "Give smaller sizes: import --size NAME=SIZE."};
  into.inputs[v.name] = *id;
  return ok();
}

/// "Pad" of a node; an operator that it stands for, by its name.
std::string title_of(const Node& node) {
  const NodeType* known = Registry::instance().find(node.type);
  return known ? known->decl.title() : node.type;
}

/// Gives the Inputs the sizes that they are to have while nothing is given. None: they have them; else the node that
/// refuses them, and why.
std::optional<MissingOperator> set_examples(const OnnxModel& model, const Symbols& symbols,
                                            const std::set<std::string>& fixed, Graph& graph,
                                            const ImportedModel& made) {
  Edits edits;
  for (const OnnxValue& input : model.graph.inputs) {
    const auto id = made.inputs.find(input.name);
    if (id == made.inputs.end()) continue;
    auto shape = std::get<std::vector<double>>(param_value(*graph.find(id->second), "shape"));
    for (size_t d = 0; d < shape.size(); ++d) {
      const std::string symbol = (*input.dims)[d].size < 0 ? symbol_of(input, d) : "";
      if (!symbol.empty() && !fixed.contains(symbol)) shape[d] = static_cast<double>(symbols.at(symbol).size);
    }
    edits.push_back(SetParam{id->second, "shape", shape});
  }
  const auto errors = [&] {
    Validator validator;
    validator.reset(graph);
    std::vector<Diagnostic> all;
    std::ranges::copy_if(validator.all(), std::back_inserter(all),
                         [](const Diagnostic& d) { return d.severity == Severity::error; });
    return all;
  };
  const auto before = errors();
  const auto inverse = apply_edits(graph, edits);
  const auto after = errors();
  if (!inverse || after.size() <= before.size()) return std::nullopt;
  undo_edits(graph, *inverse);
  const Node& node = graph.node(after.back().node);
  return MissingOperator{node.name.empty() ? node.id : node.name, title_of(node), after.back().reason, false, true};
}

/// Names of the dtypes of inputs and weights that wider ones hold; "": there are none.
std::string held_wider(const OnnxModel& model) {
  std::set<std::string> names;
  for (const OnnxValue& input : model.graph.inputs)
    if (const OnnxDType* type = find_onnx_dtype(input.number); type && type->is_held_wider()) names.insert(type->name);
  for (const auto& [name, number] : model.graph.held_wider) names.insert(onnx_name(number));
  return listed({names.begin(), names.end()}, names.size());
}

/// What the sizes of a graph that are tried were in the way of.
struct Trial {
  bool is_unsuited = false;                // they may be why an operator is missing
  std::optional<MissingOperator> refused;  // a node that does not take the sizes of the example
};

/// `fixed`: symbols whose size becomes a number.
Result<ImportedModel> made_of(const OnnxModel& model, const ImportOptions& options, const Symbols& symbols,
                              const std::set<std::string>& fixed, Trial* trial = nullptr) {
  ImportedModel made;
  Importer im(model.opset, options.given, model.producer == "pytorch");
  im.define_weights(model.graph);
  im.count_reads(model.graph.nodes);
  for (const OnnxValue& output : model.graph.outputs) im.count_read(output.name);
  for (const auto& [name, reason] : model.graph.unread) im.define_unread(name, reason);
  for (const OnnxValue& input : model.graph.inputs)
    if (!model.graph.initializers.contains(input.name)) HW_CHECK(add_input(im, input, symbols, fixed, made));
  for (const std::string& symbol : fixed) made.fixed[symbol] = symbols.at(symbol).size;
  HW_CHECK(import_operators(model, im, made.missing));
  for (const OnnxValue& output : model.graph.outputs) {
    auto wire = im.wire_of(output.name);
    if (!wire) {
      made.missing.push_back({output.name, "output", wire.error().reason});
      continue;
    }
    made.outputs.emplace_back(output.name, *wire);
    Node node;
    node.id = im.id_for(output.name);
    node.name = node.label = output.name;
    node.type = "output";
    made.output_nodes.push_back(node.id);
    const Link link{wire->node, wire->socket, node.id, "x"};
    (void)apply_edits(im.graph(), {AddNode{std::move(node)}, AddLink{link}});
  }
  HW_CHECK(im.release());
  if (model.opset > kLastOpset)
    made.notes.push_back(
        "opset " + std::to_string(model.opset) + " is newer than " + std::to_string(kLastOpset) +
        ", up to which operators are known: one that has changed since is read as it was. Compare what "
        "it computes with another program.");
  if (const std::string held = held_wider(model); !held.empty())
    made.notes.push_back(held + " are held in wider dtypes, which have all of their values.");
  for (std::string& note : im.notes()) made.notes.push_back(std::move(note));
  im.remove_unread();
  if (const std::vector<std::string> frozen = im.frozen(); !frozen.empty())
    made.notes.push_back(listed(frozen, 3) + (frozen.size() == 1 ? " is" : " are") +
                         " frozen: constants of the model, or buffers by their names. A Parameter trains where its "
                         "Trainable is on.");
  if (im.rounded() > 0)
    made.notes.push_back(std::to_string(im.rounded()) +
                         " whole numbers beyond 2^53 are rounded to those that f64 has.");
  const auto refused = set_examples(model, symbols, fixed, im.graph(), made);
  if (trial) *trial = {im.are_sizes_unsuited(), refused};
  made.dequantized = im.dequantized();
  made.untied_weights = im.untied_weights();
  HW_CHECK(im.release());
  made.nodes = std::move(im.nodes());
  made.graph = std::move(im.graph());
  made.weights = std::move(im.weights());
  add_own_names(made.graph, made.weights, made.graph.weight_names);
  return made;
}

/// Whether the file computes with sizes.
bool reads_sizes(const OnnxModel& model) {
  constexpr std::string_view kOps[]{"If", "Loop", "Scan", "Shape", "Size"};
  const auto reads = [&](const std::vector<OnnxNode>& nodes) {
    return std::ranges::any_of(nodes, [&](const OnnxNode& n) { return std::ranges::count(kOps, n.op) > 0; });
  };
  return reads(model.graph.nodes) ||
         std::ranges::any_of(model.functions, [&](const auto& f) { return reads(f.nodes); });
}

/// The first node that two imports of a model do not have in common, but for the sizes of Inputs, or whose weights were
/// computed otherwise. None: they are the same.
std::optional<Node> first_difference(const ImportedModel& made, const ImportedModel& other) {
  const Graph &a = made.graph, &b = other.graph;
  for (const auto& [id, node] : a.nodes()) {
    const Node* same = b.find(id);
    if (!same || (node.type == "input" ? same->type != node.type : *same != node)) return node;
  }
  for (const auto& [id, node] : b.nodes())
    if (!a.find(id)) return node;
  for (const auto& [id, node] : a.nodes())
    if (a.links_into(id) != b.links_into(id)) return node;
  for (const auto& [name, weight] : made.weights) {
    const auto same = other.weights.find(name);
    if (same == other.weights.end() || !same_bits(weight, same->second)) return *a.find(name.substr(0, name.find('.')));
  }
  return std::nullopt;
}

/// made_of() of some symbolic sizes. Where the file computes with them, other sizes must give the same graph: what
/// depends on, say, whether a size is even is the same at two sizes by chance. Else an operator is missing.
Result<ImportedModel> confirmed(const OnnxModel& model, const ImportOptions& options, const Symbols& symbols,
                                const std::set<std::string>& fixed, bool* is_unsuited = nullptr) {
  Trial trial;
  HW_TRY(ImportedModel made, made_of(model, options, symbols, fixed, &trial));
  if (is_unsuited) *is_unsuited = trial.is_unsuited;
  if (made.missing.empty() && trial.refused) made.missing.push_back(*trial.refused);
  if (!made.missing.empty() || fixed.size() == symbols.size() || !reads_sizes(model)) return made;
  const auto refuse = [&](const std::string& op, const std::string& node, const std::string& reason) {
    made.missing.push_back({node, op, reason, false, true});
  };
  // Whether one of these pairs of sizes gives the same; the last one counts though operators are missing in it.
  const auto is_same_at = [&](const std::array<Symbols, 2>& pairs) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      auto again = made_of(model, options, pairs[i], fixed);
      if (!again || (i + 1 < pairs.size() && !again->missing.empty())) continue;
      const auto apart = first_difference(made, *again);
      if (apart)
        refuse(title_of(*apart), apart->name.empty() ? apart->id : apart->name,
               "what it does follows from sizes in another way at some than at others.");
      return !apart;
    }
    refuse("Input", "", "it is read at some sizes, and at others not.");
    return false;
  };
  if (is_same_at({other_sizes(symbols, false), other_sizes(symbols, true)}))
    (void)is_same_at({shifted_sizes(symbols, false), shifted_sizes(symbols, true)});
  return made;
}

/// A graph all of whose symbols stay, of the first sizes that suit it; `symbols` become these.
Result<ImportedModel> freest_of(const OnnxModel& model, const ImportOptions& options, Symbols& symbols) {
  bool is_unsuited = false;
  Result<ImportedModel> best = confirmed(model, options, symbols, {}, &is_unsuited);
  const bool others_may = !best || (is_unsuited && !best->missing.empty());
  const int attempts = others_may && !symbols.empty() && model.graph.nodes.size() <= kMostTried ? kMostAttempts : 1;
  for (int attempt = 1; attempt < attempts && (!best || !best->missing.empty()); ++attempt) {
    Symbols others = trial_sizes(model.graph, options.sizes, attempt);
    auto made = confirmed(model, options, others, {});
    if (!made || (best && made->missing.size() >= best->missing.size())) continue;
    best = std::move(made);
    symbols = std::move(others);
  }
  return best;
}

/// Sizes that are halved and doubled again, as in a U-Net, need not be fixed: multiples of a power of two stay whole.
/// `fixed`: with these symbols fixed; becomes the graph without, where one does as well.
void try_multiples(const OnnxModel& model, const ImportOptions& options, const Symbols& symbols,
                   const std::set<std::string>& these, ImportedModel& fixed) {
  if (these.size() > 2 || model.graph.nodes.size() > kMostTried) return;
  for (int64_t multiple = 2; multiple <= kMostMultiple; multiple *= 2) {
    if (std::ranges::any_of(these, [&](const std::string& s) { return symbols.at(s).size % multiple != 0; })) break;
    auto free = confirmed(model, options, in_multiples(symbols, these, multiple), {});
    if (!free || free->missing.size() > fixed.missing.size()) continue;
    fixed = std::move(*free);
    for (const std::string& symbol : these) fixed.multiples[symbol] = multiple;
    break;
  }
}

/// Another size may be what an operator wants.
bool may_lack_sizes(const ImportedModel& model) {
  return std::ranges::any_of(model.missing, [](const MissingOperator& m) { return m.reads_sizes && !m.follows; });
}

/// The first operator that `fixed` has and `symbolic` lacks.
const MissingOperator& missing_without(const ImportedModel& symbolic, const ImportedModel& fixed) {
  const auto is_read = [&](const MissingOperator& m) {
    return std::ranges::none_of(fixed.missing, [&](const auto& f) { return f.node == m.node && f.op == m.op; });
  };
  const auto first = std::ranges::find_if(symbolic.missing, is_read);
  return first == symbolic.missing.end() ? symbolic.missing.front() : *first;
}

Error no_such_symbol(const std::string& symbol, const Symbols& symbols) {
  std::vector<std::string> all;
  for (const auto& [name, sizes] : symbols) all.push_back(name);
  return {codes::bad_usage, "--size " + symbol, "no input has a size of this name.",
          all.empty() ? "All its sizes are numbers; leave it out." : "Name one of " + listed(all, all.size()) + "."};
}

}  // namespace

std::vector<std::string> missing_lines(const ImportedModel& model) {
  std::vector<std::pair<const MissingOperator*, size_t>> kinds;
  size_t behind = 0;
  for (const MissingOperator& m : model.missing) {
    if (m.follows) {
      ++behind;
      continue;
    }
    const auto same = std::ranges::find_if(
        kinds, [&](const auto& kind) { return kind.first->op == m.op && kind.first->reason == m.reason; });
    if (same == kinds.end())
      kinds.emplace_back(&m, 1);
    else
      ++same->second;
  }
  std::vector<std::string> lines;
  for (const auto& [first, count] : kinds)
    lines.push_back(first->op + (first->node.empty() ? "" : " " + first->node) +
                    (count == 1 ? "" : " and " + std::to_string(count - 1) + " more like it") + ": " + first->reason);
  if (behind > 0)
    lines.push_back(std::to_string(behind) + (behind == 1 ? " operator waits" : " operators wait") +
                    " for what these make.");
  return lines;
}

std::string limits_text(const ImportedModel& model) {
  if (model.fixed_because.empty()) return "";
  std::vector<std::string> multiples;
  for (const auto& [symbol, of] : model.multiples) multiples.push_back(symbol + " a multiple of " + std::to_string(of));
  return (model.fixed.empty() ? listed(multiples, multiples.size()) : "fixed sizes, " + sizes_text(model.fixed)) +
         ", because of " + model.fixed_because;
}

SizeConstraint constraint_of(const ImportedModel& model, const std::string& symbol) {
  if (model.missing_at.contains(symbol)) return SizeConstraint::unfit;
  if (model.fixed.contains(symbol)) return SizeConstraint::fixed;
  return model.multiples.contains(symbol) ? SizeConstraint::multiples : SizeConstraint::symbolic;
}

std::string sizes_text(const std::map<std::string, int64_t>& sizes) {
  std::vector<std::string> all;
  for (const auto& [symbol, size] : sizes) all.push_back(symbol + "=" + std::to_string(size));
  return listed(all, all.size());
}

Result<ImportedModel> import_graph(const OnnxModel& as_read, const ImportOptions& options) {
  OnnxModel model = as_read;
  scope_quantised_pairs(model);
  keep_ranges(model);
  if (model.opset < kFirstOpset)
    return Error{codes::unsupported, "", "it has opset " + std::to_string(model.opset) + "; 6 and newer are read.",
                 "Export it with a newer one, 17 for example."};
  if (const size_t most = most_operators(model); count_operators(model) > most)
    return Error{codes::unsupported, "",
                 "it has more than " + std::to_string(most) +
                     " operators, those that functions are called for "
                     "among them.",
                 "Functions that call others twice, level by level, double them each time."};
  return guarded([&]() -> Result<ImportedModel> {
    Symbols symbols = trial_sizes(model.graph, options.sizes);
    for (const auto& [symbol, size] : options.sizes)
      if (!symbols.contains(symbol)) return no_such_symbol(symbol, symbols);
    HW_TRY(ImportedModel symbolic, freest_of(model, options, symbols));
    if (symbolic.missing.empty() || symbols.empty()) return symbolic;
    std::set<std::string> all;
    for (const auto& [symbol, sizes] : symbols) all.insert(symbol);
    HW_TRY(ImportedModel fixed, made_of(model, options, symbols, all));
    if (fixed.missing.size() >= symbolic.missing.size()) {
      if (may_lack_sizes(symbolic)) symbolic.missing_at = std::move(fixed.fixed);
      return symbolic;
    }
    const bool are_tried = symbols.size() <= kMostSymbols || symbols.size() * model.graph.nodes.size() <= kMostRead;
    for (const auto& [symbol, sizes] : are_tried ? symbols : Symbols()) {
      std::set<std::string> fewer = all;
      fewer.erase(symbol);
      auto freer = confirmed(model, options, symbols, fewer);
      if (!freer || freer->missing.size() > fixed.missing.size()) continue;
      fixed = std::move(*freer);
      all = std::move(fewer);
    }
    try_multiples(model, options, symbols, all, fixed);
    const MissingOperator& first = missing_without(symbolic, fixed);
    fixed.fixed_because =
        first.op + (first.node.empty() ? "" : " " + first.node) + (fixed.fixed.empty() ? "." : ": " + first.reason);
    if (may_lack_sizes(fixed))
      for (const auto& [symbol, sizes] : symbols) fixed.missing_at[symbol] = sizes.size;
    return fixed;
  });
}

}  // namespace hw::interop
