// A difference of two graphs: its sign, what it is of, and the fields that changed. A click shows it.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.AbstractButton {
    id: item
    required property int index
    required property var modelData
    required property string sign
    required property color tint
    required property bool current

    objectName: "difference:" + index
    text: modelData.text + (modelData.details.length ? ": " + modelData.details.join(", ") : "")
    implicitHeight: content.height + Theme.space1
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: modelData.kind + " " + text
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    background: Rectangle {
        radius: Theme.radiusSmall
        color: item.current ? Theme.accentDim : item.hovered ? Theme.hover : "transparent"
        border.width: item.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
    }
    contentItem: Item {
        Text {
            id: mark
            x: Theme.space2
            width: Theme.space4
            height: Theme.space6
            text: item.sign
            color: item.tint
            verticalAlignment: Text.AlignVCenter
            font.family: Theme.mono
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        Column {
            id: content
            anchors.left: mark.right
            anchors.leftMargin: Theme.space2
            anchors.right: place.left
            anchors.rightMargin: Theme.space2
            TextLabel {
                width: parent.width
                height: Theme.space6
                text: item.modelData.text
            }
            Repeater {
                model: item.modelData.details
                TextLabel {
                    required property string modelData
                    width: parent.width
                    height: Theme.space4
                    text: modelData
                    color: Theme.textMuted
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
        Text {
            id: place
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            height: Theme.space6
            visible: text !== ""
            text: item.modelData.group === "" ? "" : qsTr("in group %1").arg(item.modelData.group)
            color: Theme.textMuted
            verticalAlignment: Text.AlignVCenter
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
