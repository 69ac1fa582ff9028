#include "app/plots/register.h"

#include <QQmlEngine>

#include "app/plots/gradient_plot.h"
#include "app/plots/loss_plot.h"
#include "app/plots/loss_scale_plot.h"
#include "app/plots/picture_item.h"
#include "app/plots/plot_item.h"
#include "app/plots/tensor_image_item.h"

namespace hw::app {

void registerPlotTypes() {
  const char* const uri = "Halfwire.Plots";
  qmlRegisterType<LossPlot>(uri, 1, 0, "LossPlot");
  qmlRegisterType<GradientPlot>(uri, 1, 0, "GradientPlot");
  qmlRegisterType<LossScalePlot>(uri, 1, 0, "LossScalePlot");
  qmlRegisterType<PictureItem>(uri, 1, 0, "PictureItem");
  qmlRegisterType<PlotItem>(uri, 1, 0, "PlotItem");
  qmlRegisterType<TensorImageItem>(uri, 1, 0, "TensorImageItem");
}

}  // namespace hw::app
