// The magnitudes of a value in one step: a bar on a log axis, with the dtype's largest number marked.
import QtQuick
import Halfwire

Item {
    id: root
    property var range  // {step, from, to, text, last}
    property real limit // place of the dtype's largest number, 0 to 1; above: beyond the axis
    readonly property int label: 76
    readonly property int words: 168

    height: Theme.space4
    Text {
        width: root.label
        height: parent.height
        text: qsTr("step %1").arg(root.range.step)
        color: root.range.last ? Theme.text : Theme.textFaint
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    Rectangle {
        id: track
        x: root.label
        width: Math.max(0, parent.width - root.label - root.words)
        height: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        radius: Theme.radiusSmall
        color: Theme.input
        Rectangle {
            x: parent.width * root.range.from
            width: Math.max(2, parent.width * (root.range.to - root.range.from))
            height: parent.height
            radius: Theme.radiusSmall
            color: root.range.last ? Theme.error : Theme.accent
        }
        Rectangle {
            visible: root.limit <= 1
            x: parent.width * root.limit
            y: -2
            width: 2
            height: parent.height + 4
            color: Theme.text
        }
    }
    Text {
        anchors.left: track.right
        width: root.words
        height: parent.height
        text: root.range.text
        color: Theme.textMuted
        elide: Text.ElideRight
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
