// The number formats side by side, and what this machine computes their products in.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    readonly property var columns: [
        { key: "name", title: qsTr("Format"), share: 0.1 },
        { key: "bits", title: qsTr("Bits"), share: 0.05 },
        { key: "layout", title: qsTr("Layout"), share: 0.11 },
        { key: "max", title: qsTr("Largest"), share: 0.1 },
        { key: "epsilon", title: qsTr("Epsilon"), share: 0.08 },
        { key: "smallestNormal", title: qsTr("Smallest normal"), share: 0.11 },
        { key: "smallest", title: qsTr("Smallest"), share: 0.09 },
        { key: "specials", title: qsTr("Special"), share: 0.08 },
        { key: "products", title: qsTr("Products on this machine"), share: 0.28 }
    ]

    title: qsTr("Number formats")
    width: Math.min(1160, parent ? parent.width - 2 * Theme.space8 : 1160)
    height: Math.min(520, parent ? parent.height - 2 * Theme.space8 : 560)
    onAboutToShow: App.dtypes.load()

    component Cells: Row {
        id: cells
        property var values: ({})  // by column key
        property color ink: Theme.text
        property bool mono: true
        Repeater {
            model: root.columns
            TextLabel {
                required property var modelData
                required property int index
                width: cells.width * modelData.share - (index === 0 ? Theme.space4 : 0)
                height: cells.height
                rightPadding: Theme.space2
                elide: Text.ElideRight
                text: cells.values[modelData.key] ?? ""
                color: cells.ink
                font.family: cells.mono && index > 0 && index < root.columns.length - 1 ? Theme.mono : Theme.family
                font.pixelSize: Theme.sizeSmall
                font.weight: index === 0 ? Font.DemiBold : Font.Normal
            }
        }
    }

    Cells {
        id: head
        x: Theme.space4
        width: parent.width - x
        height: Theme.row
        mono: false
        ink: Theme.textMuted
        values: root.columns.reduce((all, column) => Object.assign(all, { [column.key]: column.title }), {})
    }
    ListView {
        objectName: "dtypes"
        anchors.top: head.bottom
        anchors.bottom: note.top
        anchors.bottomMargin: Theme.space2
        width: parent.width
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        model: App.dtypes.cards
        T.ScrollBar.vertical: ThinScrollBar {}
        delegate: Item {
            id: row
            required property var modelData
            objectName: "dtype:" + modelData.name
            property string value: modelData.products
            width: ListView.view.width
            height: Theme.row
            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.space2
                height: width
                radius: width / 2
                color: Theme.dtype(row.modelData.token)
            }
            Cells {
                x: Theme.space4
                width: parent.width - x
                height: parent.height
                values: row.modelData
            }
        }
    }
    Text {
        id: note
        anchors.bottom: parent.bottom
        width: parent.width
        text: qsTr("Layout: bits of sign + exponent + mantissa. Epsilon: from 1 to the next larger number. Below the smallest normal, numbers lose precision bit by bit down to the smallest; what is less than half of that becomes 0. tf32 is never stored: products read f32 rounded to it.")
        color: Theme.textFaint
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
