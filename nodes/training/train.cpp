// Train: the end of a training pipeline. engine/plan reads its settings; it lowers to nothing.
#include "engine/node/parameter_groups.h"
#include "engine/node/shapes.h"
#include "engine/program/optimisers.h"

namespace hw::nodes::train {

static void declare(NodeDecl& d) {
  d.title("Train").category("Training").summary("Minimises a loss: optimiser, learning rate, schedule and steps.");
  d.doc(
      "`loss` is one number. With p a parameter's master copy, g its gradient with gradient scales divided out, lr "
      "the rate of the step:\n\n- SGD: `m = momentum · m + g; p -= lr · m`, with `nesterov` `p -= lr · (g + momentum · "
      "m)`\n- Adam: `m = beta1 m + (1 - beta1) g; v = "
      "beta2 v + (1 - beta2) g²; p -= lr · m̂ / (√v̂ + epsilon)`, with the usual bias corrections; AdamW: weight "
      "decay applied to p directly\n"
      "- NAdam: Adam with Nesterov's momentum, `p -= lr · ((1 - μ) / (1 - Π) · g + μ' / (1 - μ' Π) · m) / (√v̂ + "
      "epsilon)`, where `μ = beta1 · (1 - 0.96^(0.004 t) / 2)` in step t, `μ'` that of the next step and `Π` the "
      "product "
      "of all so far\n"
      "- RAdam: Adam times `√((ρ - 4)(ρ - 2) ρ∞ / ((ρ∞ - 4)(ρ∞ - 2) ρ))`, where `ρ∞ = 2 / (1 - beta2) - 1` and `ρ = ρ∞ "
      "- "
      "2 t beta2^t / (1 - beta2^t)`; while `ρ ≤ 5`, the first five steps, `p -= lr · m̂`\n"
      "- Lion: `p -= lr · sign(beta1 · m + (1 - beta1) · g); m = beta2 · m + (1 - beta2) · g`, weight decay as "
      "AdamW's. "
      "Set `beta2` to 0.99, the learning rate 3 to 10 times smaller than Adam's, and weight decay as many times "
      "larger\n"
      "\n"
      "Of a Hash Grid's table Adam and AdamW update the elements whose gradient is not 0 "
      "alone: the others get neither momentum nor weight decay, and the bias correction counts the updates of each "
      "element, up to 65,535. The other optimisers update every element.\n\nIn step t of T, counted from 0, the "
      "learning rate is `learning_rate` times "
      "the schedule's factor: cosine `decay + (1 - decay) · (1 + cos(π t / T)) / 2`, exponential `decay^(t / T)`, step "
      "`decay^⌊t / decay_steps⌋`; so the share `decay` is reached after the last step, as PyTorch's schedulers count. "
      "In the first `warmup_steps` it is "
      "multiplied by `(t + 1) / warmup_steps`, too. one_cycle has neither: it rises from 1/25 to 1 over "
      "`warmup_steps`, "
      "or 30 % of the run where these are 0, and falls to 1/250,000 at the last step, both along a cosine. The same "
      "seed gives the same "
      "bits "
      "on one device.\n\nWith "
      "`accumulate` "
      "k, each step runs k batches, adds their gradients up in that order in f32 (f64), and updates once with their "
      "mean; "
      "together the batches draw the random numbers, and the samples, of one batch k times as large. What is a sum or "
      "a "
      "mean over samples is that of all of them; what else a node makes of several samples, such as a softmax along "
      "their axis or a batch norm, each batch has for itself, and a warning says so. `ema_decay` d "
      "keeps an "
      "exponential average of every trained parameter: `a = d' · a + (1 - d') · p` after each update, with `d' = "
      "min(d, "
      "(1 + t) / (10 + t))` at the update t, counted from 0; it starts at the parameter's first value.\n\nLoss scaling "
      "multiplies the "
      "gradient of the loss, so every gradient, and divides it out of the updates. The gradients of single numbers, "
      "such "
      "as that of the loss, are kept in f32 (f64). Static: by `loss_scale`. Dynamic: "
      "a step with an Inf or NaN in a parameter's gradient updates nothing and halves the factor (not below 1); "
      "`growth_interval` clean steps in a row double it. Weights narrower than f32 keep an f32 master copy, which the "
      "optimiser updates and the forward pass reads rounded; with `master_weights` none it updates the narrow weights "
      "themselves: updates smaller than half a unit in the last place are lost, which `--instruments` reports. Moments "
      "and averages are f32 or wider all the same: what they move by is smaller than that.");
  d.source(
      "PyTorch, `torch.optim`, `torch.cuda.amp.GradScaler`; Micikevicius et al. 2018 (loss scaling); Kingma and Ba "
      "2015 (Adam); Dozat 2016 (NAdam); Liu et al. 2020 (RAdam); Chen et al. 2023 (Lion); Loshchilov and Hutter 2017, "
      "2019 (cosine, AdamW); tiny-cuda-nn (Adam on tables); "
      "TensorFlow, `tf.train.ExponentialMovingAverage` with `num_updates`");
  d.keywords("optimiser optimizer adam adamw nadam radam lion sgd fit learn run learning rate schedule");
  d.role(Role::train);
  d.integer("steps", 1000).docs("Length of the run.").range(1, 1'000'000'000).logarithmic().in_unit("steps");
  std::vector<std::string> optimisers;
  for (const OptimiserRow& row : kOptimisers) optimisers.emplace_back(row.name);
  d.choice("optimiser", "adam", std::move(optimisers));
  d.real("learning_rate", 1e-2).docs("At the top of the schedule.").above(0).at_most(100).logarithmic().live();
  d.integer("seed", 0).docs("Of weights, samples and dropout.").range(0, 0x1p53);
  d.choice("schedule", "constant", {"constant", "cosine", "exponential", "step", "one_cycle"});
  d.real("decay", 0.1)
      .docs("Cosine: share at the end. Exponential: over the run, above 0. Step: each time.")
      .range(0, 1);
  d.integer("decay_steps", 1000).docs("Step schedule: steps between drops.").at_least(1).in_unit("steps");
  d.integer("warmup_steps", 0).docs("The rate rises from 0 over these.").at_least(0).in_unit("steps");
  d.real("beta1", 0.9).docs("All but SGD: memory of the mean gradient.").at_least(0).below(1);
  d.real("beta2", 0.999).docs("All but SGD: memory of the squared gradient; Lion: of the mean.").at_least(0).below(1);
  d.real("epsilon", 1e-8).docs("All but SGD and Lion: added to the root.").above(0).at_most(1).logarithmic();
  d.real("momentum", 0).docs("SGD.").at_least(0).below(1);
  d.boolean("nesterov", false).docs("SGD: looks ahead along the momentum.");
  d.real("weight_decay", 0).docs("AdamW and Lion: decoupled. Others: L2 penalty.").range(0, 1);
  d.choice("decayed", "all", {"all", "matrices"})
      .docs("What weight decay shrinks: all parameters, or those of two axes or more: neither biases nor norms.");
  d.text("parameter_groups", "")
      .docs(
          "Parameters with a learning rate or weight decay of their own, a line for each group: a pattern of names and "
          "what is different, such as `backbone/* rate=0.1 weight_decay=0`. `rate` multiplies the learning rate. The "
          "first "
          "line that holds a parameter counts.")
      .multiline();
  d.real("clip_norm", 0).docs("Largest norm of all gradients together; 0: no clipping.").at_least(0);
  d.integer("accumulate", 1).docs("Batches whose gradients make one update.").range(1, 65536).in_unit("batches");
  d.choice("master_weights", "f32", {"f32", "none"})
      .docs(
          "Of weights stored narrower: an f32 copy that the optimiser updates, or none (pure). Moments and averages "
          "are f32 in either case.");
  d.choice("loss_scaling", "none", {"none", "static", "dynamic"})
      .docs("Multiplies gradients so that they fit a narrow dtype.");
  d.real("loss_scale", 65536)
      .docs("Static: the factor; 128 is usual for f16. Dynamic: the first one.")
      .range(1, 0x1p126)
      .logarithmic();
  d.integer("growth_interval", 2000)
      .docs("Dynamic: clean steps before the factor doubles.")
      .range(1, 1'000'000'000)
      .in_unit("steps");
  d.real("ema_decay", 0).docs("Memory of the averaged weights; 0: no average.").at_least(0).below(1);
  d.boolean("use_averaged", true)
      .docs("With ema_decay: the averaged weights are what is shown, evaluated and saved.")
      .live();
  d.integer("evaluate_every", 500)
      .docs(
          "Steps between measurements of Accuracy and other metrics, on the validation split where there is one, else "
          "on "
          "the test split; 0: at the end alone.")
      .range(0, 1'000'000'000)
      .live()
      .in_unit("steps");
  d.boolean("best_weights", true)
      .docs("With a validation split: the weights of its lowest loss are what is shown and saved after the run.")
      .live();
  d.integer("patience", 0)
      .docs(
          "With a validation split: the run ends early after so many measurements without a lower loss; 0: it does "
          "not.")
      .range(0, 1'000'000)
      .live()
      .in_unit("measurements");
  d.integer("check_samples", 32)
      .docs("Samples a step of a gradient check, at most: source nodes draw fewer.")
      .range(1, 1 << 24)
      .logarithmic()
      .live();
  d.input("loss").dtype_group("T", running_floats()).docs("One number, such as the output of MSE.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.params().text("schedule") == "exponential" && a.params().real("decay") == 0)
    return Error{codes::bad_parameter, "decay", "must be above 0 with the exponential schedule, got 0.",
                 "0 leaves a learning rate of 0 after the first step; cosine can end at 0."};
  HW_CHECK(parse_parameter_groups(a.params().text("parameter_groups"), "parameter_groups"));
  const Shape& loss = a.shape("loss");
  for (const Axis& axis : loss.axes()) {
    if (axis.size != 1)
      return Error{codes::rank_mismatch, "loss", "a loss is one number [], got " + to_string(loss) + ".",
                   "Put a Mean or an MSE before it."};
  }
  return Shapes{};
}

static Lowered lower(OpBuilder&, const LowerArgs&) {
  return {};
}

static Examples examples() {
  const std::string why = "it has no outputs";
  return {
      {.name = "scalar", .inputs = {{"loss", DType::f32, {}, {}}}, .no_gradient_because = why},
      {.name = "one_element",
       .inputs = {{"loss", DType::f16, {1}, {}}},
       .params = {{"optimiser", std::string("sgd")}, {"momentum", 0.9}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::train

HW_NODE(train)
