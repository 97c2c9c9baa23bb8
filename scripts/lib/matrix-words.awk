# Puts the generators of the bench that a text has in parentheses, (27pt:128), into words. A name with anything that is not known here stays.

# size(text): the number that a generator's first argument stands for: 300k, 2M, 160 x 160 x 160 as 160 or as 159x161x157.
function size(text,   parts, n, i, number)
{
  number = 1
  n = split(text, parts, "x")
  for (i = 1; i <= n; ++i) number *= parts[i] * (parts[i] ~ /M$/ ? 1e6 : parts[i] ~ /k$/ ? 1e3 : 1)
  return n == 1 ? number ^ dimensions : number
}

# count(number): rounded, as one says it.
function count(number)
{
  if (number >= 1e6) return sprintf(number >= 1e7 ? "%.0f million" : "%.2g million", number / 1e6)
  return number >= 1e3 ? sprintf("%d,000", number / 1e3 + 0.5) : number
}

function words(name,   parts, n, i, unknowns, kind, text)
{
  n = split(name, parts, /[:,]/)
  kind = parts[1]
  dimensions = kind ~ /^(5|9)pt$/ ? 2 : kind ~ /^((7|27)pt|materials)$/ ? 3 : 1
  unknowns = match(name, /,b=[0-9]+/) ? substr(name, RSTART + 3, RLENGTH - 3) : 1
  if (kind ~ /^[0-9]+pt$/) text = substr(kind, 1, length(kind) - 2) "-point grid of " count(unknowns * size(parts[2])) " unknowns"
  else if (kind == "fem") text = "mesh of " count(size(parts[2])) " points"
  else if (kind == "random") text = "random columns in " count(size(parts[2])) " rows"
  else if (kind == "circuit") text = "circuit of " count(size(parts[2])) " nodes"
  else if (kind == "rmat") text = "R-MAT graph of 2^" parts[2] " vertices"
  else if (kind == "materials") text = "several materials in " count(size(parts[2])) " cells"
  else return name
  for (i = 3; i <= n; ++i)
    if (parts[i] in known) text = text known[parts[i]]
    else if (parts[i] ~ /^b=/) text = text ", " unknowns (kind ~ /pt$/ ? "" : " unknowns") " a node"
    else if (parts[i] ~ /^ef=/) text = text ", " substr(parts[i], 4) " edges a vertex"
    else if (parts[i] ~ /^long=/) text = text " with " substr(parts[i], 6) " very long rows"
    else return name
  return text
}

BEGIN {
  known["coef=variable"] = ", variable coefficients"
  known["values=table"] = ", few different values"
  known["order=banded"] = ", banded"
  known["order=shuffled"] = known["shuffle=both"] = known["labels=random"] = ", shuffled"
  known["shuffle=rows"] = ", rows shuffled"
  known["share=0.151"] = "" # of the columns in each long row
}

{
  while (match($0, /\([^()|]+\)/)) {
    name = substr($0, RSTART + 1, RLENGTH - 2)
    rest = substr($0, RSTART + RLENGTH)
    printf "%s", substr($0, 1, RSTART) words(name) ")"
    $0 = rest
  }
  print
}
