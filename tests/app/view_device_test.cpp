// What the views show is computed on the device that is chosen for runs.
#include <gtest/gtest.h>

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/views/field_model.h"
#include "app/models/views/picture_model.h"
#include "app/models/views/plot_model.h"
#include "engine/devices/devices.h"
#include "tests/app/support.h"
#include "tests/engine/quad_assets.h"

namespace hw::app::testing {
namespace {

/// A field of colour, shown by each of the three views; the plot shows it of random points.
Edits three_views() {
  return {AddNode{node("mesh", "mesh_source", {{"path", std::string("quad.obj")}})},
          AddNode{node("photo", "image_source", {{"path", std::string("any")}})},
          AddNode{node("surface", "surface_sampler")},
          AddNode{node("pixels", "image_sampler")},
          AddNode{node("random", "random", {{"shape", std::vector<double>{64, 3}}})},
          AddNode{node("colour", "mlp", {{"width", int64_t{64}}})},
          AddNode{node("of_pixel", "mlp")},
          AddNode{node("of_random", "mlp", {{"width", int64_t{64}}})},
          AddNode{node("viewport", "viewport")},
          AddNode{node("picture", "image_view")},
          AddNode{node("plot", "plot_view")},
          AddLink{{"mesh", "mesh", "surface", "mesh"}},
          AddLink{{"mesh", "mesh", "viewport", "mesh"}},
          AddLink{{"surface", "position", "colour", "x"}},
          AddLink{{"colour", "y", "viewport", "field"}},
          AddLink{{"photo", "image", "pixels", "image"}},
          AddLink{{"photo", "image", "picture", "image"}},
          AddLink{{"pixels", "position", "of_pixel", "x"}},
          AddLink{{"of_pixel", "y", "picture", "field"}},
          AddLink{{"random", "y", "of_random", "x"}},
          AddLink{{"of_random", "y", "plot", "a"}}};
}

using Places = std::vector<std::array<float, 3>>;

struct OnDevice {
  Places colours;
  std::vector<double> line;
};

class ViewDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(d.push("Fill", three_views()));
    for (int i = 0; i < 50; ++i) places.push_back({static_cast<float>(i) / 50, 0.3f, 0.7f});
  }

  /// What the engine makes there.
  OnDevice made(const std::string& device) {
    OnDevice on;
    const auto field = FieldEvaluator::make(d.graph(), *field_into(d.graph(), *d.graph().find("viewport")), assets,
                                            *make_device(device));
    EXPECT_TRUE(field) << field.error().text();
    EXPECT_TRUE((*field)->set_weights(nullptr, 0));
    on.colours = *evaluate_colors(**field, places, places);
    const auto plot = PlotEvaluator::make(d.graph(), *find_plot_view(d.graph()), *assets, *make_device(device));
    EXPECT_TRUE(plot) << plot.error().text();
    on.line = (*plot)->evaluate(nullptr, 0)->at(0).y;
    return on;
  }

  Document d;
  std::shared_ptr<Assets> assets = std::make_shared<test::QuadAssets>();
  RunModel run{d, assets};
  Places places;
};

TEST_F(ViewDevice, IsThatOfRuns) {
  const OnDevice cpu = made("cpu"), ref = made("ref");
  ASSERT_NE(cpu.colours, ref.colours) << "or their bits show nothing";
  ASSERT_NE(cpu.line, ref.line);

  FieldModel field(d, run, assets);
  PlotModel plot(d, run, assets);
  PictureModel picture(d, run, assets);
  int pictures = 0;
  QObject::connect(&picture, &PictureModel::contentChanged, &picture, [&] { ++pictures; });
  field.setWatched(true);
  plot.setWatched(true);
  picture.setWatched(true);
  const auto shown = [&](const OnDevice& wanted) {
    const auto same = [&] {
      if (!field.field() || plot.empty() || !picture.hasPicture()) return false;
      const auto colours = (*field.field())(places, places);
      return colours && *colours == wanted.colours && plot.lines()->at(0).y == wanted.line;
    };
    return wait_for(same, 30'000);
  };
  EXPECT_TRUE(shown(cpu)) << to_std(field.hint()) << to_std(plot.hint()) << to_std(picture.hint());
  const int before = pictures;
  run.setDevice("ref");
  EXPECT_TRUE(shown(ref)) << to_std(field.hint()) << to_std(plot.hint());
  EXPECT_TRUE(wait_for([&] { return pictures > before; }));
  run.setDevice("cpu");
  EXPECT_TRUE(shown(cpu));
}

TEST_F(ViewDevice, AShaderOfTheViewportIsMadeWhereOneIsWanted) {
  FieldModel field(d, run, assets);
  field.setWatched(true);
  ASSERT_TRUE(wait_for([&] { return field.field() != nullptr; }));
  EXPECT_EQ(field.gpuField(), nullptr);
  field.setShader(true);
  ASSERT_TRUE(wait_for([&] { return field.gpuField() != nullptr; }, 30'000)) << to_std(field.shaderProblem());
  const auto shader = field.gpuField()->shader;
  EXPECT_NE(shader->text.find("vec3 field(vec3"), std::string::npos);
  const auto words = field.gpuField()->weights();
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_EQ(words->size(), shader->words);
  EXPECT_GT(shader->words, 3u * 64);

  // Between two casts stand whole numbers, which no shader has: the CPU goes on, and it is said why.
  ASSERT_TRUE(
      d.push("Whole", {AddNode{node("whole", "cast", {{"to", std::string("i32")}})},
                       AddNode{node("back", "cast", {{"to", std::string("f32")}})},
                       AddLink{{"colour", "y", "whole", "x"}}, AddLink{{"whole", "y", "back", "x"}},
                       RemoveLink{{"colour", "y", "viewport", "field"}}, AddLink{{"back", "y", "viewport", "field"}}}));
  ASSERT_TRUE(wait_for([&] { return !field.shaderProblem().isEmpty(); }, 30'000));
  EXPECT_TRUE(field.shaderProblem().contains("i32")) << to_std(field.shaderProblem());
  EXPECT_EQ(field.gpuField(), nullptr);
  EXPECT_NE(field.field(), nullptr);
  EXPECT_TRUE(field.hint().isEmpty()) << to_std(field.hint());
  field.setShader(false);
  EXPECT_TRUE(wait_for([&] { return field.shaderProblem().isEmpty(); }));
}

}  // namespace
}  // namespace hw::app::testing
