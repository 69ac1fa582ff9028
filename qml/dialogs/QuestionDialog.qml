// A question before something is lost: "Save changes?" Enter saves, Esc goes back.
import QtQuick
import Halfwire
import Halfwire.App

Modal {
    id: root
    signal saveChosen()
    signal discardChosen()
    signal cancelChosen()
    property string choice: ""
    property string key: "unsaved"  // begins the names of its parts
    property string heading: qsTr("Save the changes to “%1”?").arg(App.document.title)
    property string detail: qsTr("Otherwise your edits and trained weights since the last save are lost.")
    property string saveLabel: qsTr("Save")  // "": there is nothing to save
    property string discardLabel: qsTr("Don't Save")

    function choose(what: string) {
        choice = what;
        close();
    }

    width: 420
    onAboutToShow: choice = ""
    onOpened: (save.visible ? save : cancel).forceActiveFocus()
    onClosed: choice === "save" ? saveChosen() : choice === "discard" ? discardChosen() : cancelChosen()
    contentItem: Column {
        objectName: root.key + "Dialog"
        spacing: Theme.space4
        Text {
            width: parent.width
            text: root.heading
            color: Theme.text
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        Text {
            width: parent.width
            text: root.detail
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            PushButton {
                objectName: root.key + ":discard"
                text: root.discardLabel
                onClicked: root.choose("discard")
            }
            PushButton {
                id: cancel
                objectName: root.key + ":cancel"
                text: qsTr("Cancel")
                onClicked: root.choose("")
            }
            PushButton {
                id: save
                visible: root.saveLabel !== ""
                objectName: root.key + ":save"
                text: root.saveLabel
                primary: true
                onClicked: root.choose("save")
            }
        }
    }
}
