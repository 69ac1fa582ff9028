// Previews on cards: what tensors are shown as, what is computed when, and what is known of the nodes that ran.
#include "app/models/previews/node_previews.h"

#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/document/text.h"
#include "app/models/cards/card.h"
#include "app/models/graph/graph_edits.h"
#include "app/models/previews/card_facts.h"
#include "app/models/run/run_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

QString kind_of(const Dims& dims) {
  return Preview(std::make_shared<const PreviewContent>(preview_of(Tensor::zeros(DType::f16, dims)))).kind();
}

TEST(Preview, ATensorIsShownAsWhatItIs) {
  EXPECT_EQ(kind_of({4, 1, 28, 28}), "picture");
  EXPECT_EQ(kind_of({3, 28, 28}), "picture");
  EXPECT_EQ(kind_of({28, 28, 3}), "picture");
  EXPECT_EQ(kind_of({2, 28, 28, 3}), "picture");
  EXPECT_EQ(kind_of({2, 16, 28, 28}), "picture") << "feature maps";
  EXPECT_EQ(kind_of({64, 3}), "histogram");
  EXPECT_EQ(kind_of({2, 3, 4}), "histogram");
  EXPECT_EQ(kind_of({64}), "lines");
  EXPECT_EQ(kind_of({}), "number");
  EXPECT_EQ(kind_of({1, 1}), "number");
  EXPECT_EQ(kind_of({0, 3}), "");
}

TEST(Preview, PicturesOfABatchLieBesideOneAnother) {
  Tensor batch = Tensor::zeros(DType::f32, {20, 1, 8, 8});
  std::fill_n(batch.as<float>() + 64, 64, 1.0f);  // the second
  const PreviewContent made = preview_of(batch);
  EXPECT_TRUE(made.text.contains("the first 8")) << to_std(made.text);
  ASSERT_EQ(made.picture.size(), QSize(4 * 8 + 3 * 2, 2 * 8 + 2));
  EXPECT_EQ(made.picture.pixel(0, 0), made.picture.pixel(0, 10)) << "one range for all";
  EXPECT_NE(made.picture.pixel(0, 0), made.picture.pixel(10, 0));
  EXPECT_EQ(qAlpha(made.picture.pixel(8, 0)), 0) << "between them";
}

TEST(Preview, TheHistogramHasTheBandOfItsDtype) {
  const QVariantMap histogram = preview_of(Tensor::from_f64(DType::f16, {2, 2}, {{1, 2, 3, 4}})).histogram;
  EXPECT_TRUE(histogram["hasBand"].toBool());
  EXPECT_EQ(histogram["normalFrom"].toDouble(), -14);
}

/// constant → linear → relu, and a view of the constant; previews on `l` and `v`.
struct Cards {
  Document d;
  std::shared_ptr<DocumentAssets> assets = assets_of(d);
  RunModel run{d, assets};
  NodePreviews previews{d, run, assets};
  Cards() {
    Node l = node("l", "linear");
    l.preview = true;
    EXPECT_TRUE(
        d.push("Fill", {AddNode{node("c", "constant", {{"shape", std::vector<double>{4}}})}, AddNode{l},
                        AddNode{node("r", "relu")}, AddNode{node("v", "tensor_view")}, AddLink{{"c", "y", "l", "x"}},
                        AddLink{{"l", "y", "r", "x"}}, AddLink{{"c", "y", "v", "x"}}}));
    previews.lookAt({"l", "v"});
    EXPECT_TRUE(wait_for([&] { return shows("l", "lines") && shows("v", "lines"); })) << to_std(previews.hint());
  }
  bool shows(const char* node, const char* kind) const { return previews.of(node).kind() == QLatin1String(kind); }
};

TEST(NodePreviews, AllThatIsLookedAtIsOneEvaluation) {
  Cards c;
  EXPECT_EQ(c.previews.evaluations(), 1);
  EXPECT_EQ(c.previews.of("r").kind(), "") << "nobody looks at it";
}

TEST(NodePreviews, AnEditComputesWhatDependsOnItAndAnUndoNothing) {
  Cards c;
  const Preview l = c.previews.of("l"), v = c.previews.of("v");
  ASSERT_TRUE(c.d.push("Set", {SetParam{"l", "out_features", int64_t{5}}}));
  ASSERT_TRUE(wait_for([&] { return c.previews.of("l") != l; }));
  EXPECT_EQ(c.previews.of("v"), v) << "not in its cone";
  EXPECT_EQ(c.previews.evaluations(), 2);
  c.d.undo();
  ASSERT_TRUE(wait_for([&] { return c.previews.of("l") == l; })) << "the same picture, not one that looks alike";
  EXPECT_EQ(c.previews.evaluations(), 2);
  c.d.redo();
  ASSERT_TRUE(wait_for([&] { return c.previews.of("l") != l; }));
  EXPECT_EQ(c.previews.evaluations(), 2);
}

TEST(NodePreviews, WhatIsWrongIsSaidOfItsCardAlone) {
  Cards c;
  ASSERT_TRUE(c.d.push("Break", {RemoveLink{{"c", "y", "l", "x"}}}));
  ASSERT_TRUE(wait_for([&] { return c.previews.of("l").hint().contains("not wired"); }));
  EXPECT_EQ(c.previews.of("l").kind(), "");
  EXPECT_TRUE(c.shows("v", "lines"));
}

TEST(NodePreviews, FactsAreThoseOfTheKernelsThatRan) {
  Cards c;
  const NodeFacts* facts = c.previews.facts("l");
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->kernels.forward.implementation.empty());
  EXPECT_EQ(facts->memory.parameters, 32 * 5 * sizeof(float));
  EXPECT_EQ(c.previews.facts("r"), nullptr) << "it did not run";
  const CardFacts cards(c.d, c.run, c.previews);
  const QString text = cards.of("l")["text"].toString();
  EXPECT_TRUE(text.startsWith("f32 · f32 · f32")) << to_std(text);
  EXPECT_TRUE(text.contains("B")) << to_std(text);
  EXPECT_TRUE(cards.of("r").isEmpty());
  ASSERT_TRUE(
      c.d.push("Set", {SetParam{"c", "dtype", std::string("f64")}, SetParam{"l", "dtype", std::string("f64")}}));
  ASSERT_TRUE(wait_for([&] { return cards.of("l")["text"].toString().startsWith("f64 · f64 · f64"); }))
      << to_std(cards.of("l")["text"].toString());
}

TEST(NodePreviews, ABatchIsAnotherAndThePreviousOneIsKept) {
  Document d;
  const auto assets = assets_of(d);
  RunModel run{d, assets};
  NodePreviews previews{d, run, assets};
  Node random = node("n", "random", {{"shape", std::vector<double>{16}}, {"axes", std::string("N")}});
  random.preview = true;
  ASSERT_TRUE(d.push("Fill", {AddNode{random}}));
  previews.lookAt({"n"});
  ASSERT_TRUE(wait_for([&] { return previews.of("n").kind() == "lines"; }));
  EXPECT_EQ(previews.of("n").batches(), PreviewContent::kEndless);
  const Preview first = previews.of("n");
  run.evaluation()->stepBatch(1);
  ASSERT_TRUE(wait_for([&] { return previews.of("n") != first; }));
  run.evaluation()->stepBatch(-1);
  ASSERT_TRUE(wait_for([&] { return previews.of("n") == first; }));
  EXPECT_EQ(previews.evaluations(), 2);
  run.evaluation()->stepBatch(-1);
  EXPECT_EQ(run.evaluation()->batch(), 0) << "there is none before the first";
}

TEST(NodePreviews, AGroupsInstanceShowsWhatItGives) {
  Document d;
  const auto assets = assets_of(d);
  RunModel run{d, assets};
  NodePreviews previews{d, run, assets};
  Group group{"unit", "Unit", {}, {}, ""};
  group.graph.add_node(node("c", "constant", {{"shape", std::vector<double>{4}}}));
  group.graph.add_node(node("y", "output"));
  group.graph.add_link({"c", "y", "y", "x"});
  Node instance = node("g", "group:unit");
  instance.preview = true;
  ASSERT_TRUE(d.push("Group", {SetGroup{group}, AddNode{instance}}));
  previews.lookAt({"g"});
  EXPECT_TRUE(wait_for([&] { return previews.of("g").kind() == "lines"; })) << to_std(previews.of("g").hint());
}

TEST(CardPreview, MakesTheCardTallerAndIsKeptInTheFile) {
  Document d;
  GraphEdits edits(d);
  ASSERT_TRUE(d.push("Fill", {AddNode{node("l", "linear")}, AddNode{node("v", "tensor_view")}}));
  const auto card = [&](const char* id) { return make_card(d.shown().scope(), *d.graph().find(id)); };
  EXPECT_LT(card("l").preview_top, 0);
  EXPECT_GT(card("v").preview_top, 0) << "a view has one by itself";
  const double plain = card("l").size.height(), with = card("v").size.height();
  d.selectNode("l");
  edits.togglePreview();
  EXPECT_EQ(card("l").size.height(), plain + CardMetrics::preview + CardMetrics::pad);
  EXPECT_EQ(d.graph().find("l")->preview, true);
  d.selectNode("v");
  edits.togglePreview();
  EXPECT_EQ(card("v").size.height(), with - CardMetrics::preview - CardMetrics::pad);
  EXPECT_EQ(d.graph().find("v")->preview, false);
  edits.togglePreview();
  EXPECT_EQ(d.graph().find("v")->preview, std::nullopt) << "as its type says";
  for (int i = 0; i < 3; ++i) d.undo();
  EXPECT_EQ(d.graph().find("l")->preview, std::nullopt);
  EXPECT_EQ(card("l").size.height(), plain);
}

}  // namespace
}  // namespace hw::app::testing
