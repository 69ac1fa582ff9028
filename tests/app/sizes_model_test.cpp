// The sizes of a model in the sheet: which are asked for, what is typed, and what a second reading changes.
#include "app/models/sizes/sizes_model.h"

#include <gtest/gtest.h>

namespace hw::app::sizes_model_test {
namespace {

using interop::ImportedModel;
using interop::OnnxModel;

/// image [batch, 3, height, width] and mask [batch, height].
OnnxModel model() {
  const auto input = [](const std::string& name, const std::vector<interop::OnnxDim>& dims) {
    return interop::OnnxValue{name, DType::f32, "FLOAT", dims, 1};
  };
  OnnxModel file;
  file.graph.inputs = {input("image", {{-1, "batch"}, {3, ""}, {-1, "height"}, {-1, "width"}}),
                       input("mask", {{-1, "batch"}, {-1, "height"}})};
  return file;
}

ImportedModel with_fates() {
  ImportedModel made;
  made.multiples = {{"width", 32}};
  made.fixed = {{"height", 224}};
  made.fixed_because = "Slice /cut: it has steps.";
  return made;
}

QString at(const SizesModel& sizes, int row, int role) {
  return sizes.data(sizes.index(row), role).toString();
}

TEST(SizesModel, AsksForNothingThatStaysSymbolic) {
  EXPECT_FALSE(SizesModel::asks(model(), {}));
  EXPECT_TRUE(SizesModel::asks(model(), with_fates()));
  ImportedModel lacking;
  lacking.missing_at = {{"batch", 1}};
  EXPECT_TRUE(SizesModel::asks(model(), lacking));
}

TEST(SizesModel, ShowsWhatIsAskedForFirstWithItsAxes) {
  SizesModel sizes;
  sizes.show("net", model(), with_fates());
  ASSERT_EQ(sizes.rowCount(), 3);
  EXPECT_EQ(at(sizes, 0, SizesModel::SymbolRole), "height");
  EXPECT_EQ(at(sizes, 0, SizesModel::UsesRole), "image axis 2, mask axis 1");
  EXPECT_EQ(at(sizes, 0, SizesModel::ShapesRole), "image [batch, 3, height, width]\nmask [batch, height]");
  EXPECT_EQ(at(sizes, 0, SizesModel::TextRole), "224");
  EXPECT_TRUE(at(sizes, 0, SizesModel::FromRole).contains("by its name"));
  EXPECT_EQ(at(sizes, 1, SizesModel::SymbolRole), "width");
  EXPECT_TRUE(at(sizes, 1, SizesModel::BecomesRole).contains("multiples of 32"));
  EXPECT_EQ(at(sizes, 2, SizesModel::SymbolRole), "batch");
  EXPECT_FALSE(sizes.data(sizes.index(2), SizesModel::AskedRole).toBool());
  EXPECT_TRUE(sizes.because().contains("Slice /cut"));
  EXPECT_EQ(sizes.sizes(), (SizesModel::Sizes{{"batch", 1}, {"height", 224}, {"width", 224}}));
}

TEST(SizesModel, SaysBesideTheFieldWhatIsNoSize) {
  SizesModel sizes;
  sizes.show("net", model(), with_fates());
  int accepted = 0;
  QObject::connect(&sizes, &SizesModel::accepted, &sizes, [&] { ++accepted; });
  for (const char* wrong : {"", "0", "-3", "abc", "1e99", "999999999", "2.5", "12 34"}) {
    sizes.type(0, wrong);
    EXPECT_NE(at(sizes, 0, SizesModel::ProblemRole), "") << wrong;
    EXPECT_EQ(sizes.firstWrong(), 0) << wrong;
    sizes.accept();
  }
  sizes.type(0, " 2*112 ");
  EXPECT_TRUE(sizes.valid()) << "a calculation";
  sizes.type(1, "100");
  EXPECT_EQ(at(sizes, 1, SizesModel::ProblemRole), "It has to be a multiple of 32: 96 or 128.");
  sizes.accept();
  EXPECT_EQ(accepted, 0);
  EXPECT_EQ(sizes.nudged(1, 1), "128");
  EXPECT_EQ(sizes.nudged(1, -1), "96");
  EXPECT_EQ(sizes.nudged(0, 1), "225");
  sizes.type(0, "1");
  EXPECT_EQ(sizes.nudged(0, -1), "1") << "there is nothing below";
  sizes.type(0, "abc");
  EXPECT_EQ(sizes.nudged(0, 1), "224") << "the proposal";
  sizes.type(0, "64");
  sizes.type(1, "128");
  sizes.accept();
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(sizes.sizes(), (SizesModel::Sizes{{"batch", 1}, {"height", 64}, {"width", 128}}));
}

TEST(SizesModel, IsDoneOnceNothingIsAskedForThatWasNot) {
  SizesModel sizes;
  sizes.show("net", model(), with_fates());
  sizes.type(0, "64");
  EXPECT_TRUE(sizes.renew(with_fates()));
  ImportedModel stricter = with_fates();
  stricter.fixed["batch"] = 1;
  EXPECT_FALSE(sizes.renew(stricter));
  EXPECT_TRUE(sizes.problem().contains("batch"));
  EXPECT_TRUE(sizes.data(sizes.index(2), SizesModel::AskedRole).toBool());
  EXPECT_EQ(at(sizes, 0, SizesModel::TextRole), "64") << "what was typed stays";
  EXPECT_TRUE(sizes.renew(stricter)) << "now it was asked for";
}

TEST(SizesModel, TakesAModelAsItIsOnlyWithTheSizesThatItLacksSomethingWith) {
  SizesModel sizes;
  ImportedModel lacking;
  lacking.missing_at = {{"batch", 1}, {"height", 224}, {"width", 224}};
  lacking.missing.push_back({"/flat", "Reshape", "50176 elements do not make [1, 30].", false, true});
  sizes.show("net", model(), lacking);
  EXPECT_TRUE(sizes.lacking());
  EXPECT_TRUE(sizes.problem().contains("Reshape /flat"));
  sizes.type(1, "5");
  EXPECT_FALSE(sizes.lacking());
  EXPECT_EQ(sizes.problem(), "");
  EXPECT_FALSE(sizes.renew(lacking)) << "it lacks the same";
  EXPECT_TRUE(sizes.lacking());
}

TEST(SizesModel, GivesUpOnce) {
  SizesModel sizes;
  int cancelled = 0, closed = 0;
  QObject::connect(&sizes, &SizesModel::cancelled, &sizes, [&] { ++cancelled, sizes.close(); });
  QObject::connect(&sizes, &SizesModel::closed, &sizes, [&] { ++closed, sizes.cancel(); });
  sizes.show("net", model(), with_fates());
  sizes.cancel();
  sizes.cancel();
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(closed, 1);
}

}  // namespace
}  // namespace hw::app::sizes_model_test
