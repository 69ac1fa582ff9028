// What the viewport shows on the surface: one of six, as icons side by side.
import QtQuick
import Halfwire
import Halfwire.Canvas

Rectangle {
    id: root
    required property var view  // ViewportItem
    readonly property var modes: [
        { id: "field", title: qsTr("The field, the mesh's own texture left of the split"), icon: Icons.field },
        { id: "wireframe", title: qsTr("Wireframe"), icon: Icons.wireframe },
        { id: "normals", title: qsTr("Normals: x red, y green, z blue"), icon: Icons.normals },
        { id: "uv", title: qsTr("Texture coordinates: u red, v green"), icon: Icons.uv },
        { id: "checker", title: qsTr("Checker over the texture coordinates"), icon: Icons.checker },
        { id: "texture", title: qsTr("The mesh's own texture"), icon: Icons.texture }
    ]
    implicitWidth: row.implicitWidth
    implicitHeight: Theme.space6
    radius: Theme.radius
    color: Theme.input
    Accessible.role: Accessible.PageTabList
    Accessible.name: qsTr("View")

    Row {
        id: row
        Repeater {
            model: root.modes
            IconButton {
                required property int index
                required property var modelData
                objectName: "viewport:view:" + modelData.id
                implicitHeight: Theme.space6
                implicitWidth: Theme.space6
                iconName: modelData.icon
                tip: modelData.title
                shortcutText: KeyBindings.labels["viewport." + modelData.id]
                enabled: root.view.hasMesh
                checked: root.view.mode === index
                Accessible.role: Accessible.RadioButton
                Accessible.checked: checked
                onClicked: root.view.mode = index
            }
        }
    }
}
