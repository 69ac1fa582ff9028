#include "engine/precision/precision_planner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "engine/graph/check/validate.h"
#include "engine/precision/change_text.h"
#include "engine/precision/precision_measure.h"

namespace hw {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// A short run shows less, or by chance more, of what full length would: how far beyond the budget a probe may be.
constexpr double kProbeSlack = 2, kProbeNoise = 0.002;
constexpr double kTooSlow = 1.25;  // beyond this no combination makes up for it
constexpr size_t kTimedEnough = 16;
constexpr double kLeastGain = 0.005;  // of bytes or time; less is not worth a change

using Budget = PrecisionBudget::Kind;

size_t bytes_of(const PrecisionBytes& bytes, Budget kind) {
  return kind == Budget::loss ? bytes.training.total() : bytes.running;
}

struct Candidate {
  PrecisionConfig config;
  bool is_present = false;  // the graph as it is
  bool is_outside = false;  // of the space: what it costs says nothing of a config
  std::string text;
  Graph graph;
  PrecisionPlan plan;
  PrecisionBytes bytes;
  double time_ratio = 1, gain = 0;  // gain: predicted
};

/// A line for each Cast of the graph that loses in the plan, too: no config changes it, so that trials cannot show it.
std::vector<std::string> casts_that_stay(const Graph& graph, const Edits& edits) {
  Graph planned = graph;
  if (!apply_edits(planned, edits)) return {};
  Validator validator;
  validator.reset(planned);
  std::vector<std::string> notes;
  for (const auto& [id, node] : planned.nodes()) {
    if (node.type != "cast" || node.bypassed || !graph.find(id)) continue;
    const auto links = planned.links_into(id);
    if (links.size() != 1) continue;
    const auto from = validator.output_type(links.front().from, links.front().from_socket);
    const auto to = validator.output_type(id, "y");
    if (!from || !to || !info(from->dtype).is_float || embeds(from->dtype, to->dtype)) continue;
    notes.push_back(id + " stays a Cast " + std::string(name(from->dtype)) + " → " + std::string(name(to->dtype)) +
                    ", in full precision too: what it loses is in every trial.");
  }
  return notes;
}

class Planner {
 public:
  Planner(const Graph& graph, Assets& assets, const PlannerOptions& options, std::string trainer, PrecisionSpace space)
      : graph_(graph),
        assets_(assets),
        o_(options),
        trainer_(std::move(trainer)),
        space_(std::move(space)),
        measure_(
            assets, o_, train_settings(*graph.find(trainer_)).seed, [this](uint64_t work) { tick(work); },
            [this](const PrecisionBytes& bytes, const PairedTime& time) { return is_too_slow(bytes, time); }) {}

  Result<PrecisionProposal> run() {
    HW_TRY(const Candidate full, make(space_.full()));
    full_bytes_ = full.bytes;
    plan_work();
    say("training in full precision");
    HW_CHECK(measure_.train_full(full.graph));
    HW_CHECK(probe_levels());
    HW_CHECK(collect());
    HW_CHECK(decide());
    return finish();
  }

 private:
  struct Probe {
    double cost = 0, time_ratio = 1;
    bool passed = true;
  };
  struct Best {
    Candidate candidate;
    PrecisionOutcome outcome;
    double gain = 0;
  };

  Result<Candidate> make(const PrecisionConfig& config) const {
    Candidate c;
    c.config = config;
    c.graph = graph_;
    c.plan = space_.plan(config);
    HW_CHECK(apply_edits(c.graph, c.plan.edits));
    c.is_present = c.plan.edits.empty();
    c.text = space_.text(config);
    HW_TRY(c.bytes, precision_bytes(c.graph, assets_, o_.device));
    return c;
  }

  double bytes_ratio(const PrecisionBytes& bytes) const {
    return static_cast<double>(bytes_of(bytes, o_.budget.kind)) /
           static_cast<double>(bytes_of(full_bytes_, o_.budget.kind));
  }

  /// Share that is saved; 0 or less: nothing, or one saving is bought with slower and larger.
  double gain_of(double bytes, double time) const {
    if (bytes > 1 && time >= 1) return 0;
    if (o_.minimise == Minimise::bytes) return 1 - bytes;
    if (o_.minimise == Minimise::time) return 1 - time;
    return 1 - bytes * time;
  }
  /// What time surely is: less or more only beyond noise, and less only by what noise leaves of it.
  static double surely(const PairedTime& time) {
    return time.is_faster() ? time.ratio() + time.noise() : time.is_slower() ? time.ratio() : 1;
  }
  /// Seen while a run is timed: no need to go on.
  bool is_too_slow(const PrecisionBytes& bytes, const PairedTime& time) const {
    if (o_.minimise == Minimise::bytes || time.pairs() < kTimedEnough) return false;
    const double least = time.ratio() - 2 * time.noise();
    return least > kTooSlow && (o_.minimise == Minimise::time || bytes_ratio(bytes) * least > kTooSlow);
  }

  bool passes(const PrecisionOutcome& outcome) const { return outcome.cost <= o_.budget.limit; }

  /// The graph as it is, where no config is just that: Casts that do nothing, merged groups.
  Result<Candidate> make_present() const {
    Candidate c;
    c.config = space_.full();
    for (size_t g = 0; g < c.config.levels.size(); ++g) c.config.levels[g] = space_.level_now(g);
    c.config.pure = train_settings(*graph_.find(trainer_)).pure;
    c.is_present = c.is_outside = true;
    c.text = "the graph as it is";
    c.graph = graph_;
    HW_TRY(c.bytes, precision_bytes(graph_, assets_, o_.device));
    return c;
  }

  Status note(const Candidate& c, const PrecisionOutcome& outcome, bool is_final, std::string verdict) {
    trials_.push_back({c.text, is_final, outcome.is_measured, outcome.cost, outcome.cost_noise, outcome.side.bytes,
                       outcome.time, std::move(verdict)});
    return ok();
  }

  /// Each group alone at each level, with and without masters. What lies within a failed one is not tried.
  Status probe_levels() {
    std::vector<PrecisionConfig> singles;
    for (const PrecisionConfig& config : space_.all()) {
      const auto narrowed = std::count_if(config.levels.begin(), config.levels.end(), [](size_t l) { return l > 0; });
      if (narrowed == 1) singles.push_back(config);
    }
    for (const PrecisionConfig& config : singles) {
      Probe& probe = probes_[config];
      const bool hopeless = std::any_of(failed_.begin(), failed_.end(),
                                        [&](const PrecisionConfig& f) { return space_.is_within(config, f); });
      auto made = hopeless ? Result<Candidate>(Error{}) : make(config);
      if (!made) {  // what lies within a failed one, or does not run here
        probe.passed = false;
        continue;
      }
      say("trying " + space_.text(config));
      HW_TRY(const PrecisionOutcome outcome, measure_.probe(made->graph));
      const double limit =
          o_.budget.kind == Budget::error ? o_.budget.limit : kProbeSlack * o_.budget.limit + kProbeNoise;
      const double least = std::max(0.0, outcome.cost - (outcome.cost_noise < 1 ? outcome.cost_noise : 0));
      probe = {least, outcome.time.noise() < 1 ? outcome.time.ratio() : 1, least <= limit};
      if (!probe.passed) failed_.push_back(config);
      if (outcome.too_slow) probe.passed = false;
      HW_CHECK(note(*made, outcome, false,
                    outcome.too_slow ? "too slow"
                    : probe.passed   ? "goes on"
                                     : "costs too much"));
    }
    return ok();
  }

  /// Configs whose parts passed, the greatest predicted saving first; the graph as it is before all.
  Status collect() {
    for (const PrecisionConfig& config : space_.all()) {
      double cost = 0, time = 1;
      bool parts_passed = true, narrow = false;
      for (size_t g = 0; g < config.levels.size(); ++g) {
        if (config.levels[g] == 0) continue;
        PrecisionConfig single = space_.full();
        single.pure = config.pure;
        single.levels[g] = config.levels[g];
        if (!probes_.contains(single)) single.pure = false;  // nothing narrow in it has a master
        const Probe& probe = probes_.at(single);
        parts_passed = parts_passed && probe.passed;
        cost = o_.budget.kind == Budget::loss ? cost + probe.cost : std::hypot(cost, probe.cost);
        time *= probe.time_ratio;
        narrow = true;
      }
      const bool present = narrow && space_.plan(config).edits.empty();
      const double limit = o_.budget.kind == Budget::loss ? kProbeSlack * o_.budget.limit + kProbeNoise : kNoLimit;
      if (!present && (!narrow || !parts_passed || cost > limit)) continue;
      auto made = make(config);
      if (!made) continue;
      made->time_ratio = time;
      made->gain = gain_of(bytes_ratio(made->bytes), time);
      if (present || made->gain >= kLeastGain) candidates_.push_back(std::move(*made));
    }
    const bool is_listed =
        std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.is_present; });
    if (!is_listed && !space_.plan(space_.full()).edits.empty()) {
      HW_TRY(Candidate present, make_present());
      candidates_.push_back(std::move(present));
    }
    const auto rank = [](const Candidate& c) { return std::pair(!c.is_present, -c.gain); };
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
    return ok();
  }

  Status decide() {
    int measured = 0;
    for (Candidate& c : candidates_) {
      // Predictions are rough: one that promises a little less than what is there may still be better.
      const bool worth = !best_ || c.gain >= 0.9 * best_->gain;
      const bool hopeless = std::any_of(failed_.begin(), failed_.end(),
                                        [&](const PrecisionConfig& f) { return space_.is_within(c.config, f); });
      if (!c.is_present && (!worth || hopeless)) continue;
      if (measured++ == o_.most_finals) break;
      say("measuring " + c.text + " at full length");
      HW_TRY(PrecisionOutcome outcome, measure_.decide(c.graph, !c.is_present));
      const double gain = gain_of(bytes_ratio(c.bytes), surely(outcome.time));
      if (outcome.too_slow) {
        HW_CHECK(note(c, outcome, true, "too slow"));
        continue;
      }
      if (!passes(outcome)) {
        if (!c.is_outside) failed_.push_back(c.config);
        HW_CHECK(note(c, outcome, true, "beyond the budget"));
        continue;
      }
      HW_TRY(const std::string rises, repeat(c, outcome));
      if (!passes(outcome)) {
        if (!c.is_outside) failed_.push_back(c.config);
        HW_CHECK(note(c, outcome, true, "beyond the budget" + rises));
        continue;
      }
      if (c.is_present) present_ = outcome;
      if (gain < kLeastGain) {
        HW_CHECK(note(c, outcome, true, "saves nothing" + rises));
        continue;
      }
      if (!c.is_present && present_ && is_worse(c.bytes, outcome)) {
        HW_CHECK(note(c, outcome, true, "larger and slower than the graph as it is" + rises));
        continue;
      }
      HW_CHECK(note(c, outcome, true, "within the budget" + rises));
      if (!best_ || gain > best_->gain + (best_->candidate.is_present ? kLeastGain : 0))
        best_ = Best{std::move(c), std::move(outcome), gain};
    }
    return ok();
  }

  /// Where the budget asks for it: the mean over other seeds of training. " (+0.30 %, −1.20 %)", or nothing.
  Result<std::string> repeat(const Candidate& c, PrecisionOutcome& outcome) {
    std::string text;
    if (o_.repeats < 2 || o_.budget.kind == Budget::error) return text;
    say("repeating " + c.text + " with other seeds");
    HW_TRY(const std::vector<double> rises, measure_.repeat(c.graph, outcome));
    for (const double rise : rises) text += (text.empty() ? " (" : ", ") + change_text(1 + rise);
    return text + ")";
  }

  /// Larger and, beyond noise, slower than the graph as it is.
  bool is_worse(const PrecisionBytes& bytes, const PrecisionOutcome& outcome) const {
    const double slower = outcome.time.ratio() / present_->time.ratio() - 1;
    return bytes_of(bytes, o_.budget.kind) > bytes_of(present_->side.bytes, o_.budget.kind) &&
           slower > -(outcome.time.noise() + present_->time.noise());
  }

  Result<PrecisionProposal> finish() {
    PrecisionProposal p;
    p.full = measure_.full();
    p.trials = std::move(trials_);
    p.steps = o_.steps;
    p.seed = train_settings(*graph_.find(trainer_)).seed;
    p.held_out_seed = o_.held_out_seed.value_or(p.seed + 1);
    tick(work_);
    if (!best_) {
      p.why = "Nothing within the budget (" + to_string(o_.budget) + ") is smaller or faster than full precision.";
      // A graph beyond the budget goes back to full precision.
      const PrecisionConfig full = space_.full();
      const PrecisionPlan plan = space_.plan(full);
      p.plan = p.full;
      p.config = space_.text(full);
      p.found = !plan.edits.empty();
      p.edits = plan.edits;
      p.notes = plan.notes;
      std::ranges::move(casts_that_stay(graph_, p.edits), std::back_inserter(p.notes));
      if (p.found) p.why += " The graph as it is, is not full precision; the plan is.";
      return p;
    }
    p.config = best_->candidate.text;
    p.plan = best_->outcome.side;
    p.cost = best_->outcome.cost;
    p.cost_noise = best_->outcome.cost_noise;
    p.full.ms_per_step = best_->outcome.time.base_ms();  // of the pairs that the ratio is of
    p.time = best_->outcome.time;
    p.found = !best_->candidate.is_present;
    p.edits = best_->candidate.plan.edits;
    p.notes = best_->candidate.plan.notes;
    std::ranges::move(casts_that_stay(graph_, p.edits), std::back_inserter(p.notes));
    if (!p.found) p.why = "The graph as it is, is the cheapest within the budget that was found.";
    return p;
  }

  void plan_work() {
    size_t singles = 0;
    for (const PrecisionGroup& group : space_.groups()) singles += group.levels.size() - 1;
    const uint64_t modes = o_.budget.kind == Budget::loss ? 2 : 1;
    work_ = o_.steps + modes * singles * measure_.probe_work() +
            static_cast<uint64_t>(o_.most_finals) * measure_.decide_work() +
            2 * static_cast<uint64_t>(o_.repeats - 1) * o_.steps;
  }

  void say(std::string what) {
    what_ = std::move(what);
    tick(0);
  }
  void tick(uint64_t work) {
    done_ += work;
    const double share = work_ ? static_cast<double>(done_) / static_cast<double>(work_) : 0;
    if (o_.progress) o_.progress({std::min(1.0, share), what_});
  }

  const Graph& graph_;
  Assets& assets_;
  const PlannerOptions o_;
  const std::string trainer_;
  const PrecisionSpace space_;
  uint64_t work_ = 0, done_ = 0;
  std::string what_;
  PrecisionMeasure measure_;
  PrecisionBytes full_bytes_;
  std::map<PrecisionConfig, Probe> probes_;
  std::vector<PrecisionConfig> failed_;
  std::vector<Candidate> candidates_;
  std::optional<PrecisionOutcome> present_;  // the graph as it is, where that is within the budget
  std::optional<Best> best_;
  std::vector<PlannerTrial> trials_;
};

}  // namespace

std::string_view name(Minimise minimise) {
  constexpr std::string_view names[] = {"both", "bytes", "time"};
  return names[static_cast<size_t>(minimise)];
}

std::optional<Minimise> minimise_from_name(std::string_view text) {
  for (const Minimise minimise : {Minimise::both, Minimise::bytes, Minimise::time}) {
    if (name(minimise) == text) return minimise;
  }
  return std::nullopt;
}

double PrecisionProposal::bytes_ratio(Budget kind) const {
  return static_cast<double>(bytes_of(plan.bytes, kind)) / static_cast<double>(bytes_of(full.bytes, kind));
}

Result<PrecisionProposal> plan_precision(const Graph& graph, Assets& assets, const PlannerOptions& options) {
  HW_TRY(const std::string trainer, find_trainer(graph));
  HW_CHECK(plan_training(graph, assets));
  PlannerOptions o = options;
  if (o.steps == 0) o.steps = static_cast<uint64_t>(train_settings(*graph.find(trainer)).steps);
  if (o.probe_steps == 0) o.probe_steps = std::clamp<uint64_t>(o.steps / 10, 20, 100);
  o.probe_steps = std::min(o.probe_steps, o.steps);
  HW_TRY(PrecisionSpace space, PrecisionSpace::make(graph, trainer, o.budget.kind == Budget::loss));
  return Planner(graph, assets, o, trainer, std::move(space)).run();
}

}  // namespace hw
