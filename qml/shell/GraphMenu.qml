// A menu of graphs that come with Halfwire.
import QtQuick
import Halfwire

AppMenu {
    id: menu

    property var graphs: []  // {title, url}
    signal chosen(url file)

    enabled: graphs.length > 0
    Instantiator {
        model: menu.graphs
        AppMenuItem {
            required property var modelData
            objectName: "menu:example:" + modelData.title
            text: modelData.title
            onTriggered: menu.chosen(modelData.url)
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item)
        onObjectRemoved: (index, item) => menu.removeItem(item)
    }
}
