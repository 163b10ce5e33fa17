"""The attributes that the instances of a class have by their class.

A class has others beside them, those of its own class: `float.__name__`, and no `(1.0).__name__`.
"""


def instances_have(cls: type, name: str) -> bool:
    """Whether every instance of a class has an attribute, whatever it holds itself."""
    return any(name in vars(base) for base in cls.__mro__)
