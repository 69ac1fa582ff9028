#include "engine/train/rank_exchange.h"

#include <utility>

namespace hw {
namespace {

/// An error of one rank is that of all.
Status first_error(const std::vector<RankReport>& reports) {
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    if (std::optional<Error> error = reports[rank].error) {
      error->reason = "on rank " + std::to_string(rank) + ": " + error->reason;
      return *error;
    }
  }
  return ok();
}

}  // namespace

RankExchange::RankExchange(std::shared_ptr<Communicator> ranks, bool alone, const Program& program)
    : ranks_(std::move(ranks)), alone_(alone || ranks_->size() == 1) {
  for (ValueId v = 0; v < program.values.size() && !alone_; ++v) {
    const std::string& name = program.values[v].name;
    const bool is_sum = name.ends_with(kSum) || name.ends_with(kTouchedSum);
    if (program.values[v].storage == Storage::state && is_sum) sums_.push_back({name, v});
  }
}

Status RankExchange::order(uint64_t step, uint64_t steps, const TrainSettings& settings,
                           const std::function<RankStart()>& start) {
  if (alone_ || rank() != 0) return ok();
  RankOrder order{nullptr, step, steps, settings};
  if (!in_step_) order.start = std::make_shared<const RankStart>(start());
  in_step_ = true;
  HW_CHECK(ranks_->broadcast(std::move(order)));
  return ok();
}

Result<std::vector<RankReport>> RankExchange::gather_and_reduce(const Status& made) {
  if (!made) part_.report.error = made.error();
  HW_TRY(std::vector<RankReport> reports, ranks_->all_gather(std::move(part_.report)));
  HW_CHECK(first_error(reports));
  HW_CHECK(ranks_->all_reduce(part_.sums));
  return reports;
}

Status RankExchange::take_part_sums(const PartSums& sums, const Executable& from) {
  if (alone_) return ok();
  for (const auto& [name, value] : sums.sums) {
    HW_TRY(Tensor sum, from.read(value));
    part_.sums.push_back(std::move(sum));
  }
  return ok();
}

Status RankExchange::add_part_sums(Status made, const PartSums& sums, States& states) {
  if (alone_) return made;
  HW_TRY(const auto reports, gather_and_reduce(made));
  for (size_t k = 0; k < part_.sums.size(); ++k) HW_CHECK(states.write(sums.sums[k].first, part_.sums[k]));
  part_.sums.clear();
  return ok();
}

Status RankExchange::take_batch(const TrainingPlan& plan, const Executable& gradients) {
  if (alone_) return ok();
  HW_TRY(const Tensor loss, gradients.read(plan.loss));
  part_.report.losses.push_back(loss.to_f64().front());
  for (const ValueId value : plan.statistics) {
    HW_TRY(Tensor statistic, gradients.read(value));
    part_.report.statistics.push_back(std::move(statistic));
  }
  return ok();
}

Status RankExchange::take_gradients(const Executable& gradients) {
  for (const Sum& sum : sums_) {
    HW_TRY(Tensor tensor, gradients.read(sum.value));
    part_.sums.push_back(std::move(tensor));
  }
  return ok();
}

Status RankExchange::add_gradients(Status made, const TrainingPlan& plan, Executable* updates, States& states) {
  if (alone_) return made;
  HW_TRY(const std::vector<RankReport> reports, gather_and_reduce(made));
  for (size_t k = 0; k < sums_.size(); ++k) HW_CHECK(states.write(sums_[k].name, part_.sums[k]));
  part_.sums.clear();
  const size_t statistics = plan.statistics.size();
  for (uint64_t p = 0; p < plan.parts(); ++p)
    for (size_t k = 0; k < statistics; ++k) {
      const RankReport& report = reports[p / plan.micro_batches()];
      const Tensor& statistic = report.statistics[p % plan.micro_batches() * statistics + k];
      HW_CHECK(updates->write_input(plan.statistic_of(k, p), statistic));
    }
  for (const RankReport& report : reports)
    part_.losses.insert(part_.losses.end(), report.losses.begin(), report.losses.end());
  return ok();
}

}  // namespace hw
