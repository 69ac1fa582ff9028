#include "engine/gradient/jacobian.h"

#include <algorithm>
#include <cmath>

#include "engine/devices/devices.h"
#include "engine/evaluate/compile_evaluation.h"
#include "engine/graph/near_nodes.h"

namespace hw {
namespace {

Error unsupported(const std::string& where, std::string reason) {
  return {codes::unsupported, where, std::move(reason), "Look at a smaller node: an Expression, a function."};
}

/// A program with its device, ready to run.
struct Running {
  std::shared_ptr<Device> device;
  std::unique_ptr<Executable> executable;

  static Result<Running> make(const std::shared_ptr<const Program>& program, const JacobianOptions& o) {
    Running r;
    HW_TRY(r.device, make_device(o.device));
    const Lacking lacking = o.partial_weights ? Lacking::initial : Lacking::refused;
    HW_TRY(CompiledEvaluation compiled,
           compile_evaluation(program, *r.device, {nullptr, o.seed, o.weights.get(), lacking}));
    r.executable = std::move(compiled.executable);
    return r;
  }
  Status run(const JacobianOptions& o) {
    StepInputs step;
    step.seed = o.seed;
    step.cancel = o.cancel;
    return executable->run(step);
  }
};

/// One wired input: its values, and the socket that stands for it in the graph of the node alone.
struct NodeInput {
  std::string socket;
  SocketRef source;
  Tensor values;
};

/// In the order of the sockets.
std::vector<Link> wires_into(const Graph& graph, const std::string& node, const Declaration& declared) {
  std::vector<Link> links;
  for (const SocketDecl& socket : declared->inputs())
    for (const Link& link : graph.links_into(node, socket.id)) links.push_back(link);
  return links;
}

Result<std::vector<NodeInput>> inputs_of(const Graph& graph, const std::string& node, const std::vector<Link>& links,
                                         Assets& assets, const JacobianOptions& o) {
  std::vector<SocketRef> sources;
  for (const Link& link : links) sources.push_back({link.from, link.from_socket});
  HW_TRY(const LoweredGraph lowered, lower(graph, sources, {}, assets));
  std::vector<Val> values;
  for (const Link& link : links) {
    const Val* value = std::get_if<Val>(&lowered.sockets.at({link.from, link.from_socket}));
    if (!value) return unsupported(node + "." + link.to_socket, "this wire carries no tensor.");
    lowered.program->outputs.push_back({node + "." + link.to_socket, value->id});
    values.push_back(*value);
  }
  HW_TRY(Running running, Running::make(lowered.program, o));
  HW_CHECK(running.run(o));
  std::vector<NodeInput> fed;
  for (size_t i = 0; i < links.size(); ++i) {
    HW_TRY(Tensor tensor, running.executable->read(values[i].id));
    fed.push_back({links[i].to_socket, {"input_" + std::to_string(i), links[i].from_socket}, std::move(tensor)});
  }
  return fed;
}

/// The node alone, each of its inputs from a node of its own: one wired to two inputs counts in both by itself.
Graph alone(const Graph& graph, const std::string& node, const std::vector<Link>& links,
            const std::vector<NodeInput>& fed) {
  Graph g;
  g.add_node(*graph.find(node));
  if (const Node* owner = graph.find(graph.find(node)->tie)) g.add_node(*owner);
  for (size_t i = 0; i < links.size(); ++i) {
    Node source = *graph.find(links[i].from);
    source.id = fed[i].source.node;
    g.add_node(source);
    g.add_link({source.id, links[i].from_socket, node, links[i].to_socket});
  }
  return g;
}

Dims of_sample(const Dims& dims, bool sampled) {
  return sampled ? Dims(dims.begin() + 1, dims.end()) : dims;
}

/// Error HW-R002: one sample has more elements than are shown.
Status limited(const std::string& where, int64_t elements, int64_t most) {
  if (elements <= most) return ok();
  return unsupported(where, "one sample of it has " + std::to_string(elements) + " elements; at most " +
                                std::to_string(most) + " are shown.");
}

/// What the gradient of an output's elements is taken of.
struct Seeded {
  std::string socket, port;
  Val value;
  Dims dims;
  DType dtype;
};

class Rows {
 public:
  Rows(Jacobian& out, Running& running, const JacobianOptions& options)
      : out_(out), running_(running), options_(options) {}

  /// Takes the gradients of one output.
  Status add(const Seeded& output, const std::vector<Seeded>& all, const std::vector<NodeInput>& inputs,
             const std::vector<Val>& gradients, bool sampled) {
    const Dims rows = of_sample(output.dims, sampled);
    const int64_t count = element_count(rows);
    std::vector<std::vector<std::vector<double>>> found(inputs.size());  // input, row, element
    for (int64_t row = 0; row < count; ++row) {
      for (const Seeded& other : all) {
        std::vector<double> seed(static_cast<size_t>(element_count(other.dims)), 0.0);
        if (&other == &output) seed[static_cast<size_t>((sampled ? out_.sample : 0) * count + row)] = 1;
        HW_CHECK(running_.executable->write_input(other.port, Tensor::from_f64(other.dtype, other.dims, seed)));
      }
      HW_CHECK(running_.run(options_));
      for (size_t i = 0; i < inputs.size(); ++i) {
        found[i].emplace_back(static_cast<size_t>(inputs[i].values.size()), 0.0);
        if (!gradients[i]) continue;
        HW_TRY(const Tensor gradient, running_.executable->read(gradients[i].id));
        found[i].back() = gradient.to_f64();
      }
    }
    taken_.push_back({output.socket, rows, std::move(found)});
    return ok();
  }

  /// The blocks of all outputs.
  Status finish(const std::vector<NodeInput>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!info(inputs[i].values.dtype()).is_float) continue;
      const auto [begin, size] = span_of(inputs[i], i);
      HW_CHECK(limited(out_.node + "." + inputs[i].socket, static_cast<int64_t>(size), kMaxJacobianColumns));
      const std::vector<double> values = inputs[i].values.to_f64();
      const auto at = values.begin() + static_cast<int64_t>(begin);
      out_.inputs.push_back({inputs[i].socket, columns_of(inputs[i], size), {at, at + static_cast<int64_t>(size)}});
    }
    for (const Taken& output : taken_)
      for (size_t i = 0; i < inputs.size(); ++i)
        if (info(inputs[i].values.dtype()).is_float) add_block(output, inputs[i], i);
    return ok();
  }

 private:
  struct Taken {
    std::string socket;
    Dims rows;
    std::vector<std::vector<std::vector<double>>> gradient;  // input, row, element
  };

  /// The sample's own elements of an input, or all: where one that all samples share happens to have as many rows.
  std::pair<size_t, size_t> span_of(const NodeInput& input, size_t i) const {
    const Dims& dims = input.values.dims();
    const auto whole = static_cast<size_t>(input.values.size());
    if (dims.empty() || dims[0] != out_.samples || out_.samples < 2) return {0, whole};
    const size_t one = whole / static_cast<size_t>(dims[0]), first = static_cast<size_t>(out_.sample) * one;
    for (const Taken& output : taken_)
      for (const std::vector<double>& g : output.gradient[i])
        for (size_t k = 0; k < whole; ++k)
          if (std::isfinite(g[k]) && g[k] != 0 && (k < first || k >= first + one)) return {0, whole};
    return {first, one};
  }

  static Dims columns_of(const NodeInput& input, size_t size) {
    return of_sample(input.values.dims(), size != static_cast<size_t>(input.values.size()));
  }

  void add_block(const Taken& output, const NodeInput& input, size_t i) {
    const auto [begin, size] = span_of(input, i);
    JacobianBlock block{output.socket, input.socket, output.rows, columns_of(input, size), {}};
    for (const std::vector<double>& g : output.gradient[i])
      block.values.insert(block.values.end(), g.begin() + static_cast<int64_t>(begin),
                          g.begin() + static_cast<int64_t>(begin + size));
    out_.blocks.push_back(std::move(block));
  }

  Jacobian& out_;
  Running& running_;
  const JacobianOptions& options_;
  std::vector<Taken> taken_;
};

/// A derivative at NaN or Inf says nothing.
Status check_output(const Seeded& output, const Running& running, const Jacobian& of, bool sampled) {
  HW_TRY(const Tensor tensor, running.executable->read(output.value.id));
  const std::vector<double> values = tensor.to_f64();
  const int64_t count = element_count(of_sample(output.dims, sampled)), first = sampled ? of.sample * count : 0;
  const auto begin = values.begin() + first;
  if (std::all_of(begin, begin + count, [](double v) { return std::isfinite(v); })) return ok();
  return Error{codes::not_finite, of.node + "." + output.socket,
               "it is Inf or NaN" + (sampled ? " at sample " + std::to_string(of.sample) : std::string()) +
                   "; derivatives there say nothing.",
               "Look for the first bad value, or give other weights."};
}

}  // namespace

std::string component_name(const std::string& socket, const Dims& dims, int64_t k) {
  if (dims.size() == 1 && dims[0] <= 4) return socket + "." + "xyzw"[k];
  std::string text;
  for (size_t d = dims.size(); d-- > 0; k /= dims[d]) text = "[" + std::to_string(k % dims[d]) + "]" + text;
  return socket + text;
}

Result<Jacobian> jacobian(const Graph& graph, const std::string& node, Assets& assets, const JacobianOptions& o) {
  const Node* found = graph.find(node);
  const NodeType* type = found ? Registry::instance().find(found->type) : nullptr;
  if (!found) return no_such_node(graph, node, node);
  if (!type) return Error{codes::unknown_node, node, "its type is not known here.", "Name another node."};
  const Declaration declared = type->declared(found->params);
  for (const SocketDecl& input : declared->inputs()) {
    if (!input.upstream_of.empty())
      return unsupported(node, "its output depends on how its inputs are made, not on their values alone.");
  }
  const std::vector<Link> links = wires_into(graph, node, declared);
  HW_TRY(const std::vector<NodeInput> inputs, inputs_of(graph, node, links, assets, o));
  if (std::ranges::none_of(inputs, [](const NodeInput& input) { return info(input.values.dtype()).is_float; }))
    return unsupported(node, "it has no wired input of floats that a derivative could be taken by.");
  std::vector<SocketRef> wanted;
  for (const SocketDecl& output : declared->outputs()) wanted.push_back({node, output.id});
  LowerOptions options;
  for (const NodeInput& input : inputs) options.bindings[input.source] = input.values;
  HW_TRY(const LoweredGraph lowered, lower(alone(graph, node, links, inputs), wanted, options, assets));

  OpBuilder b(*lowered.program);
  std::vector<Seeded> outputs;
  Val loss;
  for (const SocketRef& socket : wanted) {
    const Val* value = std::get_if<Val>(&lowered.sockets.at(socket));
    if (!value || !info(b[*value].dtype).is_float) continue;
    const Value made = b[*value];
    const DType wide = made.dtype == DType::f64 ? DType::f64 : DType::f32;
    outputs.push_back({socket.socket, "seed." + socket.socket, *value, made.dims, made.dtype});
    lowered.program->outputs.push_back({"value." + socket.socket, value->id});
    const Val seed = b.input(outputs.back().port, made.dtype, made.dims);
    const Val part = b.sum_to(b.mul(*value, seed), {}, wide);
    loss = loss ? b.add(b.cast(loss, wide), part) : part;
  }
  HW_CHECK(b.status());
  if (outputs.empty()) return unsupported(node, "it has no output that a gradient could be taken of.");
  std::vector<Val> values;
  for (const NodeInput& input : inputs) values.push_back(std::get<Val>(lowered.sockets.at(input.source)));
  HW_TRY(const Gradients gradients, build_adjoint(b, loss, values));
  std::vector<Val> of_input;
  for (const Val v : values) {
    const auto gradient = gradients.of.find(v.id);
    of_input.push_back(gradient == gradients.of.end() ? Val{} : gradient->second);
    if (of_input.back()) lowered.program->outputs.push_back({"d" + std::to_string(v.id), of_input.back().id});
  }

  Jacobian out{node, o.sample, 1, {}, {}};
  const bool sampled =
      std::ranges::all_of(outputs, [&](const Seeded& s) { return !s.dims.empty() && s.dims[0] == outputs[0].dims[0]; });
  if (sampled) out.samples = outputs[0].dims[0];
  if (o.sample < 0 || o.sample >= out.samples)
    return Error{codes::bad_parameter, kSampleOption,
                 "there is no sample " + std::to_string(o.sample) + "; there are " + std::to_string(out.samples) + ".",
                 "Samples count from 0."};
  // Before the backward passes; whether all samples share an input shows only afterwards.
  for (const Seeded& output : outputs)
    HW_CHECK(limited(node + "." + output.socket, element_count(of_sample(output.dims, sampled)), kMaxJacobianRows));
  for (const NodeInput& input : inputs) {
    if (!info(input.values.dtype()).is_float) continue;
    const Dims& dims = input.values.dims();
    const bool split = !dims.empty() && dims[0] == out.samples;
    HW_CHECK(limited(node + "." + input.socket, element_count(of_sample(dims, split)), kMaxJacobianColumns));
  }
  HW_TRY(Running running, Running::make(lowered.program, o));
  for (const NodeInput& input : inputs)
    HW_CHECK(running.executable->write_input(input.source.node + "." + input.source.socket, input.values));
  Rows rows(out, running, o);
  for (const Seeded& output : outputs) HW_CHECK(rows.add(output, outputs, inputs, of_input, sampled));
  for (const Seeded& output : outputs) HW_CHECK(check_output(output, running, out, sampled));
  HW_CHECK(rows.finish(inputs));
  return out;
}

}  // namespace hw
