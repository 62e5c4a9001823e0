from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ai_memory.errors import Invalid
from ai_memory.harness import json_edit, json_tree

ODD = """{
   // a person's note
   "theme": "dark",   /* kept */
   "hooks": {
      "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ], // mine
   },
}
"""


def test_comments_order_and_odd_indentation_stay():
    done = json_edit.put(ODD, ("hooks", "Stop", 1), {"hooks": [{"command": "x"}]})
    assert done == ODD.replace(
        '"say done"}]} ]', '"say done"}]}, {"hooks": [{"command": "x"}]} ]'
    )
    assert json_edit.drop(done, ("hooks", "Stop", 1)) == ODD


def test_a_member_is_added_in_the_style_of_its_neighbours():
    assert json_edit.put('{\n\t"a": 1\n}\n', ("b",), {"c": 2}) == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'
    assert json_edit.put('{"a": 1}', ("b",), 2) == '{"a": 1, "b": 2}'


def test_line_ends_and_byte_order_mark_stay():
    text = '\ufeff{\r\n    "a": 1\r\n}\r\n'
    done = json_edit.put(text, ("b", "c"), 2)
    assert done == '\ufeff{\r\n    "a": 1,\r\n    "b": {\r\n        "c": 2\r\n    }\r\n}\r\n'
    assert json_edit.drop(done, ("b",)) == text


def test_a_comment_at_the_end_of_the_line_stays_with_its_member():
    text = '{\n  "a": 1 // one\n}'
    assert json_edit.put(text, ("b",), 2) == '{\n  "a": 1, // one\n  "b": 2\n}'
    assert json_edit.drop(json_edit.put(text, ("b",), 2), ("b",)) == text


def test_a_line_comment_never_swallows_what_is_added():
    text = '{"a": 1 // one\n}'
    assert json_edit.read(json_edit.put(text, ("b",), 2)) == {"a": 1, "b": 2}


def test_a_value_is_replaced_in_its_place():
    assert json_edit.put('{"a": [1, {"b": 2}], "c": 3}', ("a", 1), {"b": 5}) == '{"a": [1, {\n  "b": 5\n}], "c": 3}'


def test_an_empty_text_becomes_an_object():
    assert json_edit.put("", ("a", "b"), 1) == '{\n  "a": {\n    "b": 1\n  }\n}\n'


@pytest.mark.parametrize("blank", ["", " ", "\n", "\n\n  ", " /* none yet */ "])
def test_an_empty_object_gets_its_inside_back(blank):
    text = '{"hooks": {' + blank + "}}"
    inside = json_edit.inside(text, ("hooks",))
    assert inside == blank
    done = json_edit.put(text, ("hooks", "Stop"), [1])
    assert json_edit.drop(done, ("hooks", "Stop"), inside) == text


def test_a_part_in_the_middle_goes_without_its_comma():
    text = '{\n  "a": 1,\n  // about b\n  "b": 2,\n  "c": 3\n}'
    assert json_edit.drop(text, ("b",)) == '{\n  "a": 1,\n  // about b\n  "c": 3\n}'
    assert json_edit.drop(text, ("a",)) == '{\n  // about b\n  "b": 2,\n  "c": 3\n}'


@pytest.mark.parametrize(
    "text",
    ['{"a": }', "{a: 1}", '{"a": 1 "b": 2}', "[1, 2", '{"a": 1} x', "{'a': 1}", '{"a": 1,, "b": 2}', "nul", "{/*",
     '{"a": "\n"}', "[" * 500, '{"a": 01}', "/", '{"a": "\\x"}'],
)
def test_what_is_not_json_is_refused_with_a_line(text):
    with pytest.raises(Invalid, match="line "):
        json_edit.put(text, ("x",), 1)


def test_a_place_that_holds_something_else_is_refused():
    with pytest.raises(Invalid, match="hooks"):
        json_edit.put('{"hooks": "none"}', ("hooks", "Stop"), [])


def test_a_name_given_twice_is_refused_rather_than_half_removed():
    with pytest.raises(Invalid):
        json_edit.drop('{"a": 1, "a": 2}', ("a",))


LEAF = st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=6) | st.just("// not a comment")
TREE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=9,
)
OBJECT = st.dictionaries(st.text(max_size=4), TREE, max_size=4)


@st.composite
def layouts(draw):
    """A printer of JSON in a style of its own, with comments and trailing commas wherever they may stand."""
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    unit = draw(st.sampled_from(["  ", "    ", "\t", "   "]))
    filling = st.sampled_from(["", "", " ", "  ", "/* c */", " // d" + eol, eol, eol + eol])
    blanks = draw(st.lists(filling, min_size=8, max_size=8))
    trailing, flat, bom = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    count = [0]

    def blank():
        count[0] += 1
        return blanks[count[0] % 8]

    def show(value, indent):
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=False)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return opening + blank() + closing
        gap, last = (" ", "") if flat else (eol + indent + unit, eol + indent)
        rows = [gap + show(v, indent + unit) for v in value] if isinstance(value, list) else [
            gap + json.dumps(k, ensure_ascii=False) + blank() + ":" + blank() + show(v, indent + unit)
            for k, v in value.items()
        ]
        body = "".join(row + blank() + ("," + blank() if trailing or row is not rows[-1] else "") for row in rows)
        return opening + body + last + closing

    return lambda value: ("\ufeff" if bom else "") + blank() + show(value, "") + blank() + eol


def places(value, path=()):
    found = [path]
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, step))
    return found


@given(value=OBJECT, show=layouts(), added=TREE, key=st.text(max_size=5), pick=st.randoms(use_true_random=False))
def test_to_add_and_then_remove_gives_the_same_bytes(value, show, added, key, pick):
    text = show(value)
    assert json_tree.parse(text).value == value
    boxes = [path for path in places(value) if isinstance(json_tree.parse(text).at(path).value, dict | list)]
    path = pick.choice(boxes)
    box = json_tree.parse(text).at(path).value
    assume(not (isinstance(box, dict) and key in box))
    spot = (*path, key if isinstance(box, dict) else len(box))
    done = json_edit.put(text, spot, added)
    assert json_edit.drop(done, spot, json_edit.inside(text, path) or "") == text


@given(value=OBJECT, show=layouts(), pick=st.randoms(use_true_random=False))
def test_to_remove_leaves_the_rest_and_every_comment(value, show, pick):
    text = show(value)
    paths = [path for path in places(value) if path]
    assume(paths)
    path = pick.choice(paths)
    done = json_edit.drop(text, path)
    part = json_tree.parse(text).at(path[:-1]).child(path[-1])
    gone = text[part.start : max(part.comma, part.end)]
    assert done.count("/* c */") == text.count("/* c */") - gone.count("/* c */")


@given(st.text(alphabet='{}[]",:/*\\ \n01aten\ufeff', max_size=30))
def test_whatever_json_reads_is_read_the_same(text):
    try:
        wanted = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return
    assert json_tree.parse(text).value == wanted
