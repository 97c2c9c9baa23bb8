# Sourced by the tests that are shell scripts, which have pipefail set: what a command is to print.

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# spoken <command>...: both streams, without the null bytes that Open MPI puts into what it says of a program that has
# failed.
spoken() { "$@" 2>&1 | tr -d '\0'; }

# expect <text> <command>...: the command succeeds, and <text> is in what it prints.
expect()
{
  local text=$1 words
  shift
  words=$(spoken "$@") || fail "$* gave: $words"
  [[ $words == *"$text"* ]] || fail "$* was to print '$text', but printed: $words"
  printf 'ok: %s: %s\n' "$*" "$text"
}

# once <text> <command>...: the same, and not a second time.
once()
{
  local text=$1 words
  shift
  words=$("$@" 2>&1) || fail "$* gave: $words"
  [[ $words == *"$text"* && $words != *"$text"*"$text"* ]] || fail "$* was to print '$text' once, but printed: $words"
  printf 'ok: %s: %s, once\n' "$*" "$text"
}

# silent <text> <command>...: the command succeeds, and <text> is not in what it prints.
silent()
{
  local text=$1 words
  shift
  words=$(spoken "$@") || fail "$* gave: $words"
  [[ $words != *"$text"* ]] || fail "$* was not to print '$text', but printed: $words"
  printf 'ok: %s: nothing of %s\n' "$*" "$text"
}

# refuse <text>... -- <command>...: the command fails without a crash, and each text is in what it prints.
refuse()
{
  local texts=() words rc=0 text
  while [[ $1 != -- ]]; do texts+=("$1"); shift; done
  shift
  words=$(spoken "$@") || rc=$?
  ((rc > 0)) || fail "$* was to fail, but printed: $words"
  for text in "${texts[@]}"; do [[ $words == *"$text"* ]] || fail "$* was to say '$text', but said: $words"; done
  [[ $words != *'Caught signal number'* ]] || fail "$* was to end with an error, but crashed: $words"
  printf 'ok: %s fails: %s\n' "$*" "${texts[*]}"
}
