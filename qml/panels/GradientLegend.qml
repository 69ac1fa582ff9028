// The nodes with their lines and latest values; a click selects one and shows it on the canvas.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property GradientFlowModel model
    property string pointed: ""  // the node under the pointer

    // One width for all values: titles would be cut otherwise at each change.
    TextMetrics {
        id: widest
        text: "0.00012"
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }

    ListView {
        id: list
        objectName: "gradients:legend"
        anchors.fill: parent
        anchors.bottomMargin: more.visible ? more.height : 0
        clip: true
        model: root.model
        reuseItems: true
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Nodes")
        T.ScrollBar.vertical: ThinScrollBar {}
        delegate: T.AbstractButton {
            id: entry
            required property string node
            required property string title
            required property string latest
            required property int number
            required property bool active

            objectName: "gradients:node:" + node
            width: ListView.view.width - Theme.space2
            height: Theme.space4 + Theme.space1
            text: title + "  " + latest
            checked: active
            hoverEnabled: true
            focusPolicy: Qt.TabFocus
            Accessible.role: Accessible.Button
            Accessible.name: text
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: root.model.reveal(node)
            onHoveredChanged: {
                if (hovered)
                    root.pointed = node;
                else if (root.pointed === node)
                    root.pointed = "";
            }
            background: Rectangle {
                radius: Theme.radiusSmall
                color: entry.active ? Theme.accentDim : entry.hovered ? Theme.hover : "transparent"
                border.width: entry.visualFocus ? Theme.focusRing : 0
                border.color: Theme.focus
            }
            contentItem: Item {
                Row {
                    id: sample
                    x: Theme.space1
                    anchors.verticalCenter: parent.verticalCenter
                    width: Theme.space4
                    readonly property var marks: [[16], [7, 7], [3, 3, 3]][Math.floor(entry.number / Theme.series.length) % 3]
                    spacing: 2
                    Repeater {
                        model: sample.marks
                        Rectangle {
                            required property int modelData
                            width: modelData
                            height: entry.active || entry.hovered ? 3 : 2
                            color: Theme.series[entry.number % Theme.series.length]
                        }
                    }
                }
                Text {
                    anchors.left: sample.right
                    anchors.leftMargin: Theme.space2
                    anchors.right: value.left
                    anchors.rightMargin: Theme.space1
                    anchors.verticalCenter: parent.verticalCenter
                    text: entry.title
                    color: Theme.text
                    elide: Text.ElideMiddle
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                    font.weight: entry.active ? Font.DemiBold : Font.Normal
                }
                Text {
                    id: value
                    width: Math.max(implicitWidth, widest.advanceWidth)
                    horizontalAlignment: Text.AlignRight
                    anchors.right: parent.right
                    anchors.rightMargin: Theme.space1
                    anchors.verticalCenter: parent.verticalCenter
                    text: entry.latest
                    color: Theme.textMuted
                    font.family: Theme.mono
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
    }
    Text {
        id: more
        visible: root.model.left !== ""
        anchors.bottom: parent.bottom
        x: Theme.space1
        text: root.model.left
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
