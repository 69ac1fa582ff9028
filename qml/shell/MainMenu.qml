// The menu bar.
import QtQuick
import Halfwire
import Halfwire.App
import Halfwire.Canvas

AppMenuBar {
    id: root
    required property var actions
    required property var panels
    required property var look
    /// A key of the canvas, by its name in the table of keys.
    signal canvasRequested(string name)

    component OnCanvas: AppMenuItem {
        required property string name
        keys: KeyBindings.labels[name]
        onTriggered: root.asked = name
    }

    property string asked: ""  // what takes the keys comes when the menu has given them back
    onAllClosed: {
        const name = asked;
        asked = "";
        if (name !== "")
            canvasRequested(name);
    }

    AppMenu {
        title: qsTr("File")
        AppMenuItem { action: root.actions.newFile; iconName: Icons.newFile; objectName: "menu:new" }
        AppMenuItem { action: root.actions.open; iconName: Icons.open; objectName: "menu:open" }
        AppMenu {
            id: recent
            title: qsTr("Open Recent")
            enabled: App.recent.files.length > 0
            Instantiator {
                model: App.recent.files
                AppMenuItem {
                    required property var modelData
                    objectName: "menu:recent:" + modelData.title
                    text: modelData.title
                    keys: modelData.folder
                    onTriggered: root.actions.files.openFile(modelData.url)
                }
                onObjectAdded: (index, item) => recent.insertItem(index, item)
                onObjectRemoved: (index, item) => recent.removeItem(item)
            }
            MenuLine {}
            AppMenuItem {
                objectName: "menu:recent:clear"
                text: qsTr("Clear")
                onTriggered: App.recent.clear()
            }
        }
        GraphMenu {
            title: qsTr("Examples")
            graphs: App.examples
            onChosen: file => root.actions.files.openFile(file)
        }
        GraphMenu {
            title: qsTr("Networks")
            graphs: App.networks
            onChosen: file => root.actions.files.openFile(file)
        }
        MenuLine {}
        AppMenuItem { action: root.actions.save; iconName: Icons.save; objectName: "menu:save" }
        AppMenuItem { action: root.actions.saveAs; iconName: Icons.saveAs; objectName: "menu:saveAs" }
        MenuLine {}
        CompareMenu { actions: root.actions }
        AppMenuItem { action: root.actions.exportOnnx; iconName: Icons.exportFile; objectName: "menu:exportOnnx" }
        AppMenuItem { action: root.actions.exportBaked; iconName: Icons.bake; objectName: "menu:exportBaked" }
        MenuLine {}
        AppMenuItem { action: root.actions.closeDocument; iconName: Icons.close; objectName: "menu:close" }
        AppMenuItem { action: root.actions.quit; objectName: "menu:quit" }
    }
    AppMenu {
        id: edit
        readonly property bool some: App.document.activeNode !== ""
        title: qsTr("Edit")
        onAboutToShow: if (!root.settling) root.asked = ""
        AppMenuItem { action: root.actions.undo; iconName: Icons.undo; objectName: "menu:undo" }
        AppMenuItem { action: root.actions.redo; iconName: Icons.redo; objectName: "menu:redo" }
        MenuLine {}
        OnCanvas { name: "canvas.cut"; text: qsTr("Cut"); objectName: "menu:cut" }
        OnCanvas { name: "canvas.copy"; text: qsTr("Copy"); iconName: Icons.copy; objectName: "menu:edit:copy" }
        OnCanvas { name: "canvas.paste"; text: qsTr("Paste"); objectName: "menu:paste" }
        OnCanvas { name: "canvas.duplicate"; text: qsTr("Duplicate"); objectName: "menu:edit:duplicate" }
        OnCanvas { name: "canvas.selectAll"; text: qsTr("Select All"); objectName: "menu:selectAll" }
        OnCanvas { name: "canvas.delete"; text: qsTr("Delete Selection"); iconName: Icons.remove; objectName: "menu:delete" }
        MenuLine {}
        OnCanvas { name: "canvas.rename"; text: qsTr("Rename"); enabled: edit.some; objectName: "menu:edit:rename" }
        OnCanvas { name: "canvas.replace"; text: qsTr("Replace…"); iconName: Icons.transfer; enabled: edit.some; objectName: "menu:edit:replace" }
        OnCanvas { name: "canvas.group"; text: qsTr("Group"); iconName: Icons.group; enabled: edit.some; objectName: "menu:edit:group" }
        OnCanvas { name: "canvas.ungroup"; text: qsTr("Ungroup"); enabled: edit.some && App.graph.groups.isGroup(App.document.activeNode); objectName: "menu:edit:ungroup" }
        OnCanvas { name: "canvas.frame"; text: qsTr("Frame"); enabled: edit.some; objectName: "menu:edit:frame" }
        MenuLine {}
        AppMenuItem { action: root.actions.find; iconName: Icons.search; objectName: "menu:find" }
        OnCanvas { name: "canvas.arrange"; text: qsTr("Arrange"); objectName: "menu:edit:arrange" }
        AlignMenu { place: "menu:edit:align:"; arrangement: App.graph.arrangement }
        AppMenuItem { action: root.actions.rewrite; iconName: Icons.transfer; objectName: "menu:rewrite" }
        AppMenu {
            id: policies
            implicitWidth: 320
            title: qsTr("Precision Policy")
            Instantiator {
                model: [
                    { id: "strict", title: qsTr("Strict: no cast unless placed") },
                    { id: "negotiate", title: qsTr("Negotiate: cast with the least loss") },
                    { id: "autocast bf16", title: qsTr("Autocast: products in bf16, sums in f32") },
                    { id: "autocast f16", title: qsTr("Autocast: products in f16, sums in f32") }
                ]
                AppMenuItem {
                    required property var modelData
                    objectName: "menu:policy:" + modelData.id
                    text: modelData.title
                    checkable: true
                    checked: App.document.policy === modelData.id
                    onTriggered: {
                        App.document.policy = modelData.id;
                        checked = Qt.binding(() => App.document.policy === modelData.id);
                    }
                }
                onObjectAdded: (index, item) => policies.insertItem(index, item)
                onObjectRemoved: (index, item) => policies.removeItem(item)
            }
        }
    }
    RunMenu {
        actions: root.actions.runs
        look: root.look
    }
    AppMenu {
        id: view
        title: qsTr("View")
        Instantiator {
            model: root.panels.names
            AppMenuItem {
                required property var modelData
                objectName: "menu:panel:" + modelData.id
                text: modelData.title
                checkable: true
                checked: root.panels[modelData.id]
                onTriggered: root.panels[modelData.id] = checked
            }
            onObjectAdded: (index, item) => view.insertItem(index, item)
            onObjectRemoved: (index, item) => view.removeItem(item)
        }
        MenuLine {}
        AppMenuItem { action: root.actions.heatMap; objectName: "menu:heatMap" }
        AppMenuItem {
            objectName: "menu:gauges"
            text: qsTr("Gauges on Wires")
            checkable: true
            checked: root.look.gauges
            onTriggered: root.look.gauges = checked
        }
        AppMenuItem {
            objectName: "menu:minimap"; text: qsTr("Minimap")
            checkable: true; checked: root.look.minimap; onTriggered: root.look.minimap = checked
        }
        MenuLine {}
        AppMenu {
            id: themes
            title: qsTr("Theme")
            Instantiator {
                model: root.look.themes
                AppMenuItem {
                    required property var modelData
                    objectName: "menu:theme:" + modelData.id
                    text: modelData.title
                    checkable: true
                    checked: root.look.theme === modelData.id
                    onTriggered: {
                        root.look.theme = modelData.id;
                        checked = Qt.binding(() => root.look.theme === modelData.id);
                    }
                }
                onObjectAdded: (index, item) => themes.insertItem(index, item)
                onObjectRemoved: (index, item) => themes.removeItem(item)
            }
        }
        AppMenuItem {
            objectName: "menu:systemFont"
            text: qsTr("System Font")
            checkable: true
            checked: root.look.systemFont
            onTriggered: root.look.systemFont = checked
        }
    }
    AppMenu {
        title: qsTr("Help")
        AppMenuItem { action: root.actions.shortcuts; iconName: Icons.help; objectName: "menu:shortcuts" }
        AppMenuItem { action: root.actions.dtypes; iconName: Icons.table; objectName: "menu:dtypes" }
        AppMenuItem { action: root.actions.report; iconName: Icons.warning; objectName: "menu:report" }
        MenuLine {}
        AppMenuItem { action: root.actions.about; iconName: Icons.info; objectName: "menu:about" }
    }
}
