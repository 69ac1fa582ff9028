// Sum, Mean, Max and Min over axes: one node each, one declaration for all.
#include "engine/node/reduce_nodes.h"

namespace hw::nodes::reduce_functions {

using Axes = std::vector<int>;

template <ReduceFn fn>
Val extreme(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  return b.reduce(fn, x, axes, keep);
}

static constexpr std::array kRows{
    ReduceRow{
        .lowered = [](OpBuilder& b, Val x, const Axes& axes,
                      bool keep) { return over_batch(b, x, axes, b.sum(x, axes, keep)); },
        .id = "sum",
        .title = "Sum",
        .summary = "The sum over all elements, or along axes.",
        .doc = "`y = Σ x`. Summed in f32 or wider in fixed-size chunks, so the result does not depend on the number of "
               "threads; rounded once to the dtype of `x`. In training a sum over all elements, or over the "
               "axis N, is that of the whole step, of all its micro-batches.",
        .source = "NumPy, `numpy.sum`",
        .keywords = "total add reduce ReduceSum",
        .autocast = Autocast::f32},
    ReduceRow{
        .lowered =
            [](OpBuilder& b, Val x, const Axes& axes, bool keep) {
              const Val mean = axes.empty() && !keep ? b.mean(x) : b.mean(x, axes, keep);
              return reduces_samples(b, x, axes) ? b.batch_mean(mean) : mean;
            },
        .id = "mean",
        .title = "Mean",
        .summary = "The mean of all elements, or along axes.",
        .doc = "`y = Σ x / count`. Summed in f32 or wider in fixed-size chunks, so the result does not depend on the "
               "number of threads; rounded once to the dtype of `x`. In training a mean of all elements, or over the "
               "axis N, is that of the whole step, of all its micro-batches.",
        .source = "NumPy, `numpy.mean`",
        .keywords = "average reduce loss ReduceMean"},
    ReduceRow{.lowered = extreme<ReduceFn::max>,
              .id = "reduce_max",
              .title = "Max over Axes",
              .summary = "The largest of all elements, or along axes.",
              .doc = "`y = max x`. NaN wins. Elements that share the largest value share its gradient evenly.",
              .source = "NumPy, `numpy.amax`; gradient as in PyTorch, `torch.amax`",
              .keywords = "maximum largest reduce amax pool ReduceMax"},
    ReduceRow{.lowered = extreme<ReduceFn::min>,
              .id = "reduce_min",
              .title = "Min over Axes",
              .summary = "The smallest of all elements, or along axes.",
              .doc = "`y = min x`. NaN wins. Elements that share the smallest value share its gradient evenly.",
              .source = "NumPy, `numpy.amin`; gradient as in PyTorch, `torch.amin`",
              .keywords = "minimum smallest reduce amin ReduceMin"},
};

static const bool registered = ReduceNodes<kRows>::register_all();

}  // namespace hw::nodes::reduce_functions
