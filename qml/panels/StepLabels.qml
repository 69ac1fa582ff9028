// Under a plot: the first and the last step, and between them what is drawn.
import QtQuick
import Halfwire

Item {
    id: root
    property real first: 1
    property real last
    property string what
    property string tip     // of what is drawn, at length
    height: Theme.space4

    component Word: Text {
        anchors.bottom: parent.bottom
        color: Theme.textFaint
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    Word {
        id: begin
        text: String(root.first)
    }
    TextLabel {
        anchors.bottom: parent.bottom
        anchors.left: begin.right
        anchors.right: end.left
        anchors.margins: Theme.space2
        anchors.bottomMargin: 0
        horizontalAlignment: Text.AlignHCenter
        text: root.what
        tip: root.tip
        elide: Text.ElideRight
        color: Theme.textFaint
        font.pixelSize: Theme.sizeSmall
    }
    Word {
        id: end
        anchors.right: parent.right
        text: qsTr("step %1").arg(String(root.last))
    }
}
