// Panels beside each other with handles between them.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire

Basic.SplitView {
    id: root
    handle: Rectangle {
        implicitWidth: Theme.handle
        implicitHeight: Theme.handle
        color: T.SplitHandle.pressed ? Theme.accent : T.SplitHandle.hovered ? Theme.lineStrong : Theme.window
    }
}
