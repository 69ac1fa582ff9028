#include "engine/gradient/grad_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/devices/temp_estimate.h"
#include "engine/gradient/grad_block_check.h"
#include "engine/gradient/grad_directions.h"
#include "engine/gradient/grad_suspects.h"
#include "engine/gradient/stopped_gradients.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/widen_states.h"
#include "engine/plan/write_weights.h"
#include "engine/program/widen_program.h"

namespace hw {
namespace {

class Checker {
 public:
  Checker(const GradSubject& subject, const GradCheckOptions& options) : s_(subject), o_(options) {}

  Result<GradReport> run() {
    HW_CHECK(begin());
    GradReport report;
    report.seed = s_.seed;
    report.step = o_.step;
    report.loss = run_.loss;
    HW_TRY(report.results, check_blocks());
    report.stopped = report.results.size() < s_.blocks.size();
    if (report.stopped) return report;
    HW_CHECK(name_suspects(*s_.program, run_, o_, report));
    return report;
  }

  Result<GradDerivative> along_all() {
    HW_CHECK(begin());
    struct Moved {
      std::string name;
      Tensor here;
      std::vector<double> direction;
    };
    std::vector<Moved> all;
    GradDerivative found;
    for (const GradBlock& block : s_.blocks) {
      if (!block.is_parameter) continue;
      const std::string& name = (*run_.twin)[block.value].name;
      Moved moved{name, run_.states->read(name), {}};
      const std::vector<double> values = moved.here.to_f64();
      double largest = 0;
      for (const double v : values) largest = std::max(largest, std::abs(v));
      moved.direction.resize(values.size());
      Directions({}, static_cast<uint32_t>(all.size()), 0)
          .fill({}, largest == 0 ? 1 : largest, moved.direction.data(), values.size());
      if (block.gradient != kNoValue) {
        HW_TRY(const Tensor gradient, run_.adjoint->read(block.gradient));
        const std::vector<double> slope = gradient.to_f64();
        for (size_t i = 0; i < slope.size(); ++i) found.adjoint += block.unscale * slope[i] * moved.direction[i];
      }
      all.push_back(std::move(moved));
    }
    const auto loss_at = [&](double step) -> Result<double> {
      for (const Moved& moved : all) {
        std::vector<double> values = moved.here.to_f64();
        for (size_t i = 0; i < values.size(); ++i) values[i] += step * moved.direction[i];
        HW_CHECK(run_.states->write(moved.name, Tensor::from_f64(moved.here.dtype(), moved.here.dims(), values)));
      }
      HW_CHECK(run_.adjoint->run(run_.step));
      HW_TRY(const Tensor loss, run_.adjoint->read(s_.loss));
      return loss.to_f64().front();
    };
    HW_TRY(const double right, loss_at(o_.epsilon));
    HW_TRY(const double left, loss_at(-o_.epsilon));
    found.difference = (right - left) / (2 * o_.epsilon);
    found.error = std::abs(found.adjoint - found.difference) /
                  (o_.relative * std::max(std::abs(found.adjoint), std::abs(found.difference)));
    return found;
  }

 private:
  bool cancelled() const { return o_.cancel && *o_.cancel; }

  /// The results, or the error of the first block that has one, whatever the number of threads.
  Result<std::vector<GradResult>> check_blocks() {
    const size_t count = s_.blocks.size();
    std::vector<GradResult> results(count);
    std::vector<bool> is_done(count, false);
    std::mutex mutex;  // guards what follows, and calls of `progress`
    size_t begun = 0, failed = count;
    std::vector<double> shares(count, 0.0);  // that is done of each
    double done = 0;                         // their sum
    Status status = ok();
    parallel_tasks(static_cast<int64_t>(count), at_once_, [&](int64_t) {
      size_t k = 0;
      {
        const std::lock_guard lock(mutex);
        if (!status || cancelled()) return;
        k = begun++;
        if (o_.progress) o_.progress(done / static_cast<double>(count), s_.blocks[k].name);
      }
      const auto report_progress = [&](double share) {
        const std::lock_guard lock(mutex);
        done += share - std::exchange(shares[k], share);
        if (o_.progress && share > 0 && !cancelled()) o_.progress(done / static_cast<double>(count), s_.blocks[k].name);
      };
      Result<GradResult> result = GradBlockCheck(run_, o_, s_.blocks[k]).check(report_progress);
      if (result) {
        result->held = stopping_nodes(*s_.program, s_.loss, result->block.value);
        const std::lock_guard lock(mutex);
        results[k] = std::move(*result);
        is_done[k] = true;
        done += 1 - std::exchange(shares[k], 1);
        return;
      }
      const std::lock_guard lock(mutex);
      if (k < failed) failed = k, status = result.error();
    });
    if (status && begun < count) status = Error{codes::cancelled, "", "The check was cancelled.", ""};
    if (!status && o_.partial && status.error().code == codes::cancelled) {
      std::vector<GradResult> checked;
      for (size_t k = 0; k < count; ++k)
        if (is_done[k]) checked.push_back(std::move(results[k]));
      return checked;
    }
    HW_CHECK(status);
    return results;
  }

  /// Runs the adjoint; the loss must be finite.
  Status begin() {
    HW_TRY(const WideProgram wide, widen_program(*s_.program));
    run_.twin = wide.program;
    drawn_ = wide.drawn;
    run_.loss_id = s_.loss;
    HW_CHECK(start());
    HW_TRY(const Tensor loss, run_.adjoint->read(s_.loss));
    run_.loss = loss.to_f64().front();
    if (std::isfinite(run_.loss)) return ok();
    return Error{codes::not_finite, "", "the loss is not finite, so that it has no derivative.",
                 "Find where that begins: First Bad Value in the window, halfwire-cli first-bad in a terminal."};
  }
  /// The adjoint's run.
  Status start() {
    const Program& real = *s_.program;
    run_.step.seed = s_.seed;
    run_.step.step = o_.step;
    run_.step.cancel = o_.cancel;
    HW_TRY(const std::shared_ptr<Device> cpu, make_device("cpu"));
    HW_TRY(const std::shared_ptr<States> states, cpu->prepare_states(real, nullptr, s_.seed, nullptr));
    const Lacking lacking = o_.partial_weights ? Lacking::initial : Lacking::refused;
    if (o_.weights) HW_CHECK(give_weights(real, *states, *o_.weights, lacking));
    for (const auto& [name, tensor] : s_.states) HW_CHECK(states->write(name, tensor));
    HW_TRY(run_.device, make_device(o_.device));
    HW_CHECK(plan_room());
    HW_TRY(run_.states, widen_states(*run_.device, real, *run_.twin, *states));
    HW_TRY(run_.adjoint, run_.device->compile(run_.twin, run_.states, kept()));
    HW_CHECK(draw(*cpu, states));
    for (const auto& [name, tensor] : s_.inputs) HW_CHECK(run_.adjoint->write_input(name, widened(name, tensor)));
    return run_.adjoint->run(run_.step);
  }

  /// Sets at_once_: the blocks that fit beside the twin, all of whose values are kept; each goes forward from a moved
  /// value, and backward too where kinks need it. An error where not even one fits that goes forward.
  Status plan_room() {
    HW_CHECK(check_all_values({run_.twin}, *run_.device, nullptr));
    if (resident_bytes(o_.device)) return ok();
    MemoryEstimate needed;
    size_t temporaries = 0;
    for (const Value& v : run_.twin->values) {
      (v.storage == Storage::state ? needed.parameters : needed.activations) += bytes_of(v);
      if (v.storage == Storage::temp) temporaries += bytes_of(v);
    }
    needed.activations += temporaries;
    const size_t free = available_memory();
    HW_CHECK(check_fits(needed, free));
    if (is_pinned(*run_.twin, o_.device)) return ok();
    const size_t first = needed.total() + temporaries;  // with its backward pass
    const size_t more = (free - std::min(free, first)) / std::max<size_t>(2 * temporaries, 1);
    at_once_ = 1 + static_cast<int>(std::min(more, static_cast<size_t>(thread_count() - 1)));
    return ok();
  }

  /// What is read after the adjoint's run: gradients, and what a perturbed program reads at its boundary.
  std::vector<ValueId> kept() const {
    std::vector<ValueId> keep{s_.loss};
    for (const Instr& instr : run_.twin->instrs) keep.insert(keep.end(), instr.out.begin(), instr.out.end());
    return keep;
  }

  /// What the real program draws, in its own dtypes, becomes inputs of the twin.
  Status draw(Device& cpu, const std::shared_ptr<States>& states) {
    if (drawn_.empty()) return ok();
    auto drawing = std::make_shared<Program>(*s_.program);
    std::set<ValueId> draws;
    for (const Port& port : drawn_) draws.insert(port.value);
    std::erase_if(drawing->instrs, [&](const Instr& instr) {
      return std::none_of(instr.out.begin(), instr.out.end(), [&](ValueId out) { return draws.contains(out); });
    });
    drawing->inputs.clear();
    drawing->outputs = drawn_;
    HW_TRY(const auto drawn, cpu.compile(drawing, states));
    HW_CHECK(drawn->run(run_.step));
    for (const Port& port : drawn_) {
      HW_TRY(const Tensor value, drawn->read(port.value));
      HW_CHECK(run_.adjoint->write_input(port.name, value.to((*run_.twin)[port.value].dtype)));
    }
    return ok();
  }

  Tensor widened(const std::string& input, const Tensor& tensor) const {
    for (const Port& port : run_.twin->inputs)
      if (port.name == input) return tensor.to((*run_.twin)[port.value].dtype);
    return tensor;
  }

  const GradSubject& s_;
  const GradCheckOptions& o_;
  AdjointRun run_;
  std::vector<Port> drawn_;
  int at_once_ = 1;  // blocks that are checked at the same time
};

}  // namespace

std::string_view name(GradVerdict verdict) {
  constexpr std::string_view names[] = {"right", "at a kink", "wrong", "zero", "dead", "unclear"};
  return names[static_cast<size_t>(verdict)];
}

bool GradReport::any_wrong() const {
  return std::any_of(results.begin(), results.end(), [](const GradResult& r) {
    return r.verdict == GradVerdict::wrong || r.verdict == GradVerdict::zero;
  });
}

size_t GradReport::count(GradVerdict verdict) const {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(), [&](const GradResult& r) { return r.verdict == verdict; }));
}

size_t GradReport::count_held() const {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(), [](const GradResult& r) { return !r.held.empty(); }));
}

Result<GradReport> check_gradients(const GradSubject& subject, const GradCheckOptions& options) {
  return Checker(subject, options).run();
}

Result<GradDerivative> check_gradient_along_all(const GradSubject& subject, const GradCheckOptions& options) {
  return Checker(subject, options).along_all();
}

Result<GradReport> check_gradients_of(const GradSubject& subject, const std::set<std::string>& nodes,
                                      const GradCheckOptions& options) {
  GradSubject selected = subject;
  select_nodes(selected, nodes);
  if (selected.blocks.empty())
    return Error{codes::bad_parameter, nodes.empty() ? "" : *nodes.begin(),
                 "nothing that is selected reads, makes or holds anything that depends on a trained parameter.",
                 "Choose nodes between a trained parameter and the loss."};
  HW_TRY(GradReport report, check_gradients(selected, options));
  if (report.passed() || report.stopped) return report;
  HW_TRY(const GradReport all, check_gradients(subject, options));
  report.suspects = all.suspects;
  return report;
}

}  // namespace hw
