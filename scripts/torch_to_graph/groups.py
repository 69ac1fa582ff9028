"""Nodes as a graph file: a group for each module, one definition for those that are alike, and the names that the weights have in PyTorch."""

import json
import re

COLUMN, ROW = 280, 160


class Group:
    """A module, or the graph itself: nodes and groups in their order."""
    def __init__(self, parent=None, path="", kind=""):
        self.parent, self.path, self.kind = parent, path, kind
        self.items, self.children = [], {}
        self.inputs, self.outputs = {}, {}  # a wire that crosses the border: its socket
        self.id, self.name, self.tie = "", "", None
        self.definition = None

    def above(self):
        """This group and those around it, innermost first."""
        group = self
        while group is not None:
            yield group
            group = group.parent


def write(converter):
    """The text of the graph file."""
    root = tree(converter.nodes)
    while True:
        assign_ids(root)
        places = {id(node): group for group in all_groups(root) for node in group.items if not isinstance(node, Group)}
        cross_borders(root, places)
        wrong = find_cycle(root, places)
        if not wrong:
            define(root, places)
            wrong = tie_groups(root, places)
        if not wrong:
            break
        for group in wrong:
            dissolve(group)
    return to_text(root)


def tree(nodes):
    """Groups by module path; a module of one node is that node, with the module's name."""
    root = Group()
    for node in nodes:
        group = root
        for path, kind in node.scope:
            if path not in group.children:
                made = Group(group, path, kind)
                group.children[path] = made
                group.items.append(made)
            group = group.children[path]
        group.items.append(node)
    collapse(root)
    return root


def collapse(group):
    for child in [item for item in group.items if isinstance(item, Group)]:
        collapse(child)
        if len(child.items) == 1:
            only = child.items[0]
            if isinstance(only, Group):
                only.parent = group
            elif not only.name:
                only.name = relative(child.path, group.path)
            group.items[group.items.index(child)] = only


def relative(path, of):
    """"h.0" of "model.h.0@1" in "model"."""
    path, of = without_calls(path), without_calls(of)
    return path[len(of) + 1 :] if of and path.startswith(of + ".") else path


def without_calls(path):
    return re.sub(r"@\d+", "", path)


def all_groups(group):
    yield group
    for item in group.items:
        if isinstance(item, Group):
            yield from all_groups(item)


def dissolve(group):
    """Its nodes and groups become the parent's."""
    at = group.parent.items.index(group)
    for item in group.items:
        if isinstance(item, Group):
            item.parent = group.parent
        elif item.name:
            item.name = f"{relative(group.path, group.parent.path)}.{item.name}"
    group.parent.items[at : at + 1] = group.items


def slug(text, kind="node"):
    """An id; of a name that is a number, as in a Sequential, with the kind before it."""
    text = re.sub(r"[^0-9A-Za-z_]+", "_", text).strip("_").lower()
    return text if text and not text[0].isdigit() else f"{slug(kind)}_{text}".rstrip("_")


def assign_ids(root):
    for group in all_groups(root):
        taken = set()
        group.inputs, group.outputs, group.definition, group.tie = {}, {}, None, None
        fixed = [item for item in group.items if not isinstance(item, Group) and item.type in ("input", "output")]
        for item in fixed + [item for item in group.items if item not in fixed]:
            if isinstance(item, Group):
                item.name = relative(item.path, group.path)
            kind = item.kind if isinstance(item, Group) else item.type.rpartition(":")[2]
            base = slug(item.name, kind) if item.name else slug(kind)
            item.id, number = base, 1
            while item.id in taken:
                number += 1
                item.id = f"{base}_{number}"
            taken.add(item.id)
        group.taken = taken


def socket(group, base):
    name, number = base, 1
    while name in group.taken:
        number += 1
        name = f"{base}_{number}"
    group.taken.add(name)
    return name


def cross_borders(root, places):
    """Gives each group a socket for each wire that crosses its border."""
    for group in all_groups(root):
        for node in group.items:
            if isinstance(node, Group):
                continue
            for wire in node.links.values():
                key = (id(wire[0]), wire[1])
                around = set(map(id, group.above()))
                for source in places[id(wire[0])].above():
                    if id(source) in around:
                        break
                    if key not in source.outputs:
                        source.outputs[key] = socket(source, "y")
                outside = set(map(id, places[id(wire[0])].above()))
                for reader in group.above():
                    if id(reader) in outside:
                        break
                    if key not in reader.inputs:
                        reader.inputs[key] = socket(reader, "x")


def links_of(group, places):
    """(item, socket, source item or None for an input of the group, its socket, wire) of each wire inside."""
    found = []
    for item in group.items:
        if isinstance(item, Group):
            read = [(socket, key) for key, socket in item.inputs.items()]
        else:
            read = [(socket, (id(wire[0]), wire[1])) for socket, wire in item.links.items()]
        found += [(item, socket, *end_of(group, key, places)) for socket, key in read]
    return found


def end_of(group, key, places):
    """Where a wire begins, as seen in a group."""
    if key in group.inputs:
        return None, group.inputs[key]
    inner = places[key[0]]
    if inner is group:
        return next(item for item in group.items if id(item) == key[0]), key[1]
    while inner.parent is not group:
        inner = inner.parent
    return inner, inner.outputs[key]


def find_cycle(root, places):
    """A group that waits for itself: its module is left and entered again; None: there is none."""
    for group in all_groups(root):
        waits = {}
        for item, _, source, _ in links_of(group, places):
            if source is not None:
                waits.setdefault(id(item), set()).add(id(source))
        items, done = {id(item): item for item in group.items}, set()
        while True:
            ready = [key for key in items if key not in done and waits.get(key, set()) <= done]
            if not ready:
                break
            done.update(ready)
        stuck = [item for key, item in items.items() if key not in done and isinstance(item, Group)]
        if stuck:
            return stuck[:1]
    return None


def define(group, places):
    """Each group's definition as text, in which groups that compute the same are the same."""
    for item in group.items:
        if isinstance(item, Group):
            define(item, places)
    nodes = [{"id": name, "type": "input"} for name in group.inputs.values()]
    for item in group.items:
        if isinstance(item, Group):
            nodes.append({"id": item.id, "type": item.definition, "name": item.name})
        else:
            tied = item.tie is not None and places[id(item.tie)] is group
            kept = ("label", "frozen") if tied else ("name", "label", "frozen")  # a name belongs to one node
            more = {key: getattr(item, key) for key in kept if getattr(item, key)}
            nodes.append({"id": item.id, "type": item.type, **more, **({"tie": item.tie.id} if tied else {}), **({"params": item.params} if item.params else {})})
    links = [[f"{name if source is None else source.id}.{'y' if source is None else name}", f"{item.id}.{socket}"] for item, socket, source, name in links_of(group, places)]
    for key, name in group.outputs.items():
        source, out = end_of(group, key, places)
        nodes.append({"id": name, "type": "output"})
        links.append([f"{out if source is None else source.id}.{'y' if source is None else out}", f"{name}.x"])
    group.definition = json.dumps({"title": group.kind, "nodes": nodes, "links": links})


def tie_groups(root, places):
    """Ties groups whose nodes share weights across borders; groups where that cannot be said so are returned, to be dissolved."""
    for group in all_groups(root):
        for node in group.items:
            if isinstance(node, Group) or node.tie is None or places[id(node.tie)] is group:
                continue
            mine, owners = list(group.above()), list(places[id(node.tie)].above())
            while mine and owners and mine[-1] is owners[-1]:
                mine.pop(), owners.pop()
            if mine and owners and mine[-1].definition == owners[-1].definition and all_tied(mine[-1], owners[-1]):
                mine[-1].tie = owners[-1]
            else:
                return [made for made in (mine[-1:] + owners[-1:])]
    return None


def all_tied(group, owner):
    for a, b in zip(group.items, owner.items):
        if isinstance(a, Group):
            if not all_tied(a, b):
                return False
        elif a.weights and a.tie is not b:
            return False
    return True


def weight_names(group, path=(), names=()):
    """{"layer/linear.weight": "model.layer.weight"} where the names of groups and nodes do not say so themselves."""
    found = {}
    for item in group.items:
        if isinstance(item, Group):
            if item.tie is None:
                found.update(weight_names(item, (*path, item.id), (*names, item.name)))
        elif item.tie is None:
            for weight, name in item.weights.items():
                if ".".join((*names, item.name or item.id, weight)) != name or not item.name:
                    found["/".join((*path, item.id)) + f".{weight}"] = name
    return found


def to_text(root):
    keys, bodies = {}, {}

    def place(group):
        """The key of a group's definition, made where there is none yet."""
        if group.definition not in keys:
            for item in group.items:
                if isinstance(item, Group):
                    place(item)
            base, number = slug(group.kind), 1
            key = base
            while key in bodies:
                number += 1
                key = f"{base}_{number}"
            keys[group.definition] = key
            bodies[key] = body(group, keys) | {"title": group.kind + (f" {number}" if number > 1 else "")}
        return keys[group.definition]

    for item in root.items:
        if isinstance(item, Group):
            place(item)
    whole = body(root, keys)
    names = weight_names(root)
    lines = ['{', '  "halfwire": 1,']
    if names:
        lines += ['  "weight_names": {', ",\n".join(f"    {json.dumps(key)}: {json.dumps(name)}" for key, name in sorted(names.items())), "  },"]
    lines += block(whole, "  ")
    if bodies:
        lines[-1] += ","
        lines.append('  "subgraphs": {')
        parts = []
        for key, made in sorted(bodies.items()):
            parts.append("\n".join([f"    {json.dumps(key)}: {{", f"      \"title\": {json.dumps(made['title'])},", *block(made, "      "), "    }"]))
        lines += [",\n".join(parts), "  }"]
    return "\n".join([*lines, "}", ""])


def block(made, indent):
    lines = []
    for key in ("nodes", "links"):
        lines.append(f'{indent}"{key}": [')
        if made[key]:
            lines.append(",\n".join(f"{indent}  {json.dumps(one)}" for one in made[key]))
        lines.append(f"{indent}]" + ("," if key == "nodes" else ""))
    return lines


def body(group, keys):
    """Nodes and links of a group as the file has them, laid out in columns from left to right."""
    made = json.loads(group.definition)
    groups = {item.id: item for item in group.items if isinstance(item, Group)}
    columns = layout(made)
    for node in made["nodes"]:
        inner = groups.get(node["id"])
        if inner:
            node["type"] = f"group:{keys[inner.definition]}"
            if inner.tie:
                node["tie"] = inner.tie.id
                node.pop("name")
        node["at"] = columns[node["id"]]
    order = ("id", "type", "at", "name", "label", "frozen", "tie", "params")
    nodes = [{key: node[key] for key in order if key in node} for node in made["nodes"]]
    return {"nodes": sorted(nodes, key=lambda node: node["id"]), "links": sorted(made["links"], key=lambda link: link[1])}


def layout(made):
    """{id: [x, y]}: a column right of all that a node reads, rows in the order of the program."""
    sources = {}
    for begin, end in made["links"]:
        sources.setdefault(end.rpartition(".")[0], []).append(begin.rpartition(".")[0])
    column, waiting = {}, [node["id"] for node in made["nodes"]]
    while waiting:
        ready = [name for name in waiting if all(source in column for source in sources.get(name, ()))]
        for name in ready:
            column[name] = max((column[source] + 1 for source in sources.get(name, ())), default=0)
        waiting = [name for name in waiting if name not in column]
    first = {}
    for begin, end in made["links"]:  # what reads nothing stands left of its first reader
        begin, end = begin.rpartition(".")[0], end.rpartition(".")[0]
        if not sources.get(begin):
            first[begin] = min(first.get(begin, column[end]), column[end])
    rows, places = {}, {}
    for node in made["nodes"]:
        name = node["id"]
        at = column[name] if sources.get(name) or node["type"] == "input" else max(0, first.get(name, 1) - 1)
        places[name] = [at * COLUMN, rows.get(at, 0) * ROW]
        rows[at] = rows.get(at, 0) + 1
    return places
