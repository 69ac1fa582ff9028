// What an empty panel says: an icon, and what to do.
import QtQuick
import Halfwire

Column {
    id: root
    property string iconName: Icons.hint
    property string text
    property real above: 0  // of the panel, that something else takes

    width: Math.min(parent.width - 2 * Theme.space4, 300)
    anchors.centerIn: parent
    anchors.verticalCenterOffset: above / 2
    spacing: Theme.space2
    Icon {
        visible: root.parent.height - root.above >= words.height + height + 2 * Theme.space2
        anchors.horizontalCenter: parent.horizontalCenter
        name: root.iconName
        size: Theme.space6
        color: Theme.lineStrong
    }
    Text {
        id: words
        width: parent.width
        text: root.text
        color: Theme.textMuted
        wrapMode: Text.Wrap
        lineHeight: 1.3
        horizontalAlignment: Text.AlignHCenter
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
}
