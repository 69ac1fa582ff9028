// What a menu, a button and keys do: its words and keys are those of `name` in the table of key_table.h.
import QtQuick
import QtQuick.Templates as T
import Halfwire.Canvas

T.Action {
    id: root
    required property string name
    /// The first of its keys, as text for the user; "" when it has none.
    readonly property string keys: KeyBindings.labels[name]
    text: KeyBindings.title(name)
    readonly property Shortcut shortcuts: Shortcut {
        sequences: KeyBindings.sequences[root.name]
        enabled: root.enabled
        onActivated: root.trigger()
    }
}
