// Magnitudes on a log2 axis: bars, the dtype's band behind them, and what the bar under the pointer holds.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root
    property alias histogram: item.histogram
    property string dtype
    property var under: ({})

    implicitHeight: 132
    Accessible.role: Accessible.Chart
    Accessible.name: qsTr("Histogram of magnitudes")

    Rectangle {
        anchors.fill: item
        color: Theme.input
    }
    HistogramItem {
        id: item
        objectName: "histogram"
        y: Theme.space4
        width: parent.width
        height: parent.height - y - Theme.space4
        barColour: Theme.accent
        warningColour: Theme.warning
        bandColour: Theme.hover
        subnormalColour: Theme.warningDim
    }
    Text {
        anchors.left: parent.left
        text: root.under.count !== undefined
              ? qsTr("2^%1 to 2^%2: %3").arg(root.under.low).arg(root.under.high).arg(root.under.count)
              : root.histogram.hasBand ? qsTr("log₂ |x|   grey: normal range of %1, amber: subnormal").arg(root.dtype)
                                     : qsTr("log₂ |x|")
        color: root.under.count !== undefined ? Theme.text : Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Repeater {
        model: item.ticks
        Text {
            required property var modelData
            x: modelData.x - width / 2
            anchors.bottom: parent.bottom
            text: modelData.exponent
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
    HoverHandler {
        onPointChanged: root.under = hovered ? item.read(point.position.x) : ({})
        onHoveredChanged: if (!hovered) root.under = ({})
    }
}
