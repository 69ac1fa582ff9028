// A tensor as an image or a heat map: axes, slice and range are chosen above it, the value under the cursor is shown.
import QtQuick
import Halfwire
import Halfwire.Models
import Halfwire.Plots

Item {
    id: root
    required property TensorImageModel image
    readonly property var under: over.hovered && picture.content.width > 0
                                 ? image.read(over.point.position.x / picture.content.width,
                                              over.point.position.y / picture.content.height) : ({})
    readonly property var names: image.axes.map((axis, i) => qsTr("axis %1: %2").arg(i).arg(axis.size))
    readonly property var sliced: image.axes.map((axis, i) => i)
                                  .filter(i => i !== image.rowAxis && i !== image.columnAxis && i !== image.colourAxis)

    Binding {
        target: root.image
        property: "watched"
        value: root.visible
    }
    Flow {
        id: choices
        width: parent.width
        spacing: Theme.space1
        ChoiceBox {
            objectName: "image:rows"
            visible: root.image.axes.length > 1
            Accessible.name: qsTr("Rows")
            width: Theme.picture / 2
            model: root.names
            currentIndex: root.image.rowAxis
            onActivated: index => root.image.setRowAxis(index)
        }
        ChoiceBox {
            objectName: "image:columns"
            visible: root.image.axes.length > 1
            Accessible.name: qsTr("Columns")
            width: Theme.picture / 2
            model: root.names
            currentIndex: root.image.columnAxis
            onActivated: index => root.image.setColumnAxis(index)
        }
        ChoiceBox {
            objectName: "image:colour"
            visible: root.image.colourChoices.length > 0 && root.image.axes.length > 2
            Accessible.name: qsTr("Colour")
            width: Theme.picture / 2
            model: [qsTr("heat map")].concat(root.image.colourChoices.map(i => qsTr("RGB: axis %1").arg(i)))
            currentIndex: root.image.colourChoices.indexOf(root.image.colourAxis) + 1
            onActivated: index => root.image.setColourAxis(index > 0 ? root.image.colourChoices[index - 1] : -1)
        }
        Repeater {
            model: root.sliced
            IndexField {
                required property int modelData
                readonly property var axis: root.image.axes[modelData] ?? ({ size: 1, index: 0 })
                objectName: "image:index:" + modelData
                Accessible.name: qsTr("Index of axis %1").arg(modelData)
                width: Theme.picture / 2
                size: axis.size
                at: axis.index
                onChosen: index => root.image.setIndex(modelData, index)
            }
        }
    }
    ImageLegend {
        id: legend
        anchors.top: choices.bottom
        anchors.topMargin: Theme.space1
        width: parent.width
        image: root.image
        value: root.under.text === undefined ? ""
               : qsTr("[%1, %2]  %3").arg(root.under.row).arg(root.under.column).arg(root.under.text)
    }
    TensorImageItem {
        id: picture
        objectName: "tensorImage"
        anchors.top: legend.bottom
        anchors.topMargin: Theme.space1
        anchors.bottom: parent.bottom
        width: parent.width
        model: root.image
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Picture of the tensor")
        HoverHandler {
            id: over
        }
    }
}
