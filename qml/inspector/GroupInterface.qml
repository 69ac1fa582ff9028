// What the instances of a group have: its inputs, outputs and parameters, to be put in order by their handles, renamed,
// and given defaults.
import QtQuick
import Halfwire
import Halfwire.App

Column {
    id: root
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
        text: qsTr("%1: inputs, for all its instances").arg(App.groupInterface.title)
    }
    Repeater {
        model: App.groupInterface.inputs
        InterfaceRow {
            width: root.width
            list: App.groupInterface.inputs
            onMoved: place => App.groupInterface.moveSocket(id, place)
            onRenamed: label => App.groupInterface.renameSocket(id, label)
        }
    }
    Heading {
        visible: App.groupInterface.outputs.length > 0
        text: qsTr("Outputs")
    }
    Repeater {
        model: App.groupInterface.outputs
        InterfaceRow {
            width: root.width
            list: App.groupInterface.outputs
            onMoved: place => App.groupInterface.moveSocket(id, place)
            onRenamed: label => App.groupInterface.renameSocket(id, label)
        }
    }
    Heading {
        visible: App.groupInterface.params.length > 0
        text: qsTr("Parameters, and their defaults")
    }
    Repeater {
        model: App.groupInterface.params
        InterfaceRow {
            width: root.width
            list: App.groupInterface.params
            hasValue: true
            onMoved: place => App.groupInterface.moveParam(id, place)
            onRenamed: label => App.groupInterface.renameParam(id, label)
            onValueTyped: text => problem = App.groupInterface.setDefault(id, text)
        }
    }
}
