"""Operations that have a first derivative and no second: it is a density without a closed form."""

ONCE = frozenset(
    f"{name}_{kind}"
    for name in ("ksone", "kstwo", "irwinhall", "landau", "nct", "studentized_range")
    for kind in ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")
) | {"smirnov", "nctdtr"}
