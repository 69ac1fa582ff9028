// A tool tip.
import QtQuick
import QtQuick.Controls.Basic as Basic
import Halfwire

Basic.ToolTip {
    id: root
    delay: Theme.tipDelay
    enabled: false  // a press goes to what lies under it
    padding: Theme.space2
    width: Math.min(implicitWidth, 360)
    font.family: Theme.family
    font.pixelSize: Theme.sizeSmall
    contentItem: Text {
        objectName: "tip"
        text: root.text
        color: Theme.text
        font: root.font
        wrapMode: Text.Wrap
    }
    background: Rectangle {
        color: Theme.raised
        border.color: Theme.lineStrong
        radius: Theme.radius
    }
}
