// The tokens of the look: colours, spacing on a 4-px grid, radii, type, durations. No other file has literals for these.
pragma Singleton
import QtQuick

QtObject {
    // Surfaces, from the window up.
    readonly property color window: "#15171b"
    readonly property color panel: "#1c1f25"
    readonly property color raised: "#252932"
    readonly property color hover: "#2e333e"
    readonly property color pressed: "#383e4b"
    readonly property color input: "#13151a"
    readonly property color line: "#30353f"
    readonly property color lineStrong: "#4a515f"
    readonly property color shade: "#a0000000"

    // Text on these: contrast 13, 7.5 and 5 on `panel`.
    readonly property color text: "#e6e9ef"
    readonly property color textMuted: "#a9b1bf"
    readonly property color textFaint: "#8a93a3"

    readonly property color accent: "#5aa9f0"
    readonly property color accentDim: "#24476a"
    readonly property color accentText: "#0b1420"
    readonly property color focus: "#8cc8ff"
    readonly property color error: "#ff6b6b"
    readonly property color errorDim: "#4a2427"
    readonly property color warning: "#f2b544"
    readonly property color warningDim: "#463719"
    readonly property color info: "#7fb8e8"
    readonly property color ok: "#55c28a"

    // The canvas and what lies on it.
    readonly property color canvas: "#17191e"
    readonly property color canvasGrid: "#22262d"
    readonly property color card: "#242832"
    readonly property color cardHeader: "#2d323e"
    readonly property color cardLine: "#3a4150"
    readonly property color selection: "#8cc8ff"

    // dtypes: Okabe–Ito. Names are those of the engine's dtype table.
    readonly property color dtypeF64: "#0072b2"
    readonly property color dtypeF32: "#56b4e9"
    readonly property color dtypeTf32: "#f0e442"
    readonly property color dtypeF16: "#e69f00"
    readonly property color dtypeBf16: "#009e73"
    readonly property color dtypeF8: "#cc79a7"
    readonly property color dtypeInt: "#9aa0aa"
    readonly property color dtypeMesh: "#d55e00"
    readonly property color dtypeAny: "#7a8190"

    /// Every token above that C++ items draw with, by name.
    readonly property var colours: ({
        window, panel, raised, hover, input, line, lineStrong, text, textMuted, textFaint, accent, focus, error, warning,
        ok, canvas, canvasGrid, card, cardHeader, cardLine, selection, dtypeF64, dtypeF32, dtypeTf32, dtypeF16,
        dtypeBf16, dtypeF8, dtypeInt, dtypeMesh, dtypeAny
    })
    /// The colour of a dtype by its token; grey when unknown.
    function dtype(token: string): color {
        return colours[token] ?? dtypeAny;
    }
    /// The colour of a dtype by its name in files: "f16", "f8e4m3", "i32".
    function dtypeNamed(name: string): color {
        if (/^f8/.test(name))
            return dtypeF8;
        if (/^([iu][0-9]|bool)/.test(name))
            return dtypeInt;
        return colours["dtype" + name.charAt(0).toUpperCase() + name.slice(1)] ?? dtypeAny;
    }
    /// The colour of a node category's stripe.
    function category(name: string): color {
        return ({
            "Source": "#6f9bd1", "Encoder": "#c59a4a", "Layer": "#5fae8b", "Math": "#9a8bd0", "Shape": "#8fa0b0",
            "Loss": "#d07a7a", "Training": "#c77fb0", "View": "#4fb0b8"
        })[name] ?? dtypeAny;
    }

    // Spacing.
    readonly property int space1: 4
    readonly property int space2: 8
    readonly property int space3: 12
    readonly property int space4: 16
    readonly property int space6: 24
    readonly property int space8: 32
    // Heights of a row, a control, a bar.
    readonly property int row: 28
    readonly property int control: 28
    readonly property int bar: 40
    readonly property int header: 32
    readonly property int icon: 16
    readonly property int handle: 4

    readonly property int radiusSmall: 3
    readonly property int radius: 5
    readonly property int radiusLarge: 8
    readonly property int focusRing: 2

    // Type.
    readonly property string family: "Inter"
    readonly property string mono: "JetBrains Mono"
    readonly property string icons: "Material Design Icons"
    readonly property int sizeSmall: 11
    readonly property int sizeBody: 12
    readonly property int sizeTitle: 13
    readonly property int sizeHeading: 16

    // Durations in ms.
    readonly property int quick: 80
    readonly property int normal: 140
    readonly property int tipDelay: 500
    readonly property int toast: 8000
}
