// Text and sounds as data sets: what is read, and what is refused with file and reason.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "tests/engine/dataset_files.h"
#include "tests/engine/wav_files.h"

namespace hw::io_dataset_sequences_test {
namespace {

using test::expect_refused;
using test::load;
using test::TempFolder;
using test::wav;
using test::write_bytes;
using ::testing::ElementsAre;

std::vector<float> values(const Tensor& x) {
  return {x.as<float>(), x.as<float>() + x.size()};
}

TEST(TextDatasets, CharactersAreNumberedByCodePoint) {
  const TempFolder folder;
  write_bytes(folder / "a.txt", "abcä€");
  write_bytes(folder / "test.txt", "cab😀a");
  const auto data = load(folder.path(), {{3}, 6});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_THAT((*data)->class_names, ElementsAre("a", "b", "c", "ä", "€", "😀"));
  EXPECT_THAT(values((*data)->train.x), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ((*data)->train.count(), 3) << "one begins at every character";
  EXPECT_EQ((*data)->train.begin_of(2, 3), 2);
  EXPECT_THAT(values((*data)->test.x), ElementsAre(2, 0, 1, 5, 0));
  EXPECT_EQ((*data)->test.count(), 1) << "one begins where the one before ends";
}

TEST(TextDatasets, TheLastTenthIsHeldOut) {
  const TempFolder folder;
  write_bytes(folder / "1.txt", std::string(60, 'x'));
  write_bytes(folder / "2.txt", std::string(40, 'y'));
  const auto data = load(folder.path(), {{5}, 2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->train.count(), 86);
  EXPECT_EQ((*data)->test.count(), 2);
  EXPECT_EQ((*data)->train.x.as<float>()[59], 0);
  EXPECT_EQ((*data)->train.x.as<float>()[60], 1);
}

TEST(TextDatasets, TheEndOfTheTrainingTextIsForValidation) {
  const TempFolder folder;
  write_bytes(folder / "a.txt", std::string(80, 'x') + std::string(20, 'y'));
  write_bytes(folder / "test.txt", std::string(7, 'z'));
  const auto data = load(folder.path(), {{5}, 3, 0.2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->train.count(), 76);
  EXPECT_EQ((*data)->validation.count(), 4) << "one begins where the one before ends";
  for (const float value : values((*data)->train.x)) EXPECT_EQ(value, 0);
  for (const float value : values((*data)->validation.x)) EXPECT_EQ(value, 1);
  expect_refused(folder.path(), {{25}, 3, 0.2}, codes::asset_lacks, "the validation split would have 20 characters");
}

TEST(TextDatasets, MarksAndLineEndsOfOtherSystemsAreNoCharacters) {
  const TempFolder folder;
  write_bytes(folder / "a.txt", "\xef\xbb\xbfx\r\ny\rx\n\n");
  write_bytes(folder / "b.txt", "\ny");
  write_bytes(folder / "test.txt", "xy\n");
  const auto data = load(folder.path(), {{2}, 3});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_THAT((*data)->class_names, ElementsAre("\n", "x", "y"));
  EXPECT_THAT(values((*data)->train.x), ElementsAre(1, 0, 2, 0, 1, 0, 0, 0, 2));
}

TEST(TextDatasets, BadTextIsRefused) {
  const TempFolder folder;
  write_bytes(folder / "a.txt", "plain text of some length");
  expect_refused(folder.path(), {{5}, 3}, codes::asset_lacks, "different characters", folder.path().string());
  expect_refused(folder.path(), {{40}, 30}, codes::asset_lacks, "23 characters for training", folder.path().string());
  expect_refused(folder.path(), {{1, 5}, 30}, codes::asset_lacks, "[characters]", folder.path().string());
  for (const char* bad : {"\xff", "ab\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    write_bytes(folder / "b.txt", bad);
    expect_refused(folder.path(), {{5}, 30}, codes::asset_unreadable, "is no UTF-8", "b.txt");
  }
}

TEST(SoundDatasets, SoundsAreCutOrFollowedBySilence) {
  const TempFolder folder;
  for (const char* place : {"train/no", "train/yes", "test/yes"}) std::filesystem::create_directories(folder / place);
  write_bytes(folder / "train/no/a.wav", wav({16384, -16384}, 8000));
  write_bytes(folder / "train/yes/b.wav", wav({8192, 8192, 8192, 8192, 8192}, 8000));
  write_bytes(folder / "test/yes/c.wav", wav({16384, 0, 0, 16384}, 8000, 2));
  const auto data = load(folder.path(), {{1, 4}, 2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_THAT((*data)->class_names, ElementsAre("no", "yes"));
  EXPECT_EQ((*data)->train.x.dims(), (Dims{2, 1, 4}));
  EXPECT_THAT(values((*data)->train.x), ElementsAre(0.5f, -0.5f, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f));
  EXPECT_EQ((*data)->train.labels.as<int64_t>()[1], 1);
  EXPECT_THAT(values((*data)->test.x), ElementsAre(0.25f, 0.25f, 0, 0)) << "the mean of two channels";
  expect_refused(folder.path(), {{1, 2, 2}, 2}, codes::asset_lacks, "[C, T] or [T]", "train");
  expect_refused(folder.path(), {{2, 4}, 2}, codes::asset_lacks, "it has 1 channel;", "a.wav");
  expect_refused(folder.path(), {{1, 4}, 1}, codes::asset_lacks, "2 class folders", folder.path().string());
}

// Trained at 8,000 Hz and measured at 16,000: known before a run begins.
TEST(SoundDatasets, BothSplitsHaveOneRate) {
  const TempFolder folder;
  for (const char* place : {"train/no", "test/no"}) std::filesystem::create_directories(folder / place);
  write_bytes(folder / "train/no/a.wav", wav({1, 2}, 8000));
  write_bytes(folder / "test/no/c.wav", wav({1, 2}, 16000));
  const auto files = find_dataset(folder.path());
  ASSERT_TRUE(files);
  const auto opened = open_dataset(*files, {{1, 4}, 1});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().reason, ::testing::HasSubstr("16000 Hz; the files before it have 8000 Hz"));
  EXPECT_THAT(opened.error().where, ::testing::HasSubstr("c.wav"));
}

TEST(SoundDatasets, BadFilesAreNamed) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "no");
  write_bytes(folder / "no/a.wav", wav({1, 2}, 8000));
  write_bytes(folder / "no/b.wav", wav({1, 2}, 16000));
  expect_refused(folder.path(), {{1, 4}, 1}, codes::asset_lacks, "16000 Hz", "b.wav");
  write_bytes(folder / "no/b.wav", wav({}, 8000));
  expect_refused(folder.path(), {{1, 4}, 1}, codes::asset_unreadable, "no sound", "b.wav");
  write_bytes(folder / "no/b.wav", wav({1, 2, 3, 4}, 8000).substr(0, 44 + 5));
  expect_refused(folder.path(), {{1, 4}, 1}, codes::asset_unreadable, "it ends after 5 of the 8 bytes", "b.wav");
  write_bytes(folder / "no/b.wav", "RIFF?");
  expect_refused(folder.path(), {{1, 4}, 1}, codes::asset_unreadable, "", "b.wav");
}

}  // namespace
}  // namespace hw::io_dataset_sequences_test
