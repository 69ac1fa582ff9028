// An example to begin from: a picture of its graph, and its name.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Canvas

T.AbstractButton {
    id: root
    property alias file: sketch.file

    implicitWidth: Theme.picture
    implicitHeight: Theme.picture * 0.5 + Theme.row
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Keys.onReturnPressed: root.clicked()
    Keys.onEnterPressed: root.clicked()
    background: Rectangle {
        radius: Theme.radius
        color: root.down ? Theme.pressed : root.hovered ? Theme.hover : Theme.panel
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : Theme.line
    }
    contentItem: Item {
        Rectangle {
            id: ground
            x: Theme.space1
            y: Theme.space1
            width: parent.width - 2 * x
            height: parent.height - Theme.row - y
            radius: Theme.radiusSmall
            color: Theme.canvas
            clip: true
            GraphSketch {
                id: sketch
                anchors.fill: parent
                anchors.margins: Theme.space2
                anchors.leftMargin: Theme.space4
                anchors.rightMargin: Theme.space4
                colours: Theme.byToken
            }
        }
        TextLabel {
            x: Theme.space2
            anchors.top: ground.bottom
            width: parent.width - count.width - 3 * Theme.space2
            height: Theme.row
            text: root.text
        }
        Text {
            id: count
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.top: ground.bottom
            height: Theme.row
            verticalAlignment: Text.AlignVCenter
            text: qsTr("%1 nodes").arg(sketch.nodes)
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
