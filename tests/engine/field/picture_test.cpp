// What an Image View shows: a field at pixel centres, and its distance from the original.
#include "engine/field/picture.h"

#include <cmath>

#include "engine/devices/devices.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

/// colour = (x, y, x) of the position in the picture.
Graph ramp(bool linear) {
  Graph g;
  const Edits edits{AddNode{node("photo", "image_source", {{"path", std::string("any")}})},
                    AddNode{node("sampler", "image_sampler")},
                    AddNode{node("x", "slice", {{"begin", int64_t{0}}, {"end", int64_t{1}}})},
                    AddNode{node("color", "concat")},
                    AddNode{node("view", "image_view", {{"linear", linear}})},
                    AddLink{link("photo.image", "sampler.image")},
                    AddLink{link("sampler.position", "x.x")},
                    AddLink{link("sampler.position", "color.a")},
                    AddLink{link("x.y", "color.b")},
                    AddLink{link("photo.image", "view.image")},
                    AddLink{link("color.y", "view.field")}};
  const auto applied = apply_edits(g, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

Result<std::shared_ptr<FieldEvaluator>> field_of(const Graph& g,
                                                 const std::vector<std::string>& variables = {"pixel"}) {
  Field wire = *find_image_view(g)->field;
  EXPECT_EQ(wire.use.variables, std::vector<std::string>{"pixel"});
  wire.use.variables = variables;
  HW_TRY(auto field, FieldEvaluator::make(g, wire, std::make_shared<QuadAssets>(), *make_device("cpu"), 16));
  HW_CHECK(field->set_weights(nullptr, 0));
  return field;
}

TEST(Picture, TheGraphIsValidAndItsSourcesAreFound) {
  const Graph g = ramp(true);
  Validator v;
  v.reset(g);
  EXPECT_TRUE(v.all().empty()) << to_string(v.all()[0]);
  EXPECT_TRUE(v.output_type("color", "y")->field);
  const auto view = find_image_view(g);
  ASSERT_TRUE(view && view->image && view->field);
  EXPECT_EQ(*view->image, (SocketRef{"photo", "image"}));
  EXPECT_TRUE(view->linear);
}

TEST(Picture, IsTheFieldAtPixelCentresTopRowFirst) {
  const auto field = field_of(ramp(false));
  ASSERT_TRUE(field) << field.error().text();
  const auto picture = picture_of(**field, 5, 7, false);
  ASSERT_TRUE(picture) << picture.error().text();
  ASSERT_EQ(picture->size(), 5u * 7 * 3);
  for (size_t y = 0; y < 7; ++y) {
    for (size_t x = 0; x < 5; ++x) {
      const float* colour = picture->data() + (y * 5 + x) * 3;
      EXPECT_FLOAT_EQ(colour[0], (static_cast<float>(x) + 0.5f) / 5);
      EXPECT_FLOAT_EQ(colour[1], (static_cast<float>(y) + 0.5f) / 7);
      EXPECT_FLOAT_EQ(colour[2], colour[0]);
    }
  }
  const auto encoded = picture_of(**field, 5, 7, true);
  ASSERT_TRUE(encoded);
  EXPECT_NEAR((*encoded)[0], 0.3491902, 1e-5) << "sRGB of 0.1";
}

TEST(Picture, AFieldOfAnotherVariableIsRefused) {
  const auto field = field_of(ramp(false), {"position", "normal"});
  ASSERT_FALSE(field);
  EXPECT_EQ(field.error().code, codes::not_a_field);
}

TEST(Picture, PsnrIsOfAllChannelsAsShown) {
  const Image original{2, 1, {255, 0, 51, 255, 0, 102, 255, 255}};
  const std::vector<float> same{1, 0, 0.2f, 0, 0.4f, 1};
  EXPECT_GT(psnr_of(same, original), 100);
  std::vector<float> off = same;
  off[0] = 0.9f;
  off[5] = 1.5f;  // shown as 1
  EXPECT_NEAR(psnr_of(off, original), -10 * std::log10(0.01 / 6), 1e-4);
  const Image image = to_image(same, 2, 1);
  EXPECT_EQ(image.rgba, original.rgba);
  EXPECT_EQ(to_image(std::vector<float>{NAN, -1, 2}, 1, 1).rgba, (std::vector<uint8_t>{0, 0, 255, 255}));
}

}  // namespace
}  // namespace hw::test
