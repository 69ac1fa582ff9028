#include "engine/graph/weights/published_tables.h"

#include <array>

namespace hw {

std::span<const PublishedBlock> published_block_tables() {
  static constexpr auto kBlocks = std::to_array<PublishedBlock>({
      {"", "conv_norm_relu", "conv_1=conv norm_1=bn"},
      {"", "layer_norm_2d", "norm="},
      {"", "residual_basic", "conv_1=conv1 norm_1=bn1 conv_2=conv2 norm_2=bn2"},
      {"", "residual_basic_down",
       "conv_1=conv1 norm_1=bn1 conv_2=conv2 norm_2=bn2 conv_shortcut=downsample.0 norm_shortcut=downsample.1"},
      {"", "residual_bottleneck", "conv_1=conv1 norm_1=bn1 conv_2=conv2 norm_2=bn2 conv_3=conv3 norm_3=bn3"},
      {"", "residual_bottleneck_down",
       "conv_1=conv1 norm_1=bn1 conv_2=conv2 norm_2=bn2 conv_3=conv3 norm_3=bn3 conv_shortcut=downsample.0 "
       "norm_shortcut=downsample.1"},
      {"", "inception",
       "one=branch1 three_reduce=branch2.0 three=branch2.1 five_reduce=branch3.0 five=branch3.1 "
       "pool_project=branch4.1"},
      {"", "inception_a",
       "one=branch1x1 five_reduce=branch5x5_1 five=branch5x5_2 three_reduce=branch3x3dbl_1 three_1=branch3x3dbl_2 "
       "three_2=branch3x3dbl_3 pool_project=branch_pool"},
      {"", "inception_b", "three=branch3x3 double_1=branch3x3dbl_1 double_2=branch3x3dbl_2 double_3=branch3x3dbl_3"},
      {"", "inception_c",
       "one=branch1x1 seven_1=branch7x7_1 seven_2=branch7x7_2 seven_3=branch7x7_3 double_1=branch7x7dbl_1 "
       "double_2=branch7x7dbl_2 double_3=branch7x7dbl_3 double_4=branch7x7dbl_4 double_5=branch7x7dbl_5 "
       "pool_project=branch_pool"},
      {"", "inception_d",
       "three_1=branch3x3_1 three_2=branch3x3_2 seven_1=branch7x7x3_1 seven_2=branch7x7x3_2 seven_3=branch7x7x3_3 "
       "seven_4=branch7x7x3_4"},
      {"", "inception_e",
       "one=branch1x1 three_1=branch3x3_1 three_2a=branch3x3_2a three_2b=branch3x3_2b double_1=branch3x3dbl_1 "
       "double_2=branch3x3dbl_2 double_3a=branch3x3dbl_3a double_3b=branch3x3dbl_3b pool_project=branch_pool"},
      {"", "convnext_down", "norm=0 conv=1"},
      {"Sequential", "conv_norm_relu", "conv_1=0 norm_1=1"},
      {"Sequential", "vgg_block", "conv_1=0 norm_1=1 conv_2=3 norm_2=4"},
      {"timm", "inverted_residual and bneck",
       "conv_expand=conv_pw norm_expand=bn1 conv_depthwise=conv_dw norm_depthwise=bn2 conv_project=conv_pwl "
       "norm_project=bn3"},
      {"timm", "bneck_first", "conv_depthwise=conv_dw norm_depthwise=bn1 conv_project=conv_pw norm_project=bn2"},
      {"timm", "bneck with squeeze_excite",
       "conv_expand=conv_pw norm_expand=bn1 conv_depthwise=conv_dw norm_depthwise=bn2 conv_project=conv_pwl "
       "norm_project=bn3 squeeze_excite=se"},
      {"timm", "squeeze_excite", "squeeze=conv_reduce excite=conv_expand"},
      {"timm", "mbconv",
       "conv_expand=conv_pw norm_expand=bn1 conv_depthwise=conv_dw norm_depthwise=bn2 conv_project=conv_pwl "
       "norm_project=bn3 squeeze=se.conv_reduce excite=se.conv_expand"},
      {"timm", "mbconv_first",
       "conv_depthwise=conv_dw norm_depthwise=bn1 conv_project=conv_pw norm_project=bn2 squeeze=se.conv_reduce "
       "excite=se.conv_expand"},
      {"timm", "depthwise_separable",
       "conv_depthwise=conv_dw norm_depthwise=bn1 conv_pointwise=conv_pw norm_pointwise=bn2"},
      {"timm", "convnext_block", "layer_scale=gamma conv_depthwise=conv_dw norm=norm expand=mlp.fc1 reduce=mlp.fc2"},
      {"timm's Darknet", "darknet_residual", "conv_1=conv1.conv norm_1=conv1.bn conv_2=conv2.conv norm_2=conv2.bn"},
      {"torchvision", "bneck",
       "conv_expand=block.0.0 norm_expand=block.0.1 conv_depthwise=block.1.0 norm_depthwise=block.1.1 "
       "conv_project=block.2.0 norm_project=block.2.1"},
      {"torchvision", "bneck_first",
       "conv_depthwise=block.0.0 norm_depthwise=block.0.1 conv_project=block.1.0 norm_project=block.1.1"},
      {"torchvision", "bneck with squeeze_excite",
       "conv_expand=block.0.0 norm_expand=block.0.1 conv_depthwise=block.1.0 norm_depthwise=block.1.1 "
       "conv_project=block.3.0 norm_project=block.3.1 squeeze_excite=block.2"},
      {"torchvision", "squeeze_excite", "squeeze=fc1 excite=fc2"},
      {"torchvision", "mbconv",
       "conv_expand=block.0.0 norm_expand=block.0.1 conv_depthwise=block.1.0 norm_depthwise=block.1.1 "
       "conv_project=block.3.0 norm_project=block.3.1 squeeze=block.2.fc1 excite=block.2.fc2"},
      {"torchvision", "mbconv_first",
       "conv_depthwise=block.0.0 norm_depthwise=block.0.1 conv_project=block.2.0 norm_project=block.2.1 "
       "squeeze=block.1.fc1 excite=block.1.fc2"},
      {"torchvision", "convnext_block",
       "layer_scale=layer_scale conv_depthwise=block.0 norm=block.2 expand=block.3 reduce=block.5"},
      {"torchvision's MobileNetV2", "inverted_residual",
       "conv_expand=conv.0.0 norm_expand=conv.0.1 conv_depthwise=conv.1.0 norm_depthwise=conv.1.1 "
       "conv_project=conv.2 norm_project=conv.3"},
  });
  return kBlocks;
}

std::span<const PublishedNetwork> published_network_tables() {
  static constexpr auto kNetworks = std::to_array<PublishedNetwork>({
      {"ResNet-18", "torchvision, timm",
       "conv_stem=conv1 norm_stem=bn1 block_1_1=layer1.0 block_1_2=layer1.1 block_2_1=layer2.0 block_2_2=layer2.1 "
       "block_3_1=layer3.0 block_3_2=layer3.1 block_4_1=layer4.0 block_4_2=layer4.1 classifier=fc"},
      {"ResNet-50", "torchvision, timm",
       "conv_stem=conv1 norm_stem=bn1 block_1_1=layer1.0 block_1_2=layer1.1 block_1_3=layer1.2 block_2_1=layer2.0 "
       "block_2_2=layer2.1 block_2_3=layer2.2 block_2_4=layer2.3 block_3_1=layer3.0 block_3_2=layer3.1 "
       "block_3_3=layer3.2 block_3_4=layer3.3 block_3_5=layer3.4 block_3_6=layer3.5 block_4_1=layer4.0 "
       "block_4_2=layer4.1 block_4_3=layer4.2 classifier=fc"},
      {"ResNet-20-CIFAR", "torchvision's ResNet",
       "conv_stem=conv1 norm_stem=bn1 block_1_1=layer1.0 block_1_2=layer1.1 block_1_3=layer1.2 block_2_1=layer2.0 "
       "block_2_2=layer2.1 block_2_3=layer2.2 block_3_1=layer3.0 block_3_2=layer3.1 block_3_3=layer3.2 "
       "classifier=fc"},
      {"VGG-16", "torchvision",
       "conv_1_1=features.0 conv_1_2=features.2 conv_2_1=features.5 conv_2_2=features.7 conv_3_1=features.10 "
       "conv_3_2=features.12 conv_3_3=features.14 conv_4_1=features.17 conv_4_2=features.19 conv_4_3=features.21 "
       "conv_5_1=features.24 conv_5_2=features.26 conv_5_3=features.28 hidden_1=classifier.0 "
       "hidden_2=classifier.3 classifier=classifier.6"},
      {"VGG-16", "timm",
       "conv_1_1=features.0 conv_1_2=features.2 conv_2_1=features.5 conv_2_2=features.7 conv_3_1=features.10 "
       "conv_3_2=features.12 conv_3_3=features.14 conv_4_1=features.17 conv_4_2=features.19 conv_4_3=features.21 "
       "conv_5_1=features.24 conv_5_2=features.26 conv_5_3=features.28 hidden_1=pre_logits.fc1 "
       "hidden_2=pre_logits.fc2 classifier=head.fc"},
      {"GoogLeNet", "torchvision",
       "conv_1=conv1 conv_2=conv2 conv_3=conv3 inception_3a=inception3a inception_3b=inception3b "
       "inception_4a=inception4a inception_4b=inception4b inception_4c=inception4c inception_4d=inception4d "
       "inception_4e=inception4e inception_5a=inception5a inception_5b=inception5b classifier=fc",
       "torchvision's own weights have transform_input, which the network here has not: give pictures of mean 0.5 "
       "and deviation 0.5"},
      {"Inception-v3", "torchvision, timm",
       "conv_1=Conv2d_1a_3x3 conv_2=Conv2d_2a_3x3 conv_3=Conv2d_2b_3x3 conv_4=Conv2d_3b_1x1 conv_5=Conv2d_4a_3x3 "
       "a_1=Mixed_5b a_2=Mixed_5c a_3=Mixed_5d b=Mixed_6a c_1=Mixed_6b c_2=Mixed_6c c_3=Mixed_6d c_4=Mixed_6e "
       "d=Mixed_7a e_1=Mixed_7b e_2=Mixed_7c classifier=fc",
       "torchvision's own weights have transform_input, which the network here has not: give pictures of mean 0.5 "
       "and deviation 0.5"},
      {"MobileNetV2", "torchvision",
       "conv_stem=features.0.0 norm_stem=features.0.1 conv_depthwise=features.1.conv.0.0 "
       "norm_depthwise=features.1.conv.0.1 conv_project=features.1.conv.1 norm_project=features.1.conv.2 "
       "block_1_1=features.2 block_1_2=features.3 block_2_1=features.4 block_2_2=features.5 block_2_3=features.6 "
       "block_3_1=features.7 block_3_2=features.8 block_3_3=features.9 block_3_4=features.10 "
       "block_4_1=features.11 block_4_2=features.12 block_4_3=features.13 block_5_1=features.14 "
       "block_5_2=features.15 block_5_3=features.16 block_6_1=features.17 conv_head=features.18.0 "
       "norm_head=features.18.1 classifier=classifier.1"},
      {"MobileNetV2", "timm",
       "conv_stem=conv_stem norm_stem=bn1 conv_depthwise=blocks.0.0.conv_dw norm_depthwise=blocks.0.0.bn1 "
       "conv_project=blocks.0.0.conv_pw norm_project=blocks.0.0.bn2 block_1_1=blocks.1.0 block_1_2=blocks.1.1 "
       "block_2_1=blocks.2.0 block_2_2=blocks.2.1 block_2_3=blocks.2.2 block_3_1=blocks.3.0 block_3_2=blocks.3.1 "
       "block_3_3=blocks.3.2 block_3_4=blocks.3.3 block_4_1=blocks.4.0 block_4_2=blocks.4.1 block_4_3=blocks.4.2 "
       "block_5_1=blocks.5.0 block_5_2=blocks.5.1 block_5_3=blocks.5.2 block_6_1=blocks.6.0 conv_head=conv_head "
       "norm_head=bn2 classifier=classifier"},
      {"MobileNetV3-Large", "torchvision",
       "conv_stem=features.0.0 norm_stem=features.0.1 block_1_1=features.1 block_2_1=features.2 "
       "block_2_2=features.3 block_3_1=features.4 block_3_2=features.5 block_3_3=features.6 block_4_1=features.7 "
       "block_4_2=features.8 block_4_3=features.9 block_4_4=features.10 block_5_1=features.11 "
       "block_5_2=features.12 block_6_1=features.13 block_6_2=features.14 block_6_3=features.15 "
       "conv_head=features.16.0 norm_head=features.16.1 hidden=classifier.0 classifier=classifier.3"},
      {"MobileNetV3-Large", "timm",
       "conv_stem=conv_stem norm_stem=bn1 block_1_1=blocks.0.0 block_2_1=blocks.1.0 block_2_2=blocks.1.1 "
       "block_3_1=blocks.2.0 block_3_2=blocks.2.1 block_3_3=blocks.2.2 block_4_1=blocks.3.0 block_4_2=blocks.3.1 "
       "block_4_3=blocks.3.2 block_4_4=blocks.3.3 block_5_1=blocks.4.0 block_5_2=blocks.4.1 block_6_1=blocks.5.0 "
       "block_6_2=blocks.5.1 block_6_3=blocks.5.2 conv_head=blocks.6.0.conv norm_head=blocks.6.0.bn1 "
       "hidden=conv_head classifier=classifier",
       "its batch norms have epsilon 1e-5, the network here has 1e-3"},
      {"EfficientNet-B0", "torchvision",
       "conv_stem=features.0.0 norm_stem=features.0.1 block_1_1=features.1.0 block_2_1=features.2.0 "
       "block_2_2=features.2.1 block_3_1=features.3.0 block_3_2=features.3.1 block_4_1=features.4.0 "
       "block_4_2=features.4.1 block_4_3=features.4.2 block_5_1=features.5.0 block_5_2=features.5.1 "
       "block_5_3=features.5.2 block_6_1=features.6.0 block_6_2=features.6.1 block_6_3=features.6.2 "
       "block_6_4=features.6.3 block_7_1=features.7.0 conv_head=features.8.0 norm_head=features.8.1 "
       "classifier=classifier.1"},
      {"EfficientNet-B0", "timm",
       "conv_stem=conv_stem norm_stem=bn1 block_1_1=blocks.0.0 block_2_1=blocks.1.0 block_2_2=blocks.1.1 "
       "block_3_1=blocks.2.0 block_3_2=blocks.2.1 block_4_1=blocks.3.0 block_4_2=blocks.3.1 block_4_3=blocks.3.2 "
       "block_5_1=blocks.4.0 block_5_2=blocks.4.1 block_5_3=blocks.4.2 block_6_1=blocks.5.0 block_6_2=blocks.5.1 "
       "block_6_3=blocks.5.2 block_6_4=blocks.5.3 block_7_1=blocks.6.0 conv_head=conv_head norm_head=bn2 "
       "classifier=classifier"},
      {"Darknet-53", "timm",
       "conv_stem=stem.conv1.conv norm_stem=stem.conv1.bn conv_down_1=stages.0.conv_down.conv "
       "norm_down_1=stages.0.conv_down.bn conv_down_2=stages.1.conv_down.conv norm_down_2=stages.1.conv_down.bn "
       "conv_down_3=stages.2.conv_down.conv norm_down_3=stages.2.conv_down.bn conv_down_4=stages.3.conv_down.conv "
       "norm_down_4=stages.3.conv_down.bn conv_down_5=stages.4.conv_down.conv norm_down_5=stages.4.conv_down.bn "
       "block_1_1=stages.0.blocks.0 block_2_1=stages.1.blocks.0 block_2_2=stages.1.blocks.1 "
       "block_3_1=stages.2.blocks.0 block_3_2=stages.2.blocks.1 block_3_3=stages.2.blocks.2 "
       "block_3_4=stages.2.blocks.3 block_3_5=stages.2.blocks.4 block_3_6=stages.2.blocks.5 "
       "block_3_7=stages.2.blocks.6 block_3_8=stages.2.blocks.7 block_4_1=stages.3.blocks.0 "
       "block_4_2=stages.3.blocks.1 block_4_3=stages.3.blocks.2 block_4_4=stages.3.blocks.3 "
       "block_4_5=stages.3.blocks.4 block_4_6=stages.3.blocks.5 block_4_7=stages.3.blocks.6 "
       "block_4_8=stages.3.blocks.7 block_5_1=stages.4.blocks.0 block_5_2=stages.4.blocks.1 "
       "block_5_3=stages.4.blocks.2 block_5_4=stages.4.blocks.3 classifier=head.fc",
       "its Leaky ReLUs have slope 0.01, the network here has 0.1"},
      {"ConvNeXt-T", "torchvision",
       "conv_stem=features.0.0 norm_stem=features.0.1 down_2=features.2 down_3=features.4 down_4=features.6 "
       "block_1_1=features.1.0 block_1_2=features.1.1 block_1_3=features.1.2 block_2_1=features.3.0 "
       "block_2_2=features.3.1 block_2_3=features.3.2 block_3_1=features.5.0 block_3_2=features.5.1 "
       "block_3_3=features.5.2 block_3_4=features.5.3 block_3_5=features.5.4 block_3_6=features.5.5 "
       "block_3_7=features.5.6 block_3_8=features.5.7 block_3_9=features.5.8 block_4_1=features.7.0 "
       "block_4_2=features.7.1 block_4_3=features.7.2 norm_head=classifier.0 classifier=classifier.2"},
      {"ConvNeXt-T", "timm",
       "conv_stem=stem.0 norm_stem=stem.1 down_2=stages.1.downsample down_3=stages.2.downsample "
       "down_4=stages.3.downsample block_1_1=stages.0.blocks.0 block_1_2=stages.0.blocks.1 "
       "block_1_3=stages.0.blocks.2 block_2_1=stages.1.blocks.0 block_2_2=stages.1.blocks.1 "
       "block_2_3=stages.1.blocks.2 block_3_1=stages.2.blocks.0 block_3_2=stages.2.blocks.1 "
       "block_3_3=stages.2.blocks.2 block_3_4=stages.2.blocks.3 block_3_5=stages.2.blocks.4 "
       "block_3_6=stages.2.blocks.5 block_3_7=stages.2.blocks.6 block_3_8=stages.2.blocks.7 "
       "block_3_9=stages.2.blocks.8 block_4_1=stages.3.blocks.0 block_4_2=stages.3.blocks.1 "
       "block_4_3=stages.3.blocks.2 norm_head=head.norm classifier=head.fc"},
  });
  return kNetworks;
}

}  // namespace hw
