#include "engine/bake/bake.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/bake/unwrap.h"
#include "engine/bake/uv_raster.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/field/finite.h"

namespace hw {
namespace {

constexpr size_t kTexelsAtOnce = 16384;
constexpr double kOverlapShare = 1e-3;  // stray texels where charts touch
constexpr double kLostShare = 1e-2;

std::string percent(double share) {
  const double tenths = std::max(1.0, std::round(share * 1000));  // what is reported is never nothing
  return std::to_string(static_cast<int>(tenths) / 10) + "." + std::to_string(static_cast<int>(tenths) % 10) + " %";
}

bool overlaps(const UvRaster& raster) {
  return static_cast<double>(raster.overlapping) > kOverlapShare * static_cast<double>(raster.covered);
}

Status check_charts(const Mesh& mesh, const UvRaster& raster) {
  if (raster.lost_area > kLostShare * raster.area)
    return unusable_uvs(mesh, percent(raster.lost_area / raster.area) + " of the surface has no room in the texture.");
  if (raster.covered == 0) return unusable_uvs(mesh, "the texture coordinates cover no texel.");
  if (overlaps(raster)) {
    return unusable_uvs(mesh,
                        "texture coordinates overlap: " +
                            percent(static_cast<double>(raster.overlapping) / static_cast<double>(raster.covered)) +
                            " of the texels would have to show several places of the surface.");
  }
  return ok();
}

/// The progress of a bake of several textures.
struct Meter {
  const BakeOptions& options;
  double done = 0, share = 1;  // of the whole
  void at(double fraction) const {
    if (options.progress) options.progress(done + share * fraction);
  }
  bool cancelled() const { return options.cancel && *options.cancel; }
};

Result<std::shared_ptr<const Image>> shade(const Mesh& mesh, const ColorField& field, const UvRaster& raster,
                                           const Meter& meter) {
  auto image = std::make_shared<Image>(Image{raster.size, raster.size, {}});
  const size_t texels = raster.triangle.size();
  image->rgba.assign(texels * 4, 255);
  std::vector<size_t> wanted;
  std::array<double, 3> sum{};
  size_t shaded = 0, bad = 0;
  const auto flush = [&]() -> Status {
    if (meter.cancelled()) return Error{codes::cancelled, "", "the bake was cancelled.", ""};
    std::vector<std::array<float, 3>> positions(wanted.size()), normals(wanted.size());
    const auto chunk = static_cast<int64_t>(kTexelsAtOnce / 16);
    parallel_for((static_cast<int64_t>(wanted.size()) + chunk - 1) / chunk, [&](int64_t c) {
      const auto end = std::min(wanted.size(), static_cast<size_t>((c + 1) * chunk));
      for (auto i = static_cast<size_t>(c * chunk); i < end; ++i) {
        const auto size = static_cast<size_t>(raster.size);
        const SurfacePoint p = surface_at_texel(mesh, raster.triangle[wanted[i]], static_cast<int>(wanted[i] % size),
                                                static_cast<int>(wanted[i] / size), raster.size);
        positions[i] = p.position;
        normals[i] = p.normal;
      }
    });
    HW_TRY(const auto colors, field(positions, normals));
    if (colors.size() != wanted.size()) {
      return Error{codes::wrong_colour_count, mesh.name,
                   "the field returned " + std::to_string(colors.size()) + " colours for " +
                       std::to_string(wanted.size()) + " positions.",
                   "Check that the field's output has one row for each position."};
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      bad += count_not_finite(colors[i]);
      for (size_t c = 0; c < 3; ++c) {
        const float value = std::isfinite(colors[i][c]) ? std::clamp(colors[i][c], 0.0f, 1.0f) : 0.0f;
        image->rgba[wanted[i] * 4 + c] = static_cast<uint8_t>(std::lround(value * 255));
        sum[c] += value;
      }
    }
    shaded += wanted.size();
    wanted.clear();
    return ok();
  };
  for (size_t i = 0; i < texels; ++i) {
    if (raster.triangle[i] != UvRaster::kNone) wanted.push_back(i);
    if (wanted.size() < kTexelsAtOnce && i + 1 < texels) continue;
    HW_CHECK(flush());
    meter.at(static_cast<double>(i + 1) / static_cast<double>(texels));
  }
  HW_CHECK(check_finite(bad, 3 * shaded, mesh.name));
  // Smaller versions of the picture average over empty texels, too: these get the mean.
  std::array<uint8_t, 3> mean{};
  for (size_t c = 0; c < 3; ++c)
    mean[c] = static_cast<uint8_t>(std::lround(255 * sum[c] / static_cast<double>(std::max<size_t>(shaded, 1))));
  for (size_t i = 0; i < texels; ++i)
    if (raster.triangle[i] == UvRaster::kNone)
      std::copy(mean.begin(), mean.end(), image->rgba.begin() + static_cast<std::ptrdiff_t>(i * 4));
  return std::shared_ptr<const Image>(std::move(image));
}

using Rasters = std::vector<UvRaster>;  // one for all parts, or one a part

std::vector<TriangleRange> ranges_of(const Mesh& mesh) {
  std::vector<TriangleRange> ranges;
  for (const MeshPart& part : mesh.parts) ranges.push_back({part.first_triangle, part.triangle_count});
  if (ranges.empty()) ranges.push_back({0, static_cast<uint32_t>(mesh.triangles.size())});
  return ranges;
}

/// Parts share one texture when there is room for all in it.
Result<Rasters> rasters_of(const Mesh& mesh, int size) {
  if (mesh.uvs.empty()) {
    return Error{codes::asset_lacks, mesh.name, "the mesh has no texture coordinates.",
                 "Let the bake make new ones, or unwrap the mesh in a modelling program."};
  }
  const std::vector<TriangleRange> ranges = ranges_of(mesh);
  Rasters rasters(1);
  HW_TRY(rasters[0], rasterise_uvs(mesh, ranges, size));
  if (ranges.size() > 1 && overlaps(rasters[0])) {
    rasters.clear();
    for (const TriangleRange& range : ranges) {
      HW_TRY(rasters.emplace_back(), rasterise_uvs(mesh, std::span(&range, 1), size));
    }
  }
  for (const UvRaster& raster : rasters) HW_CHECK(check_charts(mesh, raster));
  return rasters;
}

}  // namespace

Result<Bake> bake_field(const Mesh& mesh, const ColorField& field, const BakeOptions& options) {
  if (options.size < BakeOptions::kMinSize || options.size > BakeOptions::kMaxSize) {
    return Error{codes::bad_usage, "size " + std::to_string(options.size),
                 "a baked texture has 16 to 8192 texels a side.", "For example: 1024"};
  }
  Bake result;
  auto baked = std::make_shared<Mesh>();
  Result<Rasters> rasters = options.uvs == BakeUvs::unwrap ? Error{} : rasters_of(mesh, options.size);
  if (rasters) {
    *baked = mesh;
  } else if (options.uvs == BakeUvs::keep) {
    return rasters.error();
  } else {
    result.unwrapped = true;
    result.reason = rasters.error().reason;
    HW_TRY(*baked, unwrap(mesh, options.size, std::min(options.gutter, std::max(2, options.size / 128))));
    rasters = rasters_of(*baked, options.size);
    if (!rasters) return rasters.error();
  }
  baked->colours.clear();  // they would multiply the picture
  if (baked->parts.empty()) baked->parts.push_back({0, static_cast<uint32_t>(mesh.triangles.size()), nullptr, {}});

  result.textures = static_cast<int>(rasters->size());
  Meter meter{options};
  meter.share = 1.0 / result.textures;
  for (size_t i = 0; i < rasters->size(); ++i) {
    UvRaster& raster = (*rasters)[i];
    result.covered += raster.covered;
    grow_gutter(raster, options.gutter);
    HW_TRY(const auto image, shade(*baked, field, raster, meter));
    raster = {};
    const size_t count = rasters->size() == 1 ? baked->parts.size() : 1;
    for (size_t part = i; part < i + count; ++part) {
      baked->parts[part].texture = image;
      baked->parts[part].base_color = {1, 1, 1, 1};
      baked->parts[part].wrap_u = baked->parts[part].wrap_v = Wrap::repeat;  // as the raster is
    }
    meter.done += meter.share;
  }
  result.mesh = std::move(baked);
  return result;
}

}  // namespace hw
