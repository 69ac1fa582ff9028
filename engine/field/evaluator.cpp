#include "engine/field/evaluator.h"

#include <algorithm>
#include <cassert>
#include <mutex>

#include "engine/plan/write_weights.h"

namespace hw {

namespace {

class LoweredField : public FieldEvaluator {
 public:
  Status prepare(const Graph& graph, const SocketRef& field, std::shared_ptr<Assets> assets,
                 const std::vector<std::string>& variables, int64_t block) {
    block_ = block;
    LowerOptions options;
    for (const char* variable : {"position", "normal", "uv", "pixel", "x"}) options.domains[variable] = block;
    HW_TRY(LoweredGraph lowered, lower(graph, std::span(&field, 1), options, *assets));
    const Val* value = std::get_if<Val>(&lowered.sockets.at(field));
    const std::string where = field.node + "." + field.socket;
    if (!value)
      return Error{codes::kind_mismatch, where, "this wire carries no tensor, so it cannot be shown as a field.", ""};
    const Value& type = (*lowered.program)[value->id];
    if (type.dims.size() != 2 || type.dims[0] != block) {
      return Error{codes::not_a_field, where, "the wire " + to_string(type.dims) + " has no value for each position.",
                   "Wire something of shape [N, C] that depends on a position."};
    }
    output_ = value->id;
    channels_ = static_cast<int>(type.dims[1]);
    lowered.program->outputs.push_back({"field", output_});
    program_ = lowered.program;
    for (const Port& input : program_->inputs) {
      if (std::find(variables.begin(), variables.end(), input.name) == variables.end()) {
        std::string known;
        for (const std::string& variable : variables) known += (known.empty() ? "" : " or ") + variable;
        return Error{codes::not_a_field, where, "it depends on " + input.name + ", which this view does not have.",
                     "Show a wire that depends on " + known + "."};
      }
      inputs_.emplace(input.name, Tensor::zeros(DType::f32, (*program_)[input.value].dims));
    }
    HW_TRY(device_, make_device("cpu"));
    return ok();
  }

  Status set_weights(std::shared_ptr<const Weights> weights, uint64_t seed) override {
    const std::lock_guard lock(mutex_);
    const auto& params = program_->params;
    const bool complete =
        weights && std::all_of(params.begin(), params.end(), [&](const Param& p) { return weights->contains(p.name); });
    if (!states_ || seed != seed_ || (overwritten_ && !complete)) {
      HW_TRY(states_, device_->prepare_states(*program_, nullptr, seed, nullptr));
      HW_TRY(executable_, device_->compile(program_, states_, std::span(&output_, 1)));
      seed_ = seed;
      overwritten_ = false;
    }
    if (!weights) return ok();
    overwritten_ = true;
    HW_CHECK(write_weights(*program_, *states_, *weights));
    return ok();
  }

  Result<std::vector<float>> evaluate(const FieldPoints& points, const std::atomic<bool>* cancel) override {
    const std::lock_guard lock(mutex_);
    assert(executable_ && "set_weights comes first");
    std::vector<float> result(points.count * static_cast<size_t>(channels_));
    for (size_t begin = 0; begin < points.count; begin += static_cast<size_t>(block_)) {
      if (cancel && *cancel) return Error{codes::cancelled, "", "the evaluation was cancelled.", ""};
      const size_t count = std::min(points.count - begin, static_cast<size_t>(block_));
      for (auto& [input, tensor] : inputs_) {
        const std::span<const float> source = points.variables.at(input);
        const auto components = static_cast<size_t>(tensor.dims()[1]);
        assert(source.size() == points.count * components);
        std::memcpy(tensor.data(), source.data() + begin * components, count * components * sizeof(float));
        HW_CHECK(executable_->write_input(input, tensor));
      }
      StepInputs step;
      step.seed = seed_;
      step.cancel = cancel;
      HW_CHECK(executable_->run(step));
      HW_TRY(const Tensor out, executable_->read(output_));
      const Tensor values = out.to(DType::f32);
      std::copy_n(values.as<float>(), count * static_cast<size_t>(channels_),
                  result.begin() + static_cast<std::ptrdiff_t>(begin * static_cast<size_t>(channels_)));
    }
    return result;
  }

  int channels() const override { return channels_; }

  std::vector<std::string> parameters() const override {
    std::vector<std::string> names;
    for (const Param& param : program_->params) names.push_back(param.name);
    return names;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
  std::map<std::string, Tensor> inputs_;
  ValueId output_ = kNoValue;
  int64_t block_ = 0;
  int channels_ = 0;
  uint64_t seed_ = 0;
  bool overwritten_ = false;  // states hold weights that were given
};

}  // namespace

Result<std::vector<float>> FieldEvaluator::evaluate(std::span<const std::array<float, 3>> positions,
                                                    std::span<const std::array<float, 3>> normals,
                                                    const std::atomic<bool>* cancel) {
  const auto flat = [](std::span<const std::array<float, 3>> points) {
    return points.empty() ? std::span<const float>() : std::span(points.front().data(), points.size() * 3);
  };
  return evaluate(FieldPoints{positions.size(), {{"position", flat(positions)}, {"normal", flat(normals)}}}, cancel);
}

Result<std::shared_ptr<FieldEvaluator>> FieldEvaluator::make(const Graph& graph, const SocketRef& field,
                                                             std::shared_ptr<Assets> assets, int64_t block,
                                                             const std::vector<std::string>& variables) {
  auto made = std::make_shared<LoweredField>();
  HW_CHECK(made->prepare(graph, field, std::move(assets), variables, block));
  return std::shared_ptr<FieldEvaluator>(std::move(made));
}

Result<std::vector<std::array<float, 3>>> evaluate_colors(FieldEvaluator& field,
                                                          std::span<const std::array<float, 3>> positions,
                                                          std::span<const std::array<float, 3>> normals) {
  HW_TRY(const std::vector<float> values, field.evaluate(positions, normals));
  const auto channels = static_cast<size_t>(field.channels());
  std::vector<std::array<float, 3>> colors(positions.size());
  for (size_t i = 0; i < colors.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) colors[i][c] = values[i * channels + std::min(c, channels - 1)];
  }
  return colors;
}

ColorField color_field(std::shared_ptr<FieldEvaluator> field) {
  if (!field) return {};
  return
      [field = std::move(field)](auto positions, auto normals) { return evaluate_colors(*field, positions, normals); };
}

}  // namespace hw
