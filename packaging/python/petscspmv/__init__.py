"""petscspmv for petsc4py: products of sparse matrices with vectors by faster methods.

    import petscspmv
    petscspmv.load("auto")      # at any time, also when PETSc runs already, as in a notebook

From then on AIJ matrices that are made multiply by the method that fits, and stay the AIJ matrices that they are. Matrices that
were there before are told one by one: petscspmv.set_method(A, "auto").
"""
import ctypes
import os
import re
from pathlib import Path

__all__ = ["library", "load", "method", "set_method", "version"]


def library():
    """The path of the library, a str: the one that was built with this package, or what the variable PETSCSPMV_LIBRARY names.

    It is what PETSc's option -dll_append takes. FileNotFoundError if there is none.
    """
    path = Path(os.environ.get("PETSCSPMV_LIBRARY") or Path(__file__).with_name("libpetscspmv.so"))
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no library {path}. Install the package with pip, which builds it, or set PETSCSPMV_LIBRARY to a libpetscspmv.so that "
            "make has built (make print-plugin says where)."
        )
    return str(path.resolve())


def load(method=None, path=None):
    """Makes the methods and types known to the PETSc that petsc4py runs, which is initialised if it was not.

    method: "aijspec", "aijlight", "ccoo", "bccoo" or "auto": how all AIJ matrices multiply that are made from now on (PETSc's option
        -mat_spmv); "none" for PETSc's own products; None leaves the option as it is
    path: the library, instead of the one that library() names

    May be called any number of times. ImportError if the library was built for another PETSc than petsc4py's, and PETSc.Error if PETSc
    objects to something.
    """
    PETSc = _petsc()
    handle = _handle(path)
    _check(PETSc, handle.PetscSpMVInitializePackage())
    if method is not None:
        _check_name(PETSc, handle, method)
        PETSc.Options().setValue("mat_spmv", method)


def set_method(A, method):
    """Lets the matrix A, a petsc4py.PETSc.Mat of an AIJ type, multiply by a method (those of load()), or by PETSc's own products ("none")."""
    load()
    PETSc = _petsc()
    _check(PETSc, _handle().MatSpMVSetMethod(ctypes.c_void_p(A.handle), method.encode()))


def method(A):
    """The method by which the matrix A multiplies, a str: "ccoo" for instance, "aijauto" for auto, "none" for PETSc's own products."""
    load()
    name = ctypes.c_char_p()
    _check(_petsc(), _handle().MatSpMVGetMethod(ctypes.c_void_p(A.handle), ctypes.byref(name)))
    return name.value.decode()


def version():
    """The version of the library, as "0.3.0"."""
    load()
    text = ctypes.c_char_p()
    _check(_petsc(), _handle().PetscSpMVGetVersion(ctypes.byref(text)))
    return text.value.decode()


_loaded = None


def _handle(path=None):
    """The library, which is linked to a PETSc: that has to be the one that petsc4py has initialised."""
    global _loaded
    if _loaded is None or path is not None:
        path = library() if path is None else os.fspath(path)
        loaded = ctypes.CDLL(path)
        initialised = ctypes.c_int(0)
        loaded.PetscInitialized(ctypes.byref(initialised))
        if not initialised.value:
            raise ImportError(
                f"{path} was built for another PETSc than the one that petsc4py runs. Build it again for that one, whose folder is "
                f"{_petsc_folder()} (pip, or make with PETSC_DIR set to it). In this process are now: {', '.join(_petscs_in_process())}."
            )
        _loaded = loaded
    return _loaded


def _petsc():
    try:
        from petsc4py import PETSc
    except ImportError as error:
        raise ImportError("petscspmv is for petsc4py, which this Python does not have. Install it for the PETSc that you use.") from error
    return PETSc


def _check(PETSc, ierr):
    """Raises what petsc4py itself raises for an error, with its words: those of an Error that is made here are lost since 3.25."""
    if ierr:
        capsule = ctypes.py_object(PETSc.__pyx_capi__["PyPetscError_Set"])
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int)(pointer(capsule, name(capsule)))(ierr)


def _check_name(PETSc, handle, method):
    """An error for a wrong name here, and not where the next matrix is made."""
    A = PETSc.Mat().createAIJ((0, 0), nnz=0, comm=PETSc.COMM_SELF)
    try:
        _check(PETSc, handle.MatSpMVSetMethod(ctypes.c_void_p(A.handle), method.encode()))
    finally:
        A.destroy()


def _petsc_folder():
    import petsc4py

    config = petsc4py.get_config()
    return os.path.join(config.get("PETSC_DIR", "unknown"), config.get("PETSC_ARCH", ""))


def _petscs_in_process():
    with open("/proc/self/maps") as maps:
        return sorted(set(re.findall(r"/\S*libpetsc[_.]\S*", maps.read())))
