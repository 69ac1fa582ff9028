// What the active node draws its random numbers from, now.
import QtQuick
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property InspectorModel inspector
    visible: root.inspector.draws !== ""
    height: Math.max(Theme.control, line.implicitHeight) + Theme.space2

    Text {
        id: line
        objectName: "draws"
        x: Theme.space3
        width: copy.x - x - Theme.space1
        height: Math.max(Theme.control, implicitHeight)
        verticalAlignment: Text.AlignVCenter
        text: qsTr("Draws from %1").arg(root.inspector.draws)
        color: Theme.textMuted
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    IconButton {
        id: copy
        objectName: "draws:copy"
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        implicitWidth: Theme.space6
        iconName: Icons.copy
        tint: Theme.textFaint
        tip: qsTr("Copy seed, stream and step")
        onClicked: root.inspector.copyDraws()
    }
}
