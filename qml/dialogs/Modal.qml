// A dialog in the middle of the window, over everything else. It ends a drag before it opens: with the
// button still down, the drag would go on behind it.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Basic.Popup {
    parent: T.Overlay.overlay
    anchors.centerIn: parent
    padding: Theme.space6
    modal: true
    focus: true
    closePolicy: Basic.Popup.CloseOnEscape
    onAboutToShow: App.document.letGo()
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }
    background: Rectangle {
        color: Theme.panel
        border.color: Theme.lineStrong
        radius: Theme.radiusLarge
    }
}
