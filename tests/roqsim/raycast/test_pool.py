from __future__ import annotations

import gc
import itertools
import threading
import time

import mujoco
import numpy as np
import pytest
from roqsim.raycast import RayCaster, pool
from roqsim.raycast.pool import POSES, RayPool

COUNT = 4_000
"""Rays of a cast that a pool shares out."""

CARRIER = 1
"""The body that the rays start from: two welded bodies, so that its geoms are hidden by their group."""

SHAPES = ("box", "cylinder", "capsule", "ellipsoid", "sphere", "mesh")

WEDGE = 'mesh="wedge"'

FIELDS = """
<hfield name="hill" nrow="12" ncol="12" size="2 2 .5 .1"/>
<mesh name="wedge" vertex="-1 -1 -1  1 -1 -1  0 1 -1  0 0 1  .5 .5 .8"/>
"""


def numbers(values) -> str:
    return " ".join(f"{value:.6f}" for value in np.atleast_1d(values))


def jumble(seed: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Turned bodies of every shape in a moving state, with a height field, a flex and a carrier of two bodies."""
    rng = np.random.default_rng(seed)
    bodies = []
    for _ in range(8):
        geoms = "".join(
            f'<geom type="{shape}" size="{numbers(rng.uniform(0.1, 0.6, 3))}" {WEDGE if shape == "mesh" else ""} '
            f'pos="{numbers(rng.uniform(-1, 1, 3))}" euler="{numbers(rng.uniform(-180, 180, 3))}"/>'
            for shape in rng.choice(SHAPES, size=rng.integers(1, 4))
        )
        pose = f'pos="{numbers(rng.uniform(-5, 5, 3))}" euler="{numbers(rng.uniform(-180, 180, 3))}"'
        bodies.append(f"<body {pose}><freejoint/>{geoms}</body>")
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{FIELDS}</asset><worldbody>"
        '<body pos="0 0 1"><freejoint/><geom size=".2"/><body pos="0 0 .3"><geom size=".1"/></body></body>'
        '<geom type="hfield" hfield="hill" pos="3 3 -1"/><geom type="plane" size="9 9 1" pos="0 0 -2"/>'
        '<flexcomp name="cloth" type="grid" count="4 4 1" spacing=".3 .3 .3" pos="-2 -2 1" radius=".02" dim="2">'
        f'<edge equality="true"/></flexcomp>{"".join(bodies)}</worldbody></mujoco>'
    )
    model.hfield_data[:] = rng.random(model.hfield_data.shape)
    data = mujoco.MjData(model)
    data.qvel[:] = rng.normal(size=model.nv)
    mujoco.mj_step(model, data, 20)
    mujoco.mj_forward(model, data)
    return model, data


def rays(seed: int, count: int = COUNT) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def casters(model, *, threads: int = 3, **options) -> tuple[RayCaster, RayCaster]:
    made = [RayCaster(model, COUNT, threads=each, **options) for each in (1, threads)]
    return made[0], made[1]


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("rays-")]


@pytest.fixture(autouse=True)
def no_worker_left():
    yield
    gc.collect()
    assert not workers()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("carrier", [None, CARRIER])
def test_a_pool_finds_what_a_serial_cast_finds_to_the_bit(seed, carrier):
    model, data = jumble(seed)
    serial, pooled = casters(model, carrier=carrier, max_range=6.0, with_normals=True)
    for turn in range(3):
        bundle = rays(100 * seed + turn)
        results = []
        for caster in (serial, pooled):
            caster.cast(data, data.xpos[CARRIER].copy(), bundle)
            hit = caster.geoms >= 0
            results.append((caster.distances.tobytes(), caster.geoms.tobytes(), caster.normals[hit].tobytes()))
        assert results[0] == results[1]
        assert hit.any() and (carrier is None or not hit.all())
        mujoco.mj_step(model, data, 10)
        mujoco.mj_forward(model, data)
    pooled.close()


def test_a_pool_sees_what_moved_between_two_casts_of_it():
    model, data = jumble(1)
    _, pooled = casters(model)
    bundle, origin = rays(2), np.array([0.0, 0.0, 1.0])
    before = pooled.cast(data, origin, bundle).copy()
    data.qpos[:3] += 1.0
    data.qpos[7:10] -= 1.0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    after = pooled.cast(data, origin, bundle).copy()
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, RayCaster(model, COUNT).cast(data, origin, bundle))
    pooled.close()


def test_some_rows_of_a_bundle_are_cast_and_the_others_stay():
    model, data = jumble(3)
    bundle, origin = rays(4, 2 * COUNT), np.array([0.0, 0.0, 1.0])
    whole = RayCaster(model, 2 * COUNT, max_range=5.0)
    whole.cast(data, origin, bundle)
    for threads in (1, 2):
        caster = RayCaster(model, 2 * COUNT, max_range=5.0, threads=threads)
        for rows in (slice(0, 10), slice(10, 3000), slice(3000, 6000), slice(6000, 6000), slice(6000, None)):
            caster.cast(data, origin, bundle, rows)
            np.testing.assert_array_equal(caster.distances[: rows.stop], whole.distances[: rows.stop])
            assert rows.stop is None or np.isinf(caster.distances[rows.stop :]).all()
        np.testing.assert_array_equal(caster.geoms, whole.geoms)
        caster.close()


def test_mj_multi_ray_reads_the_poses_that_a_worker_gets_and_nothing_else():
    """A scrambled field that changes a cast must be one of those copied; a worker with only those sees the same."""
    model, data = jumble(5)
    rng, bundle, origin = np.random.default_rng(6), rays(7), np.array([0.5, 0.5, 1.0])
    caster = RayCaster(model, COUNT)
    expected = caster.cast(data, origin, bundle).copy()
    arrays = {name: getattr(data, name) for name in dir(data) if not name.startswith("_")}
    arrays = {name: array for name, array in arrays.items() if isinstance(array, np.ndarray) and array.size}
    assert set(POSES) < set(arrays)
    found = set()
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            continue
        kept = array.copy()
        array[:] = rng.standard_normal(array.shape)
        if not np.array_equal(caster.cast(data, origin, bundle), expected):
            found.add(name)
        array[:] = kept
    assert {"geom_xpos", "geom_xmat"} <= found <= set(POSES)
    empty = mujoco.MjData(model)
    for name in POSES:
        getattr(empty, name)[:] = getattr(data, name)
    np.testing.assert_array_equal(caster.cast(empty, origin, bundle), expected)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [1, 2, 5, 20_160, 20_161])
def test_slices_are_large_at_first_and_hold_every_ray_once(count, threads):
    slices = pool.slices_of(count, threads)
    assert [ray for first, last in slices for ray in range(first, last)] == list(range(count))
    sizes = [last - first for first, last in slices]
    assert max(sizes) <= 0.75 * count / threads + 1
    if count > 1000:
        assert len(sizes) == 2 * threads
        assert max(sizes[threads:]) < min(sizes[:threads])


def test_hidden_geoms_are_written_once_around_the_whole_scan_and_put_back(monkeypatch):
    model, data = jumble(8)
    group = model.geom_group.copy()
    caster = RayCaster(model, COUNT, carrier=CARRIER, threads=3)
    seen = []
    real = RayCaster._cast_rows

    def watched(self, *args):
        seen.append((threading.current_thread().name, model.geom_group.copy()))
        real(self, *args)

    monkeypatch.setattr(RayCaster, "_cast_rows", watched)
    caster.cast(data, data.xpos[CARRIER].copy(), rays(9))
    assert len(seen) == len(pool.slices_of(COUNT, 3)) == 6
    assert all((groups != group).sum() == 2 for _, groups in seen)
    np.testing.assert_array_equal(model.geom_group, group)
    caster.close()


def test_the_stack_of_the_state_is_given_back_under_stepping():
    model, data = jumble(10)
    serial, pooled = casters(model, threads=4, carrier=CARRIER)
    bundle, stacks = rays(11), set()
    for _ in range(200):
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        origin = data.xpos[CARRIER].copy()
        pooled.cast(data, origin, bundle)
        stacks |= {data.pstack} | {each.pstack for each in pooled._pool._datas}
    assert stacks == {0}
    np.testing.assert_array_equal(pooled.distances, serial.cast(data, origin, bundle))
    pooled.close()


def test_casters_of_one_model_share_their_threads_and_the_last_one_ends_them():
    model, data = jumble(12)
    first, second = (RayCaster(model, COUNT, threads=3) for _ in range(2))
    assert not workers()
    for caster in (first, second):
        caster.cast(data, np.zeros(3), rays(12))
    assert len(workers()) == 2
    other_model, other_data = jumble(13)
    other = RayCaster(other_model, COUNT, threads=2)
    other.cast(other_data, np.zeros(3), rays(13))
    assert len(workers()) == 2 + 1
    first.close()
    first.close()
    assert len(workers()) == 3
    second.close()
    other.close()
    assert not workers()


def test_a_closed_caster_and_a_closed_pool_cast_on_the_calling_thread():
    model, data = jumble(14)
    serial, pooled = casters(model)
    bundle, origin = rays(15), np.zeros(3)
    pooled.cast(data, origin, bundle)
    pooled.close()
    np.testing.assert_array_equal(pooled.cast(data, origin, bundle), serial.cast(data, origin, bundle))
    pool, names = RayPool(model, 2), []
    pool.close()
    pool.run(data, lambda *_: names.append(threading.current_thread()), 10)
    assert names == [threading.current_thread()]


def test_a_caster_that_nobody_closes_ends_its_threads_when_it_is_forgotten():
    model, data = jumble(16)
    caster = RayCaster(model, COUNT, threads=2)
    caster.cast(data, np.zeros(3), rays(17))
    assert workers()
    del caster
    gc.collect()
    assert not workers()


def test_a_small_bundle_and_a_single_thread_start_no_worker():
    model, data = jumble(18)
    few = pool.PAYS_FROM - 1
    for caster in (RayCaster(model, few, threads=4), RayCaster(model, COUNT, threads=1)):
        caster.cast(data, np.zeros(3), rays(18, len(caster.distances)))
        assert not workers()


@pytest.mark.parametrize("bad", [0, COUNT - 1])
def test_a_failing_slice_is_reported_when_all_are_done_and_the_pool_still_works(bad):
    model, data = jumble(19)
    pool, ran = RayPool(model, 3), []

    def job(_, start, stop):
        ran.append(stop - start)
        if start <= bad < stop:
            raise ArithmeticError(bad)

    with pytest.raises(ArithmeticError, match=str(bad)):
        pool.run(data, job, COUNT)
    assert sum(ran) == COUNT
    pool.run(data, lambda _, start, stop: ran.append(stop - start), COUNT)
    assert sum(ran) == 2 * COUNT
    pool.close()


def test_a_worker_that_comes_late_finds_nothing_to_do_and_nobody_waits_for_it():
    model, data = jumble(21)
    pool, taken = RayPool(model, 2), []
    release = threading.Event()
    pool._tasks.put(_Held(release))  # keeps the only worker from the scan
    pool.run(data, lambda _, start, stop: taken.append((start, stop)), 1000)
    release.set()
    assert taken[0][0] == 0 and taken[-1][1] == 1000
    assert all(one[1] == next_one[0] for one, next_one in itertools.pairwise(taken))
    pool.close()


class _Held:
    """A scan that keeps a worker until it is released."""

    def __init__(self, release: threading.Event) -> None:
        self._release = release

    def take(self) -> None:
        self._release.wait(5.0)


def test_two_threads_may_ask_one_pool():
    model, data = jumble(22)
    pool, running, most = RayPool(model, 2), [], []

    def job(*_):
        running.append(None)
        most.append(len(running))
        time.sleep(0.001)
        running.pop()

    askers = [threading.Thread(target=pool.run, args=(data, job, 100)) for _ in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert max(most) <= 2
    pool.close()


def test_a_pool_needs_a_thread():
    model, _ = jumble(23)
    with pytest.raises(ValueError, match=r"^threads: expected an int >= 1, got 0"):
        RayPool(model, 0)
    assert 1 <= pool.default_threads() <= pool.MOST_BY_DEFAULT
