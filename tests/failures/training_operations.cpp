// A run that reads its picture, trains some steps, and keeps checkpoints.
#include "engine/io/asset/assets.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/train/session.h"
#include "tests/engine/io_temp.h"
#include "tests/failures/graphs.h"
#include "tests/failures/operations.h"

namespace hw::test {
namespace {

class Trains : public Trial {
 public:
  using Trial::Trial;
  void prepare() override {
    write_picture(file("p.png"));
    std::filesystem::create_directory(file("out"));
    session_ = std::make_unique<Session>(std::make_shared<FileAssets>(file("p.png").parent_path()), nullptr);
  }
  Status run() override {
    return guarded([&]() -> Status {
      CheckpointWriter writer(file("out"), 0);
      session_->checkpoint_every(2, [&](std::shared_ptr<const Checkpoint> c) { writer.write(std::move(c)); });
      session_->start(picture_graph(), "cpu");
      session_->wait();
      session_->checkpoint_every(0, nullptr);
      session_->wait();
      const Status kept = writer.finish();
      const auto s = session_->snapshot();
      EXPECT_TRUE(s->state == RunState::failed || s->state == RunState::finished) << name(s->state);
      if (s->state == RunState::failed) {
        if (!s->error) return ADD_FAILURE() << "it failed without a reason", ok();
        return *s->error;
      }
      EXPECT_EQ(s->step, 4u);
      return kept;
    });
  }
  void check(const Status& status) override {
    check_survival();
    if (status) {
      EXPECT_EQ(find_checkpoints(file("out")).back().step, 4u);
    }
    EXPECT_TRUE(leftovers(file("out")).empty());
    // Whatever it was, the session lives.
    session_->start(picture_graph(2), "cpu");
    session_->wait();
    const auto s = session_->snapshot();
    EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  }
  void check_survival() override {
    for (const CheckpointPlace& place : find_checkpoints(file("out"))) {
      const auto read = read_checkpoint(place.file);
      ASSERT_TRUE(read) << read.error().text();
      EXPECT_EQ(read->step, place.step);
      EXPECT_EQ(read->unsound, "");
    }
  }
  bool spares_caller() const override { return true; }

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace

std::vector<Operation> training_operations() {
  return {operation<Trains>("train")};
}

}  // namespace hw::test
