#include "app/interop/onnx/import_operators.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "app/interop/onnx/count_operators.h"
#include "app/interop/onnx/inner_nodes.h"
#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/graph/check/check_type.h"

namespace hw::interop {
namespace {

constexpr int kMostNested = 32;          // functions, graphs and steps in each other
constexpr int64_t kMostTurns = 1024;     // of a Loop or Scan
constexpr size_t kMostMade = 1 << 14;    // operators besides those of the file and its functions
constexpr size_t kMostCopied = 1 << 20;  // in graphs of others, once for each time that these are entered

/// Calls `visit` with all names of values of a graph, and of those inside.
void for_each_name(const OnnxGraph& graph, const std::function<void(const std::string&)>& visit) {
  for (const OnnxNode& n : graph.nodes) {
    for (const auto* names : {&n.inputs, &n.outputs})
      for (const std::string& name : *names) visit(name);
    for (const auto& [attribute, value] : n.attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<const OnnxGraph>>(&value)) for_each_name(**inner, visit);
  }
  for (const auto& [name, tensor] : graph.initializers) visit(name);
  for (const auto& [name, why] : graph.unread) visit(name);
  for (const OnnxValue& input : graph.inputs) visit(input.name);
}

/// What no value of the file is called after. Values of functions get names of their own, before which it stands.
std::string unused_prefix(const OnnxGraph& graph) {
  std::string prefix = "step:";
  for_each_name(graph, [&](const std::string& name) {
    while (name.starts_with(prefix)) prefix += ":";
  });
  return prefix;
}

const OnnxGraph* graph_of(const OnnxNode& n, const std::string& attribute) {
  const auto found = n.attributes.find(attribute);
  const auto* graph =
      found == n.attributes.end() ? nullptr : std::get_if<std::shared_ptr<const OnnxGraph>>(&found->second);
  return graph ? graph->get() : nullptr;
}

/// A value by its name alone, as Importer asks for inputs.
OnnxNode reader_of(const std::string& value) {
  OnnxNode n;
  n.inputs = {value};
  return n;
}

class Import {
 public:
  Import(const OnnxModel& model, Importer& importer, std::vector<MissingOperator>& missing)
      : functions_(model), most_inlined_(most_operators(model) + kMostMade), importer_(importer), missing_(missing) {}

  /// `of`: the operator whose steps these are; null: they are the model's own.
  Status nodes(const std::vector<OnnxNode>& all, int depth, const OnnxNode* of = nullptr) {
    for (const OnnxNode& n : all) HW_CHECK(node(n, depth, of));
    return ok();
  }

 private:
  Status node(const OnnxNode& n, int depth, const OnnxNode* of) {
    const OnnxFunction* function = functions_.find(n);
    const bool is_read = function && function->opset >= kFirstOpset && !function->has_unknown_parts;
    if (is_read && depth < kMostNested) {
      HW_CHECK(inlined(n, *function, depth));
      importer_.begin(n);  // those inside are no more
      return ok();
    }
    importer_.begin(n);
    const Rule rule = n.domain.empty() ? find_rule(n.op) : nullptr;
    const bool is_plain = !function && n.unreadable.empty();
    if (is_plain && rule && importer_.follow_sizes(n, rule)) return ok();
    Status made =
        is_read ? Status(unsupported("functions lie more than " + std::to_string(kMostNested) + " deep in each other."))
        : function              ? Status(unsupported("a function that this version does not read."))
        : !n.unreadable.empty() ? Status(unsupported(n.unreadable))
        : rule                  ? rule(importer_, n)
                                : of_others(n, depth, of);
    if (made && !rule) return ok();
    if (!made && is_plain && rule && find_steps(n.domain, n.op)) {  // what no node computes
      importer_.take_back();
      made = of_others(n, depth, of);
      if (made) return ok();
    }
    const auto unknown = std::ranges::find_if(n.inputs, [&](const std::string& v) { return behind_.contains(v); });
    const bool follows = unknown != n.inputs.end();
    const std::string before = follows ? behind_.at(*unknown) : "";
    if (made) {
      importer_.fold(n);
      if (follows) mark(n, before);
      return ok();
    }
    importer_.take_back();
    importer_.add_placeholder(n, follows ? kWaits + (" what " + before + " makes.") : made.error().reason);
    const OnnxNode& named = of ? *of : n;
    const std::string op = (named.domain.empty() ? "" : named.domain + ".") + named.op;
    missing_.push_back({named.name, op, (of ? n.op + ": " : "") + made.error().reason, follows,
                        is_plain && (rule || is_of_others(n))});
    mark(n, follows ? before : op + (named.name.empty() ? "" : " " + named.name));
    return ok();
  }

  /// What an operator makes depends on the missing one of this name.
  void mark(const OnnxNode& n, const std::string& missing) {
    for (const std::string& output : n.outputs)
      if (!output.empty()) behind_[output] = missing;
  }

  /// An operator that is made of others: steps, or the graphs that it has. Error: nothing of it is left.
  Status of_others(const OnnxNode& n, int depth, const OnnxNode* of) {
    const size_t nodes_before = importer_.nodes().size(), missing_before = missing_.size();
    const size_t notes_before = importer_.note_count();
    const Status made = made_of_others(n, depth, of);
    importer_.begin(n);  // those inside are no more
    if (made) return ok();
    importer_.take_back_to(nodes_before);
    importer_.take_back_notes_to(notes_before);
    missing_.resize(missing_before);
    return made;
  }

  static bool has_graphs(const OnnxNode& n) {
    return n.domain.empty() && (n.op == "If" || n.op == "Loop" || n.op == "Scan");
  }
  static bool is_of_others(const OnnxNode& n) { return has_graphs(n) || find_steps(n.domain, n.op); }

  Status made_of_others(const OnnxNode& n, int depth, const OnnxNode* of) {
    if (!is_of_others(n)) return unsupported("there is no such operator here.");
    if (depth >= kMostNested) return unsupported("operators lie too deep in each other.");
    if (n.op == "If") return branch(n, depth);
    if (n.op == "Loop") return loop(n, depth);
    if (n.op == "Scan") return scan(n, depth);
    const StepsRule steps = find_steps(n.domain, n.op);
    HW_TRY(const std::vector<OnnxNode> made, steps(importer_, n));
    HW_CHECK(count(made.size()));
    importer_.count_reads(made);
    const int64_t outer = importer_.use_opset(kStepsOpset);
    const Status done = nodes(made, depth + 1, of ? of : &n);
    importer_.use_opset(outer);
    return done;
  }

  Status count(size_t operators) {
    made_ += operators;
    if (made_ > kMostMade) return unsupported("loops and the like would be more than 16384 operators.");
    return ok();
  }

  /// The value of a number that follows from the file and the sizes alone. Error: `what` is not such.
  Result<double> known(const std::string& value, const std::string& what) {
    const auto sized = importer_.sized(reader_of(value), 0);
    if (!sized) return unsupported(what + " is computed of what the graph is given.");
    if (sized->here.size() != 1 || sized->other.size() != 1) return unsupported(what + " is no single number.");
    const double here = sized->here.to_f64().front();
    if (here != sized->other.to_f64().front()) return unsupported(what + " follows from a symbolic size.");
    return here;
  }

  /// `name` becomes what `value` is.
  Status hand_on(const std::string& value, const std::string& name, int depth) {
    if (name.empty()) return ok();
    OnnxNode same = reader_of(value);
    same.op = "Identity";
    same.outputs = {name};
    if (auto tensors = importer_.sequence(same, 0)) {
      importer_.set_sequence(same, std::move(*tensors));
      return ok();
    }
    importer_.count_reads({same});
    return node(same, depth, nullptr);
  }

  /// The operators of a graph inside. `turn`: of a loop; `call`: in which it is one.
  Result<InnerGraph> entered(const OnnxNode& n, const OnnxGraph& graph, const std::string& turn, size_t call) {
    copied_ += count_nested(graph.nodes, kMostCopied);
    if (copied_ > kMostCopied) return unsupported("graphs in graphs would be more than 1048576 operators.");
    const std::string name = n.name.empty() ? n.op : n.name;
    const std::string of_call = importer_.own_name(name + "/" + std::to_string(call) + "/");
    InnerGraph inner(graph, of_call + turn + "/", of_call);
    HW_CHECK(count(1 + inner.nodes.size() + inner.inputs.size() + inner.outputs.size()));
    std::vector<OnnxScope> scopes = n.scopes;
    // All turns are one module: they share its weights.
    if (!turn.empty()) scopes.push_back({(scopes.empty() ? "" : scopes.back().path + ".") + name, n.op});
    for (OnnxNode& step : inner.nodes) {
      step.name = name + "/" + (turn.empty() ? "" : turn + "/") + (step.name.empty() ? step.op : step.name);
      // PyTorch's exporter has written the scopes of the operators inside, too.
      if (step.scopes.size() <= n.scopes.size() || !turn.empty()) step.scopes = scopes;
    }
    for (const auto& [value, tensor] : inner.initializers) importer_.define(value, tensor);
    for (const auto& [value, why] : inner.unread) importer_.define_unread(value, why);
    importer_.count_reads(inner.nodes);
    return inner;
  }

  Status branch(const OnnxNode& n, int depth) {
    if (n.inputs.empty()) return unsupported("it has no condition.");
    HW_TRY(const double condition, known(n.inputs[0], "its condition"));
    const OnnxGraph* graph = graph_of(n, condition != 0 ? "then_branch" : "else_branch");
    if (!graph) return unsupported("the branch that is taken is missing.");
    HW_TRY(const InnerGraph inner, entered(n, *graph, "", calls_++));
    HW_CHECK(nodes(inner.nodes, depth + 1));
    for (size_t i = 0; i < n.outputs.size() && i < inner.outputs.size(); ++i)
      HW_CHECK(hand_on(inner.outputs[i], n.outputs[i], depth));
    return ok();
  }

  /// What each turn makes, along a new axis.
  Status stack(const OnnxNode& n, const std::vector<std::string>& parts, const std::string& name, int64_t axis,
               int depth) {
    if (name.empty()) return ok();
    if (parts.empty()) return unsupported("it makes a tensor without elements: no turn is taken.");
    OnnxNode joined;
    joined.name = n.name;
    joined.scopes = n.scopes;
    joined.op = "ConcatFromSequence";
    joined.attributes = {{"axis", axis}, {"new_axis", int64_t{1}}};
    OnnxNode sequence = joined;
    sequence.op = "SequenceConstruct";
    sequence.inputs = parts;
    sequence.outputs = {importer_.own_name(name + "/turns")};
    joined.inputs = sequence.outputs;
    joined.outputs = {name};
    importer_.count_reads({sequence, joined});
    return nodes({sequence, joined}, depth);
  }

  /// Turns are laid out one behind the other, as many as are taken.
  Status loop(const OnnxNode& n, int depth) {
    const OnnxGraph* body = graph_of(n, "body");
    if (!body || body->inputs.size() < 2 || body->outputs.empty() || n.inputs.size() < 2)
      return unsupported("its body is missing.");
    const size_t carried = n.inputs.size() - 2;
    if (body->inputs.size() != carried + 2 || body->outputs.size() < carried + 1)
      return unsupported("its body does not fit its inputs.");
    double most = static_cast<double>(kMostTurns) + 1;
    if (!n.inputs[0].empty()) {
      HW_TRY(most, known(n.inputs[0], "how often it turns"));
    }
    double goes_on = 1;
    if (!n.inputs[1].empty()) {
      HW_TRY(goes_on, known(n.inputs[1], "its condition"));
    }
    const size_t call = calls_++;
    std::vector<std::string> state(n.inputs.begin() + 2, n.inputs.end());
    std::vector<std::vector<std::string>> scanned(body->outputs.size() - carried - 1);
    for (int64_t turn = 0; static_cast<double>(turn) < most && goes_on != 0; ++turn) {
      if (turn >= kMostTurns) return unsupported("it turns more than " + std::to_string(kMostTurns) + " times.");
      HW_TRY(const InnerGraph inner, entered(n, *body, std::to_string(turn), call));
      Tensor count(DType::i64, {});
      *count.as<int64_t>() = turn;
      importer_.define(inner.inputs[0], std::move(count));
      importer_.define(inner.inputs[1], Tensor::from_f64(DType::boolean, {}, std::vector<double>{1}));
      for (size_t i = 0; i < carried; ++i) HW_CHECK(hand_on(state[i], inner.inputs[2 + i], depth));
      HW_CHECK(nodes(inner.nodes, depth + 1));
      HW_TRY(goes_on, known(inner.outputs[0], "its condition"));
      for (size_t i = 0; i < carried; ++i) state[i] = inner.outputs[1 + i];
      for (size_t i = 0; i < scanned.size(); ++i) scanned[i].push_back(inner.outputs[1 + carried + i]);
    }
    if (n.outputs.size() > carried + scanned.size()) return unsupported("its body does not fit its outputs.");
    for (size_t i = 0; i < n.outputs.size(); ++i)
      HW_CHECK(i < carried ? hand_on(state[i], n.outputs[i], depth)
                           : stack(n, scanned.at(i - carried), n.outputs[i], 0, depth));
    return ok();
  }

  Status scan(const OnnxNode& n, int depth) {
    const OnnxGraph* body = graph_of(n, "body");
    const auto scans = static_cast<size_t>(n.integer("num_scan_inputs", 0));
    if (!body || scans < 1 || scans > n.inputs.size() || body->inputs.size() != n.inputs.size())
      return unsupported(importer_.opset() < 9 ? "Scan of opset 8." : "its body does not fit its inputs.");
    const size_t carried = n.inputs.size() - scans;
    if (body->outputs.size() < carried) return unsupported("its body does not fit its outputs.");
    const auto of = [&](const char* attribute, size_t i) {
      const std::vector<int64_t> all = n.integers(attribute);
      return i < all.size() ? all[i] : 0;
    };
    int64_t turns = 0;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < scans; ++i) {
      HW_TRY(const Dims dims, importer_.open_dims(n, carried + i));
      const auto rank = static_cast<int64_t>(dims.size());
      int64_t axis = of("scan_input_axes", i);
      if (axis < 0) axis += rank;
      if (axis < 0 || axis >= rank) return unsupported("it scans an axis that is not there.");
      turns = dims[static_cast<size_t>(axis)];
      if (turns < 0) return unsupported("how often it turns follows from a symbolic size.");
      axes.push_back(axis);
    }
    if (turns > kMostTurns) return unsupported("it turns more than " + std::to_string(kMostTurns) + " times.");
    const size_t call = calls_++;
    std::vector<std::string> state(n.inputs.begin(), n.inputs.begin() + static_cast<std::ptrdiff_t>(carried));
    std::vector<std::vector<std::string>> scanned(body->outputs.size() - carried);
    for (int64_t turn = 0; turn < turns; ++turn) {
      HW_TRY(const InnerGraph inner, entered(n, *body, std::to_string(turn), call));
      for (size_t i = 0; i < carried; ++i) HW_CHECK(hand_on(state[i], inner.inputs[i], depth));
      for (size_t i = 0; i < scans; ++i) {
        OnnxNode row;
        row.op = "Gather";
        row.scopes = n.scopes;
        row.inputs = {n.inputs[carried + i], importer_.own_name(inner.inputs[carried + i] + "/place")};
        row.outputs = {inner.inputs[carried + i]};
        row.attributes = {{"axis", axes[i]}};
        Tensor place(DType::i64, {});
        *place.as<int64_t>() = of("scan_input_directions", i) != 0 ? turns - 1 - turn : turn;
        importer_.define(row.inputs[1], std::move(place));
        importer_.count_reads({row});
        HW_CHECK(node(row, depth, nullptr));
      }
      HW_CHECK(nodes(inner.nodes, depth + 1));
      for (size_t i = 0; i < carried; ++i) state[i] = inner.outputs[i];
      for (size_t i = 0; i < scanned.size(); ++i) scanned[i].push_back(inner.outputs[carried + i]);
    }
    if (n.outputs.size() > carried + scanned.size()) return unsupported("its body does not fit its outputs.");
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (i < carried) {
        HW_CHECK(hand_on(state[i], n.outputs[i], depth));
        continue;
      }
      std::vector<std::string>& parts = scanned.at(i - carried);
      if (of("scan_output_directions", i - carried) != 0) std::ranges::reverse(parts);
      HW_CHECK(stack(n, parts, n.outputs[i], of("scan_output_axes", i - carried), depth));
    }
    return ok();
  }

  /// Values inside have names of their own: those of the call before them.
  Status inlined(const OnnxNode& n, const OnnxFunction& f, int depth) {
    const std::string name_of_call = (n.name.empty() ? n.op : n.name) + "/" + std::to_string(calls_++) + "/";
    const std::string prefix = importer_.own_name(name_of_call);
    std::unordered_map<std::string, std::string> names;
    for (size_t i = 0; i < f.inputs.size(); ++i) names[f.inputs[i]] = i < n.inputs.size() ? n.inputs[i] : "";
    for (size_t i = 0; i < f.outputs.size(); ++i)
      if (i < n.outputs.size() && !n.outputs[i].empty()) names[f.outputs[i]] = n.outputs[i];
    const auto outside = [&](const std::string& name) {
      const auto found = names.find(name);
      return found == names.end() ? prefix + name : found->second;
    };
    std::vector<OnnxScope> scopes = n.scopes;
    scopes.push_back({(scopes.empty() ? "" : scopes.back().path + ".") + (n.name.empty() ? n.op : n.name), f.name});
    std::map<std::string, OnnxAttribute> attributes = n.attributes;
    attributes.insert(f.defaults.begin(), f.defaults.end());
    std::vector<OnnxNode> nodes = f.nodes;
    for (OnnxNode& inner : nodes) {
      inner.name = name_of_call + (inner.name.empty() ? inner.op : inner.name);
      inner.scopes = scopes;
      inner = with_attributes_of_call(with_values_renamed(std::move(inner), outside), attributes);
    }
    inlined_ += count_nested(nodes, most_inlined_);  // graphs that the call has given them, too
    if (inlined_ > most_inlined_)
      return unsupported("functions would be more than " + std::to_string(most_inlined_) + " operators.");
    importer_.count_reads(nodes);
    for (const OnnxNode& inner : nodes) {
      const int64_t outer = importer_.use_opset(f.opset);
      const Status made = node(inner, depth + 1, nullptr);
      importer_.use_opset(outer);
      HW_CHECK(made);
    }
    return ok();
  }

  const Functions functions_;
  const size_t most_inlined_;  // operators of functions; the model itself calls fewer than most_operators()
  Importer& importer_;
  std::vector<MissingOperator>& missing_;
  std::map<std::string, std::string> behind_;  // values that a missing operator makes, or that follow from them
  size_t calls_ = 0;
  size_t made_ = 0, inlined_ = 0, copied_ = 0;  // see kMostMade, most_inlined_, kMostCopied
};

}  // namespace

Status import_operators(const OnnxModel& model, Importer& importer, std::vector<MissingOperator>& missing) {
  importer.set_own_prefix(unused_prefix(model.graph));
  return Import(model, importer, missing).nodes(model.graph.nodes, 0);
}

}  // namespace hw::interop
