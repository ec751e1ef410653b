from __future__ import annotations

import mujoco
import pytest
from roqsim.errors import BuildError, NotFoundError, PluginError, RoqsimError
from roqsim.plugin import Plugin


class Raises(Plugin):
    def build(self, spec, ctx):
        raise self.config["error"]


class Adds(Plugin):
    def build(self, spec, ctx):
        self.config["add"](spec)


class Spawns(Adds):
    provides_entity = True


def named(cls, address, **config):
    plugin = cls(config, name=address)
    plugin.address = address
    return plugin


def test_the_phases_of_a_build_are_timed(build):
    assert build({})[2] == ["world", "build", "share assets", "compile"]
    assert build({"sim": {"dedup_assets": False}})[2] == ["world", "build", "compile"]


def test_components_find_the_world_while_they_build_and_nothing_afterwards(build):
    seen = []
    plugins = [named(Adds, "a", add=lambda spec: seen.append(spec.geom("floor").name))]
    _, ctx, _ = build({}, plugins)
    assert seen == ["floor"] and ctx.spec is None


def test_an_error_of_ours_gets_the_components_address_once(build):
    with pytest.raises(NotFoundError, match=r"^robot: no such wheel$"):
        build({}, [named(Raises, "robot", error=NotFoundError("no such wheel"))])
    with pytest.raises(RoqsimError, match=r"^robot: no such wheel$"):
        build({}, [named(Raises, "robot", error=RoqsimError("robot: no such wheel"))])


def test_any_other_exception_names_component_and_hook_and_keeps_its_cause(build):
    with pytest.raises(PluginError, match=r"^robot: build failed: KeyError: 'wheel' at .*:\d+$") as error:
        build({}, [named(Raises, "robot", error=KeyError("wheel"))])
    assert (error.value.address, error.value.hook) == ("robot", "build")
    assert isinstance(error.value.__cause__, KeyError)


def bad_box(name):
    return lambda spec: spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, -1, 1])


def good_box(name):
    return lambda spec: spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 1])


def test_a_compile_error_names_the_component_that_added_the_element(build):
    plugins = [
        named(Adds, "hall", add=good_box("a")),
        named(Adds, "yard", add=bad_box("b")),
        named(Spawns, "robot", add=good_box("c")),
    ]
    with pytest.raises(BuildError) as error:
        build({}, plugins)
    assert str(error.value) == (
        "yard: expected a model that compiles, got 'size 1 must be positive in geom' from MuJoCo (element 'b')"
    )


def test_an_unnamed_element_has_an_owner_too(build):
    with pytest.raises(BuildError, match="^robot: expected a model that compiles"):
        build({}, [named(Adds, "hall", add=good_box("a")), named(Spawns, "robot", add=bad_box(""))])


def test_an_attached_model_that_does_not_compile_names_its_component(build, tmp_path):
    (tmp_path / "bad.xml").write_text(
        "<mujoco><worldbody><body name='b'><geom name='g' type='box' size='1 1 -1'/></body></worldbody></mujoco>"
    )
    document = {
        "components": [
            {"boxes": {"instances": [{"size": [1, 1, 1]}]}},
            {"spawn_model": {"model": "bad.xml"}, "name": "thing"},
            {"cylinders": {"instances": [{"radius": 1, "height": 1}]}},
        ]
    }
    with pytest.raises(BuildError, match=r"^thing: .*size 2 must be positive in geom.*\(element 'thing_g'\)$"):
        build(document)


def test_the_worlds_own_mistakes_are_the_worlds(build, tmp_path):
    (tmp_path / "w.xml").write_text("<mujoco><worldbody><geom name='g' type='box' size='1 1 -1'/></worldbody></mujoco>")
    with pytest.raises(BuildError, match=r"^sim\.world: .*size 2 must be positive"):
        build({"sim": {"world": "w.xml"}}, [named(Adds, "hall", add=good_box("a"))])


def test_a_file_that_a_component_names_wrongly_is_its_mistake(build):
    plugins = [named(Adds, "hall", add=lambda spec: spec.add_mesh(name="m", file="/no/such.obj"))]
    with pytest.raises(BuildError, match=r"^hall: .*/no/such\.obj"):
        build({}, plugins)


def test_a_name_that_the_world_has_is_the_components_mistake(build):
    document = {"components": [{"boxes": {"instances": [{"name": "floor", "size": [1, 1, 1]}]}}]}
    with pytest.raises(BuildError) as error:
        build(document)
    assert str(error.value) == (
        "boxes: expected a name of its own for each geom, got 'floor' again, which sim.world has; "
        "give it another `name:` or `prefix:`"
    )


def test_a_world_of_many_bodies_has_the_memory_to_look_for_contacts(build):
    places = [{"pose": {"position": [x, y, 1]}} for x in range(50) for y in range(40)]
    boxes = {"boxes": {"size": [0.1, 0.1, 0.1], "motion": "static", "instances": places}}
    model, _, _ = build({"components": [boxes]})
    assert model.nbody > 2000
    mujoco.mj_step(model, mujoco.MjData(model))
