// The right class down, the predicted one across; brighter where more of the right class are. The number of samples
// stands in cells that are large enough.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property SplitResultsModel model
    readonly property int size: model.size
    readonly property bool numbered: grid.width / size >= 20
    spacing: Theme.space1

    Text {
        text: qsTr("Predicted class →, right class ↓")
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Image {
        id: grid
        objectName: "evaluation:matrix"
        width: root.width
        height: width
        source: root.model.matrix
        smooth: false
        fillMode: Image.Stretch
        Accessible.role: Accessible.Chart
        Accessible.name: qsTr("Confusion matrix of %1 classes").arg(root.size)

        Repeater {
            model: root.numbered ? root.model.cells : []
            Text {
                required property var modelData
                required property int index
                readonly property int actual: Math.floor(index / root.size)
                readonly property int predicted: index % root.size
                x: grid.width / root.size * predicted
                y: grid.height / root.size * actual
                width: grid.width / root.size
                height: grid.height / root.size
                objectName: "evaluation:count:" + actual + ":" + predicted
                text: modelData.count
                color: modelData.bright ? "#101014" : "#f4f4f8"
                horizontalAlignment: Text.AlignHCenter
                verticalAlignment: Text.AlignVCenter
                fontSizeMode: Text.HorizontalFit
                minimumPixelSize: 6
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
        Rectangle {
            visible: hover.hovered
            x: grid.width / root.size * pointer.predicted
            y: grid.height / root.size * pointer.actual
            width: grid.width / root.size
            height: grid.height / root.size
            color: "transparent"
            border.color: Theme.focus
        }
        QtObject {
            id: pointer
            readonly property int actual: Math.floor(hover.point.position.y / grid.height * root.size)
            readonly property int predicted: Math.floor(hover.point.position.x / grid.width * root.size)
        }
        HoverHandler {
            id: hover
        }
    }
    Text {
        objectName: "evaluation:cell"
        width: root.width
        text: (hover.hovered && root.model.matrix !== "" ? root.model.cell(pointer.actual, pointer.predicted) : "") || qsTr("Point at a cell to read it.")
        color: hover.hovered ? Theme.text : Theme.textFaint
        elide: Text.ElideRight
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
