// What the document can be compared with: its file, another file, another open document.
import QtQuick
import Halfwire
import Halfwire.App

AppMenu {
    id: menu
    required property var actions
    title: qsTr("Compare With")
    enabled: !App.document.empty

    AppMenuItem { action: menu.actions.compareWith; text: qsTr("File…"); objectName: "menu:compareWith" }
    AppMenuItem { action: menu.actions.compareSaved; text: qsTr("The Saved Version"); objectName: "menu:compareSaved" }
    Instantiator {
        model: App.documents
        AppMenuItem {
            required property int index
            required property string title
            objectName: "menu:compare:" + title
            text: title
            enabled: index !== App.documents.current
            onTriggered: App.compareWithOpen(index)
        }
        onObjectAdded: (index, item) => menu.insertItem(2 + index, item)
        onObjectRemoved: (index, item) => menu.removeItem(item)
    }
}
