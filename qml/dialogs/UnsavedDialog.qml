// "Save changes?" Enter saves, Esc goes back.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Basic.Popup {
    id: root
    signal saveChosen()
    signal discardChosen()
    signal cancelChosen()
    property string choice: ""

    function choose(what: string) {
        choice = what;
        close();
    }

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: 420
    padding: Theme.space6
    modal: true
    focus: true
    closePolicy: Basic.Popup.CloseOnEscape
    onAboutToShow: choice = ""
    onOpened: save.forceActiveFocus()
    onClosed: choice === "save" ? saveChosen() : choice === "discard" ? discardChosen() : cancelChosen()
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }
    background: Rectangle {
        color: Theme.panel
        border.color: Theme.lineStrong
        radius: Theme.radiusLarge
    }
    contentItem: Column {
        objectName: "unsavedDialog"
        spacing: Theme.space4
        Text {
            width: parent.width
            text: qsTr("Save the changes to “%1”?").arg(App.document.title)
            color: Theme.text
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        Text {
            width: parent.width
            text: qsTr("Otherwise your edits and trained weights since the last save are lost.")
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            PushButton {
                objectName: "unsaved:discard"
                text: qsTr("Don't Save")
                onClicked: root.choose("discard")
            }
            PushButton {
                objectName: "unsaved:cancel"
                text: qsTr("Cancel")
                onClicked: root.choose("")
            }
            PushButton {
                id: save
                objectName: "unsaved:save"
                text: qsTr("Save")
                primary: true
                onClicked: root.choose("save")
            }
        }
    }
}
