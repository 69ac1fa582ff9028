// What the instances of a group have: its inputs, outputs and parameters, to be put in order by their handles, renamed,
// and given defaults.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property GroupInterfaceModel model
    required property Document document
    objectName: "groupInterface"
    topPadding: Theme.space2
    bottomPadding: Theme.space2

    component Heading: Text {
        x: Theme.space3
        width: root.width - 2 * Theme.space3
        height: Theme.control
        verticalAlignment: Text.AlignBottom
        bottomPadding: Theme.space1
        color: Theme.textFaint
        elide: Text.ElideRight
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }

    Heading {
        text: qsTr("%1: inputs, for all its instances").arg(root.model.title)
    }
    Repeater {
        model: root.model.inputs
        InterfaceRow {
            width: root.width
            document: root.document
            list: root.model.inputs
            onMoved: place => root.model.moveSocket(id, place)
            onRenamed: label => root.model.renameSocket(id, label)
        }
    }
    Heading {
        visible: root.model.outputs.length > 0
        text: qsTr("Outputs")
    }
    Repeater {
        model: root.model.outputs
        InterfaceRow {
            width: root.width
            document: root.document
            list: root.model.outputs
            onMoved: place => root.model.moveSocket(id, place)
            onRenamed: label => root.model.renameSocket(id, label)
        }
    }
    Heading {
        visible: root.model.params.length > 0
        text: qsTr("Parameters, and their defaults")
    }
    Repeater {
        model: root.model.params
        InterfaceRow {
            width: root.width
            document: root.document
            list: root.model.params
            hasValue: true
            onMoved: place => root.model.moveParam(id, place)
            onRenamed: label => root.model.renameParam(id, label)
            onValueTyped: text => problem = root.model.setDefault(id, text)
        }
    }
}
