"""The array standard's namespace with this package's functions instead of NumPy's, for the suite
of the standard's authors, https://github.com/data-apis/array-api-tests. In a checkout of it, with
this folder in PYTHONPATH:

    ARRAY_API_TESTS_MODULE=array_api_namespace ARRAY_API_TESTS_VERSION=2024.12 \\
        pytest array_api_tests/test_statistical_functions.py \\
        array_api_tests/test_searching_functions.py array_api_tests/test_sorting_functions.py \\
        array_api_tests/test_utility_functions.py
"""

from numpy import *  # noqa: F403
from numpy import __array_api_version__, __array_namespace_info__  # noqa: F401
from upsweep import (  # noqa: F401
    all,
    any,
    argmax,
    argmin,
    argsort,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    max,
    mean,
    min,
    prod,
    sort,
    std,
    sum,
    var,
)
