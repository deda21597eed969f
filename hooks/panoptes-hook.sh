#!/bin/sh
# Leaves what an agent tells its hook for Panoptes: panoptes-hook.sh SOURCE [HOME [start]]
# It says nothing, never fails, and works the same while Panoptes is away.
# Version 5
exec >/dev/null 2>&1
# A client that ends stops the hooks it has just started; what they were told is still wanted.
trap '' HUP INT TERM
[ -t 0 ] && exit 0

# The agent must be able to write all it has, whatever becomes of it.
drop() {
  cat
  exit 0
}

[ "$PANOPTES_BYPASS" = 1 ] && drop
[ "$KEI_EVENTS_BYPASS" = 1 ] && drop
case $1 in
  '' | [!a-z0-9]* | *[!a-z0-9._-]*) drop ;;
esac
home=${2:-${PANOPTES_HOME:-${HOME:+$HOME/.panoptes}}}
[ -n "$home" ] || drop
spool=$home/spool

umask 077
[ -d "$spool" ] || mkdir -p "$spool" || drop

# What a hook starts has the hook's variables. A client gives every hook of its own the same ones, so they tell
# something only in the environment that the client itself was started with.
started_by_hook() {
  read -r _ name _ above _ <"/proc/$PPID/stat" || return 1
  case $name in
    '('*sh')') client=$above ;;
    *) client=$PPID ;;
  esac
  grep -qz '^CLAUDE_PROJECT_DIR=.' "/proc/$client/environ" && grep -qz '^CLAUDECODE=1$' "/proc/$client/environ"
}
mark=''
if [ "$3" = start ] && [ -r "/proc/$PPID/stat" ] && started_by_hook; then mark=.from-hook; fi
case $NUMERIC_CLAIMS_RECORD_BYPASS in
  '' | 0) ;;
  *) mark=$mark.no-claims ;;
esac
case $SKILL_RECORD_BYPASS in
  '' | 0) ;;
  *) mark=$mark.no-skills ;;
esac

# Nothing is ever written over: a number may come again, and another container has the same ones.
set -C
n=0 began='' whole=''
while [ -z "$began" ]; do
  name=$1.$$.$n$mark
  part=$spool/.$name.part
  n=$((n + 1))
  if [ -e "$part" ] || [ -e "$spool/$name.json" ]; then continue; fi
  { began=1 && cat && whole=1; } >"$part"
  if [ -z "$began" ] && [ ! -e "$part" ]; then drop; fi
done

if [ -z "$whole" ] || [ ! -s "$part" ]; then
  rm -f "$part"
  drop
fi
while [ -e "$spool/$name.json" ]; do
  name=$1.$$.$n$mark
  n=$((n + 1))
done
mv -f "$part" "$spool/$name.json"
exit 0
