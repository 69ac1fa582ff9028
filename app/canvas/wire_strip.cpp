#include "app/canvas/wire_strip.h"

#include <QColor>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace hw::app {
namespace {

struct Rgba {
  float r, g, b, a;  // straight, 0…255; alpha 0…1
};

Rgba straight(QRgb c) {
  return {static_cast<float>(qRed(c)), static_cast<float>(qGreen(c)), static_cast<float>(qBlue(c)),
          static_cast<float>(qAlpha(c)) / 255.f};
}

Rgba mix(const Rgba& x, const Rgba& y, float t) {
  return {x.r + (y.r - x.r) * t, x.g + (y.g - x.g) * t, x.b + (y.b - x.b) * t, x.a + (y.a - x.a) * t};
}

/// Premultiplied, as the scene graph's vertex colours are.
QSGGeometry::ColoredPoint2D vertex(QPointF p, const Rgba& c, float cover) {
  const float alpha = c.a * cover;
  QSGGeometry::ColoredPoint2D v;
  v.set(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<uchar>(c.r * alpha),
        static_cast<uchar>(c.g * alpha), static_cast<uchar>(c.b * alpha), static_cast<uchar>(alpha * 255.f));
  return v;
}

/// One line along the strip: its distance from the middle, its colour (wire or casing) and cover.
struct Rail {
  double offset;
  bool casing;
  float cover;
};

struct Rails {
  std::array<Rail, 6> rail;
  size_t count = 0;
  void add(Rail r) { rail[count++] = r; }
};

Rails cross_section(const StripStyle& s) {
  Rails rails;
  const double half = std::max(s.width, 1.0) / 2;
  const float cover = static_cast<float>(std::min(1.0, s.width));
  const bool casing = qAlpha(s.casing) > 0;
  if (casing) {
    rails.add({-(half + s.casing_width + 0.5), true, 0});
    rails.add({-(half + 0.5), true, 1});
  } else {
    rails.add({-(half + 0.5), false, 0});
  }
  rails.add({-(half - 0.5), false, cover});
  rails.add({half - 0.5, false, cover});
  if (casing) {
    rails.add({half + 0.5, true, 1});
    rails.add({half + s.casing_width + 0.5, true, 0});
  } else {
    rails.add({half + 0.5, false, 0});
  }
  return rails;
}

struct Point {
  QPointF p, normal;
  float t;
  float way = 0;  // along the strip, screen pixels
};

void add_run(StripMesh& mesh, const std::vector<Point>& run, const StripStyle& s, const Rails& rails) {
  if (run.size() < 2) return;
  const Rgba from = straight(s.from), to = straight(s.to), casing = straight(s.casing);
  const size_t base = mesh.vertices.size();
  for (const Point& point : run) {
    Rgba along = mix(from, to, std::clamp((point.t - 0.2f) / 0.6f, 0.f, 1.f));
    if (qAlpha(s.wave) > 0) {
      const double phase = 2 * M_PI * static_cast<double>(point.way) / s.wave_length;
      along = mix(along, straight(s.wave), static_cast<float>(0.5 - 0.5 * std::cos(phase)));
    }
    for (size_t i = 0; i < rails.count; ++i) {
      const Rail& r = rails.rail[i];
      Rgba c = r.casing ? casing : along;
      mesh.vertices.push_back(vertex(point.p + point.normal * (r.offset * s.pixel), c, r.cover));
    }
  }
  for (size_t k = 0; k + 1 < run.size(); ++k) {
    for (size_t i = 0; i + 1 < rails.count; ++i) {
      const auto v = static_cast<quint32>(base + k * rails.count + i);
      const auto w = static_cast<quint32>(v + rails.count);
      mesh.indices.insert(mesh.indices.end(), {v, v + 1, w, w, v + 1, w + 1});
    }
  }
}

std::vector<Point> sample(const WireCurve& curve, int segments) {
  std::vector<Point> line;
  line.reserve(static_cast<size_t>(segments) + 1);
  for (int i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / segments;
    const QPointF tangent = curve.tangent(t);
    const double length = std::hypot(tangent.x(), tangent.y());
    const QPointF normal = length > 1e-9 ? QPointF(-tangent.y(), tangent.x()) / length : QPointF(0, 1);
    line.push_back({curve.at(t), normal, static_cast<float>(t), 0});
  }
  return line;
}

Point between(const Point& a, const Point& b, double t) {
  return {a.p + (b.p - a.p) * t, a.normal + (b.normal - a.normal) * t, a.t + (b.t - a.t) * static_cast<float>(t),
          a.way + (b.way - a.way) * static_cast<float>(t)};
}

void add_dashes(StripMesh& mesh, const std::vector<Point>& line, const StripStyle& s, const Rails& rails) {
  std::vector<Point> run{line.front()};
  bool on = true;
  double left = s.dash * s.pixel;
  for (size_t i = 1; i < line.size(); ++i) {
    Point from = line[i - 1];
    double length = std::hypot(line[i].p.x() - from.p.x(), line[i].p.y() - from.p.y());
    while (length > left) {
      const Point cut = between(from, line[i], left / length);
      run.push_back(cut);
      if (on) add_run(mesh, run, s, rails);
      run.assign(1, cut);
      length -= left;
      from = cut;
      on = !on;
      left = (on ? s.dash : s.gap) * s.pixel;
      if (!mesh.has_room()) return;
    }
    left -= length;
    run.push_back(line[i]);
  }
  if (on) add_run(mesh, run, s, rails);
}

}  // namespace

void StripMesh::copy_to(QSGGeometry* geometry) const {
  geometry->allocate(static_cast<int>(vertices.size()), static_cast<int>(indices.size()));
  if (vertices.empty()) return;
  std::memcpy(geometry->vertexData(), vertices.data(), vertices.size() * sizeof(vertices[0]));
  if (is_small()) {
    std::ranges::transform(indices, geometry->indexDataAsUShort(), [](quint32 i) { return static_cast<quint16>(i); });
  } else {
    std::memcpy(geometry->indexData(), indices.data(), indices.size() * sizeof(indices[0]));
  }
  geometry->markVertexDataDirty();
  geometry->markIndexDataDirty();
}

WireCurve straight_line(QPointF a, QPointF b) {
  WireCurve line;
  line.a = a;
  line.b = b;
  line.c = a + (b - a) / 3;
  line.d = b - (b - a) / 3;
  return line;
}

void add_strip(StripMesh& mesh, const WireCurve& curve, const StripStyle& style) {
  const Rails rails = cross_section(style);
  // Larger than life a bend is longer on the screen.
  const int most = std::clamp(static_cast<int>(32 / style.pixel), 32, 128);
  int segments = curve.segments((style.is_far ? 0.5 : 0.15) * style.pixel, most);
  if (style.from != style.to) segments = std::max(segments, style.is_far ? 3 : 8);
  if (qAlpha(style.wave) > 0) {
    const QPointF span = curve.b - curve.a;
    const double length = std::hypot(span.x(), span.y()) / style.pixel;
    segments = std::clamp(static_cast<int>(length / style.wave_length * 8), segments, 160);
  }
  std::vector<Point> line = sample(curve, segments);
  for (size_t i = 1; i < line.size(); ++i) {
    const QPointF step = line[i].p - line[i - 1].p;
    line[i].way = line[i - 1].way + static_cast<float>(std::hypot(step.x(), step.y()) / style.pixel);
  }
  if (style.dash > 0) {
    add_dashes(mesh, line, style, rails);
  } else {
    add_run(mesh, line, style, rails);
  }
}

void add_disc(StripMesh& mesh, QPointF centre, double radius, double pixel, QRgb colour) {
  constexpr int kSides = 20;
  const Rgba c = straight(colour);
  const auto base = static_cast<quint32>(mesh.vertices.size());
  mesh.vertices.push_back(vertex(centre, c, 1));
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2 * M_PI * i / kSides;
    const QPointF out(std::cos(angle), std::sin(angle));
    mesh.vertices.push_back(vertex(centre + out * (radius - 0.5 * pixel), c, 1));
    mesh.vertices.push_back(vertex(centre + out * (radius + 0.5 * pixel), c, 0));
  }
  for (quint32 i = 0; i < kSides; ++i) {
    const quint32 p = base + 1 + 2 * i, q = base + 1 + 2 * ((i + 1) % kSides);
    mesh.indices.insert(mesh.indices.end(), {base, p, q, p, p + 1, q, q, p + 1, q + 1});
  }
}

void add_bad_mark(StripMesh& mesh, QPointF centre, double radius, double pixel, QRgb colour, QRgb cross) {
  add_disc(mesh, centre, radius + 1.5 * pixel, pixel, cross);  // a rim
  add_disc(mesh, centre, radius, pixel, colour);
  StripStyle style;
  style.pixel = pixel;
  style.width = std::max(1.5, 0.3 * radius / pixel);
  style.from = style.to = cross;
  const double arm = 0.42 * radius;
  for (const QPointF& to : {QPointF(arm, arm), QPointF(arm, -arm)}) {
    add_strip(mesh, straight_line(centre - to, centre + to), style);
  }
}

void add_panel(StripMesh& mesh, const QRectF& rect, const PanelStyle& s) {
  const double most = std::min(rect.width(), rect.height()) / 2;
  const double radius = s.radius < (s.line_width + 0.5) * s.pixel ? 0 : std::min(s.radius, most);
  const int steps = radius > 0 ? std::clamp(static_cast<int>(radius / s.pixel / 2) + 2, 3, 16) : 0;
  struct Corner {
    QPointF centre, out;  // out: by one unit
  };
  std::vector<Corner> outline;
  const QRectF inner = rect.adjusted(radius, radius, -radius, -radius);
  const std::array<QPointF, 4> centres{inner.topLeft(), inner.topRight(), inner.bottomRight(), inner.bottomLeft()};
  const std::array<QPointF, 4> corners{QPointF(-1, -1), QPointF(1, -1), QPointF(1, 1), QPointF(-1, 1)};
  for (size_t corner = 0; corner < 4; ++corner) {
    if (steps == 0) outline.push_back({centres[corner], corners[corner]});
    for (int i = 0; i <= steps && steps > 0; ++i) {
      const double angle = M_PI + M_PI_2 * (static_cast<double>(corner) + static_cast<double>(i) / steps);
      outline.push_back({centres[corner], {std::cos(angle), std::sin(angle)}});
    }
  }
  const Rgba fill = straight(s.fill), line = straight(s.line);
  const double half = s.pixel / 2, width = s.line_width * s.pixel;
  struct Ring {
    double inside;  // canvas units from the edge
    const Rgba& colour;
    float cover;
  };
  const std::array<Ring, 4> rings{Ring{-half, line, 0}, Ring{half, line, 1}, Ring{width - half, line, 1},
                                  Ring{width + half, fill, 1}};
  const auto base = static_cast<quint32>(mesh.vertices.size());
  for (const Corner& c : outline) {
    for (const Ring& ring : rings)
      mesh.vertices.push_back(
          vertex(c.centre + c.out * (radius - std::min(ring.inside, most)), ring.colour, ring.cover));
  }
  mesh.vertices.push_back(vertex(rect.center(), fill, 1));
  const auto count = static_cast<quint32>(outline.size()), centre = base + 4 * count;
  for (quint32 i = 0; i < count; ++i) {
    const quint32 here = base + 4 * i, next = base + 4 * ((i + 1) % count);
    for (quint32 r = 0; r < 3; ++r)
      mesh.indices.insert(mesh.indices.end(), {here + r, next + r, here + r + 1, here + r + 1, next + r, next + r + 1});
    mesh.indices.insert(mesh.indices.end(), {here + 3, next + 3, centre});
  }
}

void add_rect(StripMesh& mesh, const QRectF& rect, QRgb colour) {
  const Rgba c = straight(colour);
  const auto base = static_cast<quint32>(mesh.vertices.size());
  for (const QPointF& p : {rect.topLeft(), rect.topRight(), rect.bottomLeft(), rect.bottomRight()}) {
    mesh.vertices.push_back(vertex(p, c, 1));
  }
  mesh.indices.insert(mesh.indices.end(), {base, base + 1, base + 2, base + 2, base + 1, base + 3});
}

}  // namespace hw::app
