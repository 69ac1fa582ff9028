#include "app/interop/onnx/local_functions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/graph/groups/group_interface.h"

namespace hw::interop {
namespace {

constexpr const char* kDomain = "halfwire.groups";

/// The operators of an instance with names from inside, and what the call is given and gives.
struct Body {
  OnnxScope scope;
  std::vector<OnnxNode> nodes;
  std::vector<std::string> inputs, outputs;  // names inside
  std::vector<std::string> given, made;      // the same outside
  std::string signature;                     // all but the values of attributes
};

std::string identifier(const std::string& text) {
  std::string made;
  for (const char c : text) made += (std::isalnum(static_cast<unsigned char>(c)) != 0 && (c & 0x80) == 0) ? c : '_';
  return made.empty() || std::isdigit(static_cast<unsigned char>(made.front())) != 0 ? "_" + made : made;
}

/// "name", or with a number behind where it is taken.
std::string unused(const std::string& name, std::set<std::string>& taken) {
  std::string made = name;
  for (int i = 2; !taken.insert(made).second; ++i) made = name + "_" + std::to_string(i);
  return made;
}

bool equal(const Tensor& a, const Tensor& b) {
  const auto* const bytes = static_cast<const char*>(a.data());
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         std::equal(bytes, bytes + a.bytes(), static_cast<const char*>(b.data()));
}

bool equal(const OnnxAttribute& a, const OnnxAttribute& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return equal(value, std::get<T>(b));
        else
          return value == std::get<T>(b);
      },
      a);
}

class Functions {
 public:
  Functions(OnnxModel& model, const Graph& document, const std::set<std::string>& constants)
      : model_(model), document_(document), constants_(constants) {}

  LocalFunctions run() {
    size_t deepest = 0;
    for (const OnnxNode& n : model_.graph.nodes) deepest = std::max(deepest, n.scopes.size());
    for (size_t depth = deepest; depth > 0; --depth) level(depth);
    if (!model_.functions.empty()) model_.domains[kDomain] = 1;
    for (const std::string& name : moved_) model_.graph.initializers.erase(name);
    return std::move(done_);
  }

 private:
  /// The instances that lie so deep, each as a call.
  void level(size_t depth) {
    std::vector<OnnxScope> instances;
    for (const OnnxNode& n : model_.graph.nodes)
      if (n.scopes.size() == depth && std::ranges::find(instances, n.scopes.back()) == instances.end())
        instances.push_back(n.scopes.back());
    std::map<std::pair<std::string, std::string>, std::vector<Body>> alike;  // by group and signature
    std::vector<std::pair<std::string, std::string>> order;
    for (const OnnxScope& scope : instances) {
      std::optional<Body> body = taken_out(scope, depth);
      if (!body) {
        done_.inlined.push_back({scope.path, "operators outside lie between those inside"});
        for (OnnxNode& n : model_.graph.nodes)
          if (n.scopes.size() == depth && n.scopes.back() == scope) n.scopes.pop_back();
        continue;
      }
      const std::pair key{scope.kind, body->signature};
      if (!alike.contains(key)) order.push_back(key);
      alike[key].push_back(std::move(*body));
    }
    for (const auto& key : order) define(alike.at(key));
  }

  /// Puts a call without an operator in place of the instance. Nothing: that is not possible.
  std::optional<Body> taken_out(const OnnxScope& scope, size_t depth) {
    std::vector<OnnxNode>& all = model_.graph.nodes;
    const auto is_inside = [&](const OnnxNode& n) { return n.scopes.size() == depth && n.scopes.back() == scope; };
    std::unordered_set<std::string> of_inside, behind;  // values
    std::vector<OnnxNode> before, inside, after;
    for (const OnnxNode& n : all) {
      const auto reads = [&](const auto& values) {
        return std::ranges::any_of(n.inputs, [&](const std::string& v) { return values.contains(v); });
      };
      if (is_inside(n)) {
        if (reads(behind)) return std::nullopt;
        inside.push_back(n);
        of_inside.insert(n.outputs.begin(), n.outputs.end());
        of_inside.erase("");
      } else if (reads(of_inside) || reads(behind)) {
        after.push_back(n);
        behind.insert(n.outputs.begin(), n.outputs.end());
        behind.erase("");
      } else {
        before.push_back(n);
      }
    }
    std::unordered_set<std::string> read_outside;
    for (const auto* nodes : {&before, &after})
      for (const OnnxNode& n : *nodes) read_outside.insert(n.inputs.begin(), n.inputs.end());
    for (const OnnxValue& output : model_.graph.outputs) read_outside.insert(output.name);
    Body body = renamed(scope, in_order(named(scope, std::move(inside))), read_outside);
    OnnxNode call;
    call.name = scope.path;
    call.domain = kDomain;
    call.inputs = body.given;
    call.outputs = body.made;
    const OnnxNode& first = *std::ranges::find_if(all, is_inside);
    call.scopes.assign(first.scopes.begin(), first.scopes.end() - 1);
    before.push_back(std::move(call));
    before.insert(before.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
    all = std::move(before);
    return body;
  }

  /// Operators by the node that they are of, and their place among its operators: alike in all instances.
  static std::vector<OnnxNode> named(const OnnxScope& scope, std::vector<OnnxNode> nodes) {
    std::map<std::string, size_t> count;
    for (OnnxNode& n : nodes) {
      std::string name = inside(scope, n.name);
      const size_t last = name.rfind("/" + n.op + "_");
      if (last != name.npos && name.find_first_not_of("0123456789", last + n.op.size() + 2) == name.npos)
        name.resize(last);
      const size_t k = count[name]++;
      n.name = k == 0 ? name : name + "/" + n.op + "_" + std::to_string(k);
    }
    return nodes;
  }

  static std::string inside(const OnnxScope& scope, const std::string& name) {
    return name.starts_with(scope.path + "/") ? name.substr(scope.path.size() + 1) : name;
  }

  /// Each after what it reads; which of several is next does not depend on what is outside.
  static std::vector<OnnxNode> in_order(std::vector<OnnxNode> nodes) {
    std::ranges::sort(nodes, {}, &OnnxNode::name);
    std::unordered_map<std::string, size_t> maker;
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const std::string& value : nodes[i].outputs)
        if (!value.empty()) maker[value] = i;
    std::vector<size_t> waits_for(nodes.size(), 0);
    std::vector<std::vector<size_t>> readers(nodes.size());
    std::set<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& value : nodes[i].inputs)
        if (const auto found = maker.find(value); found != maker.end()) {
          readers[found->second].push_back(i);
          ++waits_for[i];
        }
      if (waits_for[i] == 0) ready.insert(i);
    }
    std::vector<OnnxNode> order;
    while (!ready.empty()) {
      const size_t next = *ready.begin();
      ready.erase(ready.begin());
      for (const size_t reader : readers[next])
        if (--waits_for[reader] == 0) ready.insert(reader);
      order.push_back(std::move(nodes[next]));
    }
    return order;
  }

  Body renamed(const OnnxScope& scope, std::vector<OnnxNode> nodes,
               const std::unordered_set<std::string>& read_outside) {
    Body body;
    body.scope = scope;
    std::unordered_map<std::string, std::string> names;
    for (OnnxNode& n : nodes) {
      n.scopes.clear();
      body.signature += n.domain + ":" + n.op + "(";
      for (size_t i = 0; i < n.inputs.size(); ++i) {
        std::string& value = n.inputs[i];
        if (value.empty()) continue;
        if (const auto known = names.find(value); known != names.end()) {
          value = known->second;
        } else {
          const auto initializer = model_.graph.initializers.find(value);
          const Tensor* tensor = constants_.contains(value) ? initializer->second.in_memory() : nullptr;
          const bool is_constant = tensor != nullptr;
          const bool is_weight =
              !is_constant && initializer != model_.graph.initializers.end() && inside(scope, value) != value;
          const std::string own = is_weight ? inside(scope, value) : n.name + ".in" + std::to_string(i);
          names[value] = own;
          if (is_constant) {
            body.nodes.push_back(constant(own, *tensor));
            body.signature += "[" + own + "]";
            moved_.insert(value);
          } else {
            body.inputs.push_back(own);
            body.given.push_back(value);
          }
          value = own;
        }
        body.signature += value + ",";
      }
      body.signature += ")";
      for (size_t i = 0; i < n.outputs.size(); ++i) {
        std::string& value = n.outputs[i];
        if (value.empty()) continue;
        const std::string own = n.name + (i == 0 ? "" : "." + std::to_string(i));
        names[value] = own;
        if (read_outside.contains(value)) {
          body.outputs.push_back(own);
          body.made.push_back(value);
          body.signature += "!";
        }
        value = own;
        body.signature += own + ",";
      }
      for (const auto& [name, value] : n.attributes) body.signature += name + std::to_string(value.index()) + ",";
      body.signature += ";";
      body.nodes.push_back(std::move(n));
    }
    return body;
  }

  static OnnxNode constant(const std::string& name, const Tensor& value) {
    OnnxNode made;
    made.name = name;
    made.op = "Constant";
    made.outputs = {name};
    made.attributes["value"] = value;
    return made;
  }

  /// One function for instances of the same signature.
  void define(std::vector<Body>& bodies) {
    const Group* group = document_.find_group(bodies.front().scope.kind);
    const std::string title = group ? title_of(*group) : bodies.front().scope.kind;
    OnnxFunction made;
    made.name = unused(identifier(title), names_);
    made.domain = kDomain;
    made.opset = model_.opset;
    made.inputs = bodies.front().inputs;
    made.outputs = bodies.front().outputs;
    std::vector<std::map<std::string, OnnxAttribute>> given(bodies.size());
    std::set<std::string> taken;
    for (size_t i = 0; i < bodies.front().nodes.size(); ++i) {
      OnnxNode& n = bodies.front().nodes[i];
      for (const auto& [attribute, value] : n.attributes) {
        const auto is_same = [&](const Body& b) { return equal(b.nodes[i].attributes.at(attribute), value); };
        if (std::ranges::all_of(bodies, is_same)) continue;
        const std::string name = unused(identifier(n.name + "_" + attribute), taken);
        made.attributes.push_back(name);
        n.references[attribute] = name;
        for (size_t k = 0; k < bodies.size(); ++k) given[k][name] = bodies[k].nodes[i].attributes.at(attribute);
      }
    }
    made.nodes = bodies.front().nodes;
    GroupFunction function{made.name, title, {}, made.attributes};
    for (size_t k = 0; k < bodies.size(); ++k) {
      const std::string& path = bodies[k].scope.path;
      OnnxNode& call = *std::ranges::find_if(model_.graph.nodes,
                                             [&](const OnnxNode& n) { return n.domain == kDomain && n.name == path; });
      call.op = made.name;
      call.attributes = std::move(given[k]);
      function.instances.push_back(path);
    }
    model_.functions.push_back(std::move(made));
    done_.functions.push_back(std::move(function));
  }

  OnnxModel& model_;
  const Graph& document_;
  const std::set<std::string>& constants_;
  LocalFunctions done_;
  std::set<std::string> names_;  // of functions
  std::set<std::string> moved_;  // initializers that stand in functions now
};

}  // namespace

std::vector<OnnxScope> scopes_of(const Graph& document, const std::string& path) {
  std::vector<OnnxScope> scopes;
  const Graph* graph = &document;
  for (size_t begin = 0, end = path.find('/'); end != path.npos; begin = end + 1, end = path.find('/', begin)) {
    const Node* instance = graph->find(path.substr(begin, end - begin));
    const auto group = instance ? group_of(*instance) : std::nullopt;
    const Group* definition = group ? document.find_group(*group) : nullptr;
    if (!definition) break;
    scopes.push_back({path.substr(0, end), std::string(*group)});
    graph = &definition->graph;
  }
  return scopes;
}

LocalFunctions make_local_functions(OnnxModel& model, const Graph& document, const std::set<std::string>& constants) {
  return Functions(model, document, constants).run();
}

}  // namespace hw::interop
