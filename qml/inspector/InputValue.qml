// What an Input is evaluated with in place of its example: a file, a picture, a drawing made here.
import QtQuick
import Halfwire
import Halfwire.Desktop
import Halfwire.Models

Item {
    id: root
    required property InputValues model
    required property InspectorModel inspector
    required property Document document
    readonly property bool draws: model.pictureSize.width > 0

    visible: model.offered && !root.inspector.several
    height: visible ? column.height + Theme.space2 : 0

    Column {
        id: column
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        spacing: Theme.space2
        Item {
            width: parent.width
            height: Theme.control
            Text {
                anchors.left: parent.left
                anchors.right: file.left
                anchors.rightMargin: Theme.space2
                anchors.verticalCenter: parent.verticalCenter
                objectName: "input:given"
                text: root.model.given !== "" ? qsTr("Evaluated with: %1").arg(root.model.given) : qsTr("Evaluated with its example")
                elide: Text.ElideMiddle
                color: Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
            IconButton {
                id: file
                objectName: "input:file"
                anchors.right: clear.left
                iconName: Icons.open
                tip: root.draws ? qsTr("Evaluate with a picture or an array (.npy)") : qsTr("Evaluate with an array (.npy)")
                onClicked: dialog.openBeside(root.document.path, "")
            }
            PushButton {
                id: clear
                objectName: "input:clear"
                anchors.right: parent.right
                enabled: root.model.given !== ""
                text: qsTr("Clear")
                onClicked: root.model.clear()
            }
        }
        Text {
            objectName: "input:problem"
            visible: text !== ""
            width: parent.width
            text: root.model.problem
            wrapMode: Text.Wrap
            color: Theme.error
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Rectangle {
            visible: root.draws
            readonly property real aspect: root.draws ? root.model.pictureSize.width / root.model.pictureSize.height : 1
            width: Theme.drawing * Math.min(1, aspect) + 2
            height: Theme.drawing * Math.min(1, 1 / aspect) + 2
            color: "transparent"
            border.color: Theme.line
            DrawPad {
                objectName: "input:pad"
                anchors.fill: parent
                anchors.margins: 1
                pixels: root.model.pictureSize
                image: root.model.drawing
                onDrawn: image => root.model.setDrawing(image)
                Accessible.role: Accessible.Canvas
                Accessible.name: qsTr("Drawing pad")
            }
        }
        Text {
            visible: root.draws
            width: parent.width
            text: qsTr("Draw here: %1 × %2 pixels. For looking only: a drawing or a file is not saved with the graph, and training does not see it.")
                .arg(root.model.pictureSize.width).arg(root.model.pictureSize.height)
            wrapMode: Text.Wrap
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
    FileChooser {
        id: dialog
        title: qsTr("Choose a value")
        filters: root.draws ? ["*.npy", "*.png", "*.jpg", "*.jpeg", "*.bmp", "*.tga"] : ["*.npy"]
        onAccepted: file => root.model.setFile(file)
    }
}
