// What is off on the gradients' ways, in a line or two: the worst; the others under the pointer. A click goes to the node.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

T.AbstractButton {
    id: root
    required property GradientFlowModel model
    readonly property int count: model.verdicts.length

    objectName: "gradients:verdict"
    visible: count > 0
    height: visible ? words.height + Theme.space2 : 0
    text: count > 0 ? model.verdicts[0] : ""
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    onClicked: root.model.reveal(root.model.verdictNodes[0])

    background: Rectangle {
        color: root.hovered ? Theme.hover : Theme.warningDim
        border.width: root.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
    }
    contentItem: Item {
        Icon {
            id: mark
            x: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.warning
            color: Theme.warning
        }
        Text {
            id: words
            anchors.left: mark.right
            anchors.leftMargin: Theme.space2
            anchors.right: more.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.text
            color: Theme.text
            wrapMode: Text.Wrap
            maximumLineCount: 2
            elide: Text.ElideRight
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Text {
            id: more
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.count > 1 ? qsTr("+ %1").arg(root.count - 1) : ""
            color: Theme.textMuted
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
        HoverHandler {
            cursorShape: Qt.PointingHandCursor
        }
    }
    Tip {
        visible: root.hovered
        text: root.model.verdicts.join("\n")
    }
}
