"""Draws the results of petscspmv-bench. Arguments: folder, charts ("all" or names with commas), result files."""

import json
import sys
from collections import defaultdict
from pathlib import Path

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    sys.exit("Error: the pictures are drawn with matplotlib, which this Python (%s) does not have (%s). Install it with "
             "'apt-get install python3-matplotlib' or 'pip install matplotlib'." % (sys.executable, error))


def read(paths):
    """The last record of each measurement; a line that was cut off is left out. Files *.blocks.* are of coloured blocks."""
    records = {}
    for path in paths:
        for line in Path(path).read_text().splitlines(keepends=True):
            if line.endswith("\n") and line.strip():
                r = json.loads(line)
                if ".blocks." in Path(path).name:
                    r["competitor"]["name"] += ", coloured blocks"
                solver = r["solve"]["ksp"] + r["solve"]["pc"] if "solve" in r else ""
                records[r["command"], r["matrix"]["name"], solver, label(r), r["regime"], "device" in r] = r
    return list(records.values())


def label(record):
    c = record["competitor"]
    text = c["name"] + (":" + c["options"] if c["options"] else "")
    ranks = "%dr" % c["ranks"] if c["ranks"] > 1 else ""
    threads = "%dt" % c["threads"] if c["threads"] > 1 else ""
    return text + ("@" + ranks + threads if ranks or threads else "")


def place(record):
    """"device", or the number of cores."""
    return "device" if "device" in record else str(record["competitor"]["ranks"] * record["competitor"]["threads"])


def products_by_setting(records):
    """{(regime, place): {matrix: {label: record}}} of the right results."""
    settings = defaultdict(lambda: defaultdict(dict))
    for r in records:
        if r["command"] == "spmv" and r["status"] == "ok" and r["time"]["median"] > 0:
            settings[r["regime"], place(r)][r["matrix"]["name"]][label(r)] = r
    return settings


def reference_of(by_label):
    """PETSc's aij, on a device its aijcusparse, else the first peer there is."""
    peers = [l for l, r in by_label.items() if r["competitor"]["role"] == "peer"]
    aij = [l for l in peers if l.split("@")[0] in ("aij", "aijcusparse")]
    return (aij or peers or [None])[0]


def save(figure, folder, name):
    figure.tight_layout()
    for ending in ("png", "svg"):
        path = folder / ("%s.%s" % (name, ending))
        figure.savefig(path, dpi=150)
        print(path)
    plt.close(figure)


def named(regime, where):
    return "%s, %s" % (regime, "on the device" if where == "device" else where + (" core" if where == "1" else " cores"))


def speedup(records, folder):
    """Time of the reference over time of each competitor, matrix by matrix."""
    for (regime, where), matrices in products_by_setting(records).items():
        series, references = defaultdict(list), set()
        for matrix, by_label in matrices.items():
            reference = reference_of(by_label)
            if reference is None:
                continue
            references.add(reference.split("@")[0])
            for l, r in by_label.items():
                if l != reference:
                    series[l].append((matrix, by_label[reference]["time"]["median"] / r["time"]["median"]))
        if not series:
            continue
        order = sorted(matrices, key=lambda m: max((v for s in series.values() for k, v in s if k == m), default=0))
        figure, axes = plt.subplots(figsize=(max(6, 0.28 * len(order) + 2), 4.5))
        for l, values in sorted(series.items()):
            axes.plot([order.index(m) for m, _ in values], [v for _, v in values], "o", markersize=4, label=l)
        axes.axhline(1, color="gray", linewidth=0.8)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
        axes.set_ylabel("speed-up over " + ", ".join(sorted(references)))
        axes.set_title("Products, " + named(regime, where))
        axes.legend(fontsize=7)
        save(figure, folder, "speedup-%s-%s" % (regime, where))


def roofline(records, folder):
    """GFLOP/s over flops per byte of CSR, under the bandwidth that the run measured."""
    for (regime, where), matrices in products_by_setting(records).items():
        series, bandwidth = defaultdict(list), 0
        for by_label in matrices.values():
            for l, r in by_label.items():
                nonzeros = r["matrix"]["nonzeros"]
                moved = r["bytes"]["csr"] + r["bytes"]["vectors"]
                bandwidth = max(bandwidth, r["bandwidth"]["read"])
                if nonzeros:
                    series[l].append((2 * nonzeros / moved, r["derived"]["gigaflops"]))
        if not series:
            continue
        figure, axes = plt.subplots(figsize=(6, 4.5))
        for l, points in sorted(series.items()):
            axes.plot(*zip(*points), "o", markersize=4, label=l)
        ends = sorted(x for points in series.values() for x, _ in points)
        line = [0.9 * ends[0], 1.1 * ends[-1]]
        axes.plot(line, [x * bandwidth * 1e-9 for x in line], color="gray", linewidth=0.8, label="read bandwidth, CSR")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("flops per byte of CSR and vectors")
        axes.set_ylabel("GFLOP/s")
        axes.set_title("Roofline, " + named(regime, where))
        axes.legend(fontsize=7)
        save(figure, folder, "roofline-%s-%s" % (regime, where))


def profile(records, folder):
    """Dolan and More: on what share of the matrices is a competitor within a factor of the fastest?"""
    for (regime, where), matrices in products_by_setting(records).items():
        ratios = defaultdict(list)
        for by_label in matrices.values():
            best = min(r["time"]["median"] for r in by_label.values())
            for l, r in by_label.items():
                ratios[l].append(r["time"]["median"] / best)
        if not ratios:
            continue
        figure, axes = plt.subplots(figsize=(6, 4.5))
        for l, values in sorted(ratios.items()):
            values.sort()
            shares = [(k + 1) / len(matrices) for k in range(len(values))]
            axes.step([1] + values + [max(4, values[-1])], [0] + shares + [shares[-1]], where="post", label=l)
        axes.set_xlim(1, 4)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("factor of the fastest")
        axes.set_ylabel("share of the matrices")
        axes.set_title("Performance profile, " + named(regime, where))
        axes.legend(fontsize=7)
        save(figure, folder, "profile-%s-%s" % (regime, where))


def breakeven(records, folder):
    """After how many products a type has earned its building, by `convert`."""
    matrices = defaultdict(dict)
    for r in records:
        if r["command"] == "convert" and r["status"] == "ok":
            matrices[r["matrix"]["name"], place(r)][label(r)] = r
    series = defaultdict(list)
    for (matrix, _), by_label in matrices.items():
        reference = reference_of(by_label)
        for l, r in by_label.items():
            if reference is None or r["competitor"]["role"] != "type":
                continue
            gain = by_label[reference]["time"]["median"] - r["time"]["median"]
            if gain > 0:
                series[l].append((matrix, r["conversion"]["build"]["median"] / gain))
    if not series:
        print("No breakeven: these results hold no conversion to a type that is faster than aij.", file=sys.stderr)
        return
    order = sorted({m for values in series.values() for m, _ in values})
    figure, axes = plt.subplots(figsize=(max(6, 0.28 * len(order) + 2), 4.5))
    for l, values in sorted(series.items()):
        axes.plot([order.index(m) for m, _ in values], [max(v, 0.1) for _, v in values], "o", markersize=4, label=l)
    axes.set_yscale("log")
    axes.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
    axes.set_ylabel("products until the build is paid")
    axes.legend(fontsize=7)
    save(figure, folder, "breakeven")


def solutions(records, folder):
    """Whole solutions, conversion included: time of the fastest peer over time of each type, a row for each preconditioner."""
    systems = defaultdict(lambda: defaultdict(dict))
    for r in records:
        if r["command"] == "solve" and r["status"] == "ok" and "solve" in r:
            systems[place(r)][r["matrix"]["name"], r["solve"]["ksp"], r["solve"]["pc"]][label(r)] = r
    for where, by_system in systems.items():
        series, references = defaultdict(list), set()
        for (matrix, _, pc), by_label in by_system.items():
            totals = {l: r["solve"]["total"]["median"] for l, r in by_label.items()}
            peers = [l for l, r in by_label.items() if r["competitor"]["role"] == "peer"]
            if not peers:
                continue
            reference = min(peers, key=totals.get)
            references.add(reference.split("@")[0])
            for l in set(by_label) - set(peers):
                series[l].append((pc, totals[reference] / totals[l], "pt:" in matrix))
        if not series:
            continue
        best = defaultdict(float)
        for values in series.values():
            for pc, gain, _ in values:
                best[pc] = max(best[pc], gain)
        order = sorted(best, key=best.get)
        figure, axes = plt.subplots(figsize=(6, 0.3 * len(order) + 1.5))
        for k, (l, values) in enumerate(sorted(series.items())):
            shift = 0.2 * (k - (len(series) - 1) / 2)
            for is_grid, mark in ((True, "s"), (False, "o")):
                some = [(v, order.index(pc) + shift) for pc, v, grid in values if grid == is_grid]
                name = l + (", grids" if is_grid else ", others")
                axes.plot([x for x, _ in some], [y for _, y in some], mark, color="C%d" % k, markersize=4, label=name if some else None)
        axes.axvline(1, color="gray", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_yticks(range(len(order)), order)
        axes.set_xlabel("whole solution, times as fast as with " + (references.pop() if len(references) == 1 else "the fastest of PETSc's ways"))
        axes.set_title(named("Whole solutions, each point a system", where))
        axes.legend(fontsize=7)
        save(figure, folder, "solutions-%s" % where)


CHARTS = {"speedup": speedup, "roofline": roofline, "profile": profile, "breakeven": breakeven, "solutions": solutions}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    records = read(sys.argv[3:])
    for name in CHARTS if sys.argv[2] == "all" else sys.argv[2].split(","):
        CHARTS[name](records, folder)


main()
