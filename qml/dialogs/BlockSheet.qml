// How a group is called and described, in palette, search and documentation; and a way into the library.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    property string node: ""
    readonly property bool taken: App.library.isTaken(title_.text)

    function openFor(id) {
        const is = App.graph.groups.described(id);
        node = id;
        title_.text = is.title;
        category.text = is.category;
        description.text = is.description;
        open();
        title_.forceActiveFocus();
        title_.selectAll();
    }
    function describe() {
        App.graph.groups.describe(node, title_.text, category.text, description.text);
    }
    function saveToLibrary() {
        if (title_.text.trim() === "")
            return title_.forceActiveFocus();
        describe();
        if (App.library.save(App.document, node))
            close();
    }

    component Caption: Text {
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }

    title: qsTr("Describe the group")
    width: 480
    Column {
        objectName: "blockSheet"
        width: parent.width
        spacing: Theme.space2
        Caption { text: qsTr("Name") }
        TextBox {
            id: title_
            objectName: "block:title"
            width: parent.width
            wrong: text.trim() === ""
            placeholderText: qsTr("Name of the group")
            onAccepted: root.saveToLibrary()
        }
        Caption { text: qsTr("Category in the palette") }
        TextBox {
            id: category
            objectName: "block:category"
            width: parent.width
            placeholderText: qsTr("Group")
            onAccepted: root.saveToLibrary()
        }
        Caption { text: qsTr("What it does: a sentence, then more") }
        Rectangle {
            width: parent.width
            height: 4 * Theme.row
            radius: Theme.radius
            color: Theme.input
            border.width: description.activeFocus ? Theme.focusRing : 1
            border.color: description.activeFocus ? Theme.focus : Theme.line
            Flickable {
                anchors.fill: parent
                anchors.margins: 1
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                T.TextArea.flickable: T.TextArea {
                    id: description
                    objectName: "block:description"
                    Accessible.name: qsTr("What the group does")
                    padding: Theme.space2
                    wrapMode: TextEdit.Wrap
                    color: Theme.text
                    selectionColor: Theme.accentDim
                    selectedTextColor: Theme.text
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeBody
                    KeyNavigation.priority: KeyNavigation.BeforeItem
                    KeyNavigation.tab: describeOnly
                }
                T.ScrollBar.vertical: ThinScrollBar {}
            }
        }
        Caption {
            width: parent.width
            wrapMode: Text.Wrap
            color: root.taken ? Theme.warning : Theme.textMuted
            text: root.taken ? qsTr("Your library has a block of this name. Saving replaces it.")
                             : qsTr("In the library it is found in the palette of every file, with the groups that it uses.")
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            topPadding: Theme.space2
            PushButton {
                id: describeOnly
                objectName: "block:describe"
                text: qsTr("Only in this file")
                onClicked: {
                    root.describe();
                    root.close();
                }
            }
            PushButton {
                objectName: "block:save"
                text: root.taken ? qsTr("Replace in Library") : qsTr("Save to Library")
                primary: true
                onClicked: root.saveToLibrary()
            }
        }
    }
}
