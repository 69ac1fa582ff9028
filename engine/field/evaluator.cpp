#include "engine/field/evaluator.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <mutex>

#include "engine/evaluate/evaluation.h"

namespace hw {

namespace {

class LoweredField : public FieldEvaluator {
 public:
  LoweredField(Evaluation program, Channels channels, int64_t block)
      : program_(std::move(program)), channels_(channels), block_(static_cast<size_t>(block)) {
    for (const Port& input : program_.program().inputs)
      inputs_.emplace(input.name, Tensor::zeros(DType::f32, program_.program()[input.value].dims));
  }

  void continue_from(FieldEvaluator& before) override {
    auto& other = static_cast<LoweredField&>(before);  // there is no other kind
    const std::scoped_lock lock(mutex_, other.mutex_);
    program_.continue_from(other.program_);
  }

  Status set_weights(std::shared_ptr<const Weights> weights, uint64_t seed) override {
    const std::lock_guard lock(mutex_);
    return program_.set_weights(weights.get(), seed);
  }

  Result<std::vector<float>> evaluate(const FieldPoints& points, const std::atomic<bool>* cancel) override {
    const std::lock_guard lock(mutex_);
    const auto channels = static_cast<size_t>(info(channels_).count);
    std::vector<float> result(points.count * channels);
    for (size_t begin = 0; begin < points.count; begin += block_) {
      if (cancel && *cancel) return Error{codes::cancelled, "", "the evaluation was cancelled.", ""};
      const size_t count = std::min(points.count - begin, block_);
      for (auto& [input, tensor] : inputs_) {
        const std::span<const float> source = points.variables.at(input);
        const auto components = static_cast<size_t>(tensor.dims()[1]);
        assert(source.size() == points.count * components);
        std::memcpy(tensor.data(), source.data() + begin * components, count * components * sizeof(float));
        HW_CHECK(program_.write_input(input, tensor));
      }
      HW_CHECK(program_.run(cancel));
      HW_TRY(const Tensor out, program_.read(0));
      const Tensor values = out.to(DType::f32);
      std::copy_n(values.as<float>(), count * channels, result.data() + begin * channels);
    }
    return result;
  }

  Channels channels() const override { return channels_; }

  std::vector<std::string> parameters() const override {
    std::vector<std::string> names;
    for (const Param& param : program_.program().params) names.push_back(param.name);
    return names;
  }

 private:
  std::mutex mutex_;
  Evaluation program_;
  const Channels channels_;
  const size_t block_;
  std::map<std::string, Tensor> inputs_;
};

/// Error HW-G00x unless the program gives the channels at each of `block` points, from what the viewer has.
Status check_field(const Evaluation& program, const Field& field, int64_t block) {
  const std::string where = field.from.node + "." + field.from.socket;
  const Dims& dims = program.value(0).dims;
  if (dims.size() != 2 || dims[0] != block) {
    return Error{codes::not_a_field, where, "the wire " + to_string(dims) + " has no value for each position.",
                 "Wire something of shape [N, C] that depends on a position."};
  }
  HW_CHECK(check_channels(field.use.channels, dims[1], where, to_string(dims)));
  const std::vector<std::string>& variables = field.use.variables;
  for (const Port& input : program.program().inputs) {
    if (std::ranges::find(variables, input.name) != variables.end()) continue;
    std::string known;
    for (const std::string& variable : variables) known += (known.empty() ? "" : " or ") + variable;
    return Error{codes::not_a_field, where, "it depends on " + input.name + ", which this view does not have.",
                 "Show a wire that depends on " + known + "."};
  }
  return ok();
}

}  // namespace

std::optional<Field> field_into(const Graph& graph, const Node& viewer) {
  for (const SocketDecl& input : Registry::instance().find(viewer.type)->decl.inputs()) {
    const auto links = input.field ? graph.links_into(viewer.id, input.id) : std::vector<Link>();
    if (!links.empty()) return Field{{links[0].from, links[0].from_socket}, *input.field};
  }
  return std::nullopt;
}

Result<std::vector<float>> FieldEvaluator::evaluate(std::span<const std::array<float, 3>> positions,
                                                    std::span<const std::array<float, 3>> normals,
                                                    const std::atomic<bool>* cancel) {
  const auto flat = [](std::span<const std::array<float, 3>> points) {
    return points.empty() ? std::span<const float>() : std::span(points.front().data(), points.size() * 3);
  };
  return evaluate(FieldPoints{positions.size(), {{"position", flat(positions)}, {"normal", flat(normals)}}}, cancel);
}

Result<std::shared_ptr<FieldEvaluator>> FieldEvaluator::make(const Graph& graph, const Field& field,
                                                             const std::shared_ptr<Assets>& assets,
                                                             std::shared_ptr<Device> device, int64_t block) {
  EvaluationOptions options;
  for (const char* variable : {"position", "normal", "uv", "pixel", "x"}) options.domains[variable] = block;
  HW_TRY(Evaluation program, Evaluation::make(graph, std::span(&field.from, 1), *assets, std::move(device), options));
  HW_CHECK(check_field(program, field, block));
  return std::shared_ptr<FieldEvaluator>(std::make_shared<LoweredField>(std::move(program), field.use.channels, block));
}

Result<std::vector<std::array<float, 3>>> evaluate_colors(FieldEvaluator& field,
                                                          std::span<const std::array<float, 3>> positions,
                                                          std::span<const std::array<float, 3>> normals) {
  assert(field.channels() == Channels::color);
  HW_TRY(const std::vector<float> values, field.evaluate(positions, normals));
  std::vector<std::array<float, 3>> colors(positions.size());
  for (size_t i = 0; i < colors.size(); ++i) std::copy_n(values.data() + i * 3, 3, colors[i].data());
  return colors;
}

ColorField color_field(std::shared_ptr<FieldEvaluator> field) {
  if (!field) return {};
  return
      [field = std::move(field)](auto positions, auto normals) { return evaluate_colors(*field, positions, normals); };
}

}  // namespace hw
