// The palette: node types, groups of the file and blocks, by category or by search. Drag a row onto the canvas, or
// double-click it.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Panel {
    id: root
    objectName: "palette"
    required property PaletteModel model
    required property Library library
    required property Document document
    title: qsTr("Nodes")
    iconName: Icons.add
    /// Add this type in the middle of the canvas.
    signal addRequested(string type)
    /// Replace the selection by this type.
    signal replaceRequested(string type)
    /// Open the file of a block.
    signal openRequested(url file)
    readonly property bool searching: search.text.trim() !== ""

    TextBox {
        id: search
        readonly property bool pending: false  // Undo takes back what was added, not what was searched
        objectName: "paletteSearch"
        x: Theme.space2
        y: Theme.space2
        width: parent.width - 2 * Theme.space2
        iconName: Icons.search
        placeholderText: qsTr("Search nodes")
        focus: true
        onTextChanged: {
            root.model.filter = text;
            list.currentIndex = root.searching ? 0 : -1;
        }
        onAccepted: if (list.currentIndex >= 0) root.addRequested(root.model.typeAt(list.currentIndex))
        Keys.onDownPressed: list.incrementCurrentIndex()
        Keys.onUpPressed: list.decrementCurrentIndex()
        Keys.onEscapePressed: clear()
    }
    ListView {
        id: list
        objectName: "paletteList"
        anchors.top: search.bottom
        anchors.topMargin: Theme.space2
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
        model: root.model
        currentIndex: -1
        keyNavigationEnabled: true
        boundsBehavior: Flickable.StopAtBounds
        interactive: !dragged.visible
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Node types")
        T.ScrollBar.vertical: ThinScrollBar {}
        section.property: root.searching ? "" : "category"
        section.delegate: Item {
            required property string section
            width: list.width
            height: Theme.row
            Text {
                x: Theme.space3
                anchors.bottom: parent.bottom
                anchors.bottomMargin: Theme.space1
                text: parent.section
                color: Theme.textFaint
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
                font.weight: Font.DemiBold
            }
        }
        delegate: PaletteRow {
            width: list.width
            highlighted: ListView.isCurrentItem
            onAddRequested: root.addRequested(type)
            onMenuRequested: menu.openFor(this)
            onGrabbed: dragged.begin(type, title, category)
            onMoved: scene => dragged.moveTo(scene)
            onLetGo: dragged.drop()
            onCancelled: dragged.cancel()
        }
    }
    EmptyHint {
        visible: list.count === 0
        iconName: Icons.search
        text: qsTr("No node fits “%1”.").arg(search.text)
    }
    DraggedNode {
        id: dragged
        document: root.document
    }
    PaletteMenu {
        id: menu
        model: root.model
        library: root.library
        document: root.document
        onAddRequested: key => root.addRequested(key)
        onReplaceRequested: key => root.replaceRequested(key)
        onOpenRequested: file => root.openRequested(file)
    }
}
