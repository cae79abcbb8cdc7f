"""Primitives of JAX that are calls of the extension, or of upsweep-cuda13 on a GPU: XLA's calls,
which treat all leading dimensions as a batch. Imported by upsweep.jax only."""

import functools
import importlib.util

import jax  # type: ignore[import-not-found]
import jax.extend.core  # type: ignore[import-not-found]
import jax.ffi  # type: ignore[import-not-found]
import jax.numpy as jnp  # type: ignore[import-not-found]
import numpy as np
from jax.interpreters import batching, mlir  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._settings import default_threads


def primitive(name, result, run, multiple=False, on_gpu=None):
    """A primitive whose results `result` describes, and which `run` lowers for the CPU, and for an
    NVIDIA GPU `on_gpu`, if there are kernels for it."""
    p = jax.extend.core.Primitive(f"upsweep_{name}")
    p.multiple_results = multiple
    p.def_abstract_eval(result)
    p.def_impl(functools.partial(_run, p))
    lower = functools.partial(mlir.lower_fun, multiple_results=multiple)
    mlir.register_lowering(p, lower(run), platform="cpu")
    if on_gpu is not None and _gpu_handlers():
        mlir.register_lowering(p, lower(on_gpu), platform="cuda")
    mlir.register_lowering(p, functools.partial(_refused, name))
    batching.primitive_batchers[p] = functools.partial(_batched, p)
    return p


@functools.cache
def _gpu_handlers():
    """Those of the package upsweep-cuda13, by name; none if it is not installed."""
    if importlib.util.find_spec("upsweep_cuda13") is None:
        return {}
    from upsweep_cuda13 import _core as kernels  # type: ignore[import-not-found]

    return kernels.xla_handlers()


def call_primitive(name, result, multiple=False, on_gpu=None):
    """A primitive that is a handler of the extension. On a GPU, `on_gpu` prepares the arguments and
    results of its handler there."""
    target = f"upsweep_{name}"
    jax.ffi.register_ffi_target(target, _core.xla_handlers()[name], platform="cpu")
    if _gpu_handlers():
        jax.ffi.register_ffi_target(target, _gpu_handlers()[name], platform="CUDA")

    def call(shapes, *args, **numbers):
        return jax.ffi.ffi_call(target, shapes)(
            *args, **{k: np.int64(v) for k, v in numbers.items()}
        )

    def shapes_of(*args, **params):
        return jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), result(*args, **params)
        )

    def run(*args, **params):
        return call(shapes_of(*args, **params), *args, **params, threads=default_threads())

    def run_on_gpu(*args, **params):
        prepared = on_gpu or (lambda call, shapes, *args, **params: call(shapes, *args, **params))
        return prepared(call, shapes_of(*args, **params), *args, **params)

    return primitive(name, result, run, multiple, run_on_gpu)


def halves(x):
    """Numbers from 0 on as integers of 64 bits, which JAX has only if told: in two of 32."""
    x = x.astype(jnp.int32)
    return jnp.stack([x, jnp.zeros_like(x)], -1)


@functools.cache
def _compiled(p, params):
    return jax.jit(functools.partial(p.bind, **dict(params)))


def _run(p, *args, **params):
    """The results of a call outside of jit, which is compiled even if JAX is told not to."""
    call = _compiled(p, tuple(sorted(params.items())))
    if not (jax.config.jax_disable_jit or jax.config.jax_debug_nans):
        return call(*args)
    with jax.disable_jit(False), jax.debug_nans(False):
        results = call(*args)
        has_nan = any((x != x).any() for x in jax.tree.leaves(results))
    if jax.config.jax_debug_nans and has_nan:
        raise FloatingPointError(f"invalid value (nan) encountered in {p.name}")
    return results


def bind(p, *args, **params):
    """The results of a primitive. In `shard_map`, where an argument is equal on the devices of an
    axis of the mesh and another is not, the first becomes one that varies, as those of JAX's own
    primitives do: then its gradient is summed over the axis."""
    axes = [_axes(getattr(x, "aval", None)) for x in args]
    if every := frozenset().union(*axes):
        args = [_varying(x, tuple(every - own)) for x, own in zip(args, axes)]
    return p.bind(*args, **params)


def _axes(aval):
    """The axes of a mesh over which an array varies in `shard_map`."""
    kind = getattr(aval, "manual_axis_type", None)  # of JAX 0.10; `vma` of earlier versions
    return getattr(kind, "varying", None) or getattr(aval, "vma", None) or frozenset()


def _varying(x, axes):
    if not axes:
        return x
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(x, axes, to="varying")
    return jax.lax.pvary(x, axes)


def _refused(name, ctx, *_, **__):
    raise NotImplementedError(
        f"{name}: upsweep.jax has no kernels for this device and copies nothing to another; "
        "install the package upsweep-cuda13 for an NVIDIA GPU, or give arrays on the CPU: "
        "jax.device_put(x, jax.devices('cpu')[0])"
    )


def _batched(p, args, dims, **params):
    """All arguments with the mapped dimension first: it is one more dimension of the batch."""
    size = next(x.shape[d] for x, d in zip(args, dims) if d is not None)
    args = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(args, dims)
    ]
    results = bind(p, *args, **params)
    return results, [0] * len(results) if p.multiple_results else 0


def like(x, shape=None):
    x = getattr(x, "aval", x)
    shape = x.shape if shape is None else shape
    if _axes(x):
        return x.update(shape=shape, weak_type=False)
    return jax.core.ShapedArray(shape, x.dtype)
