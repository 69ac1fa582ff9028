// Options of textures in .mtl files: taken out of the text, and what they mean.
#include "engine/io/mesh/mtl_options.h"

#include <gmock/gmock.h>

namespace hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MtlOptions, AreTakenOutOfTheTextAndKeptByMaterial) {
  MtlMaterials materials;
  const std::string text = without_mtl_options(
      "# a comment\n"
      "newmtl plain\nmap_Kd a.png\n"
      "newmtl moved one\r\nKd 1 1 1\n  map_Kd -s 2 3 1 -o 0.5 -0.25 0 my picture.png\r\n"
      "map_Bump -bm 0.2 b.png\n"
      "newmtl short\nmap_Kd -s 2 -o +0.5 -clamp on c.png\n"
      "newmtl negative\nmap_Kd -o -1 -2 d.png",
      materials);
  EXPECT_THAT(text, HasSubstr("map_Kd a.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd my picture.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Bump -bm 0.2 b.png\n")) << "no colour: left alone";
  EXPECT_THAT(text, HasSubstr("map_Kd c.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd d.png\n"));
  EXPECT_FALSE(materials.contains("plain"));
  EXPECT_THAT(materials.at("moved one").place->uv(1, 1), ElementsAre(2.5, 2.75));
  EXPECT_EQ(materials.at("moved one").place->wrap_u, Wrap::repeat);
  EXPECT_THAT(materials.at("short").place->uv(1, 1), ElementsAre(2.5, 1));
  EXPECT_EQ(materials.at("short").place->wrap_u, Wrap::clamp);
  EXPECT_EQ(materials.at("short").place->wrap_v, Wrap::clamp);
  EXPECT_THAT(materials.at("negative").place->uv(0, 0), ElementsAre(-1, -2));
}

TEST(MtlOptions, WhatChangesThePictureIsNamed) {
  MtlMaterials materials;
  const std::string text = without_mtl_options(
      "newmtl a\nmap_Kd -mm 0.1 2 -t 1 1 1 -cc on -blendu off -texres 512 -imfchan l -clamp off x.png\n"
      "newmtl b\nmap_Kd -mm 0 1 -t 0 0 0 -cc off -blendv on y.png\n"
      "newmtl c\nmap_Kd -unheard.png\n",
      materials);
  EXPECT_THAT(text, HasSubstr("map_Kd x.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd y.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd -unheard.png\n"));
  EXPECT_THAT(materials.at("a").place->unread,
              ElementsAre(HasSubstr("(-mm)"), HasSubstr("(-t)"), HasSubstr("(-cc)"), HasSubstr("(-imfchan)")));
  EXPECT_EQ(materials.at("a").place->wrap_u, Wrap::repeat);
  EXPECT_THAT(materials.at("b").place->unread, ElementsAre());
}

TEST(MtlOptions, AColourIsOneNumberOrThree) {
  MtlMaterials materials;
  without_mtl_options(
      "newmtl a\nKd 0.5 0.25 1\nnewmtl b\n\tKd 0.5\r\nnewmtl c\nKd spectral x.rfl\nnewmtl d\nmap_Kd x.png", materials);
  EXPECT_EQ(materials.at("a").colour, (std::array<float, 3>{0.5f, 0.25f, 1}));
  EXPECT_EQ(materials.at("b").colour, (std::array<float, 3>{0.5f, 0.5f, 0.5f}));
  EXPECT_FALSE(materials.at("c").colour);
  EXPECT_FALSE(materials.contains("d"));
}

}  // namespace
}  // namespace hw
