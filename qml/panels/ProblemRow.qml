// A problem: click goes to its node, buttons mend it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

T.ItemDelegate {
    id: row
    required property ProblemsModel problems
    required property int index
    required property string severity
    required property string code
    required property string place
    required property string reason
    required property string expected
    required property string got
    required property var remedies
    readonly property color tint: severity === "error" ? Theme.error : severity === "warning" ? Theme.warning : Theme.info

    objectName: "problem:" + index
    text: reason
    implicitHeight: content.implicitHeight + 2 * Theme.space2
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    highlighted: row.problems.current === index
    Accessible.role: Accessible.ListItem
    Accessible.name: severity + " " + code + " " + place + ": " + reason
    onClicked: row.problems.reveal(index)
    Keys.onReturnPressed: row.problems.reveal(index)

    background: Rectangle {
        color: row.highlighted ? Theme.raised : row.hovered ? Theme.hover : "transparent"
        border.width: row.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: Theme.line
        }
    }
    contentItem: Item {}
    Icon {
        id: icon
        x: Theme.space3
        y: Theme.space2
        name: row.severity === "error" ? Icons.error : row.severity === "warning" ? Icons.warning : Icons.info
        color: row.tint
    }
    Column {
        id: content
        x: Theme.space3 + Theme.icon + Theme.space2
        y: Theme.space2
        width: parent.width - x - Theme.space3
        spacing: Theme.space1
        RowLayout {
            width: parent.width
            spacing: Theme.space2
            TextLabel {
                Layout.maximumWidth: parent.width * 0.5
                text: row.place
                font.weight: Font.DemiBold
            }
            TextLabel {
                Layout.fillWidth: true
                text: row.expected ? qsTr("expected %1, got %2").arg(row.expected).arg(row.got) : ""
                color: Theme.textFaint
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
            Text {
                text: row.code
                color: Theme.textFaint
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
        Text {
            width: parent.width
            text: row.reason
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Flow {
            visible: row.remedies.length > 0
            width: parent.width
            spacing: Theme.space1
            Repeater {
                model: row.remedies
                PushButton {
                    required property int index
                    required property string modelData
                    objectName: "problem:" + row.index + ":remedy:" + index
                    implicitHeight: Theme.space6
                    iconName: Icons.hint
                    text: modelData
                    onClicked: row.problems.apply(row.index, index)
                }
            }
        }
    }
}
