"""These tests need JAX; `make jax` installs it into an environment of its own. A folder named jax
would be taken for the package. Calls compare float64 as well, which JAX has only if told.
"""

import importlib.util

if importlib.util.find_spec("jax"):
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_num_cpu_devices", 2)  # for shard_map
    collect_ignore_glob = []
else:
    collect_ignore_glob = ["*"]
