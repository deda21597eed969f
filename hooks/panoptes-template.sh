#!/bin/sh
# Asks Panoptes for the template of a session that begins, and prints it: panoptes-template.sh claude-code [HOME]
# It never fails, takes two seconds at most, and says nothing while Panoptes is away.
# Version 4
exec 2>/dev/null
[ -t 0 ] && exit 0

# The agent must be able to write all it has, whatever becomes of it.
drop() {
  cat >/dev/null
  exit 0
}

[ "$PANOPTES_BYPASS" = 1 ] && drop
[ "$KEI_EVENTS_BYPASS" = 1 ] && drop
[ "$1" = claude-code ] || drop
home=${2:-${PANOPTES_HOME:-${HOME:+$HOME/.panoptes}}}
# A pipe in the place of a file would be waited for.
for file in "$home/daemon.json" "$home/tokens/ingest"; do
  [ -f "$file" ] && [ -r "$file" ] || drop
done

said() { sed -n "s/.*\"$1\"[[:space:]]*:[[:space:]]*\"\{0,1\}\([^\",}]*\).*/\1/p" "$home/daemon.json" | head -n 1; }
address=$(said address)
# The token goes to this computer alone, and only while the process that is to have it lives.
case $address in
  *[!a-zA-Z0-9:/.[\]-]*) drop ;;
  http://127.*:* | http://localhost:* | 'http://[::1]:'*) ;;
  *) drop ;;
esac
pid=$(said pid)
case $pid in
  '' | 0* | *[!0-9]*) drop ;;
esac
kill -0 "$pid" || drop
read -r token <"$home/tokens/ingest"
case $token in
  '' | *[!A-Za-z0-9_-]*) drop ;;
esac
url=$address/api/templates/start
asked=$home/hooks/.ask.$$

# Token and payload are no arguments: everybody on this computer can see what a command is started with.
ask() {
  payload=$(head -c 65536 | tr '\n\r' '  ')
  case $payload in
    *'"SessionStart"'*) ;;
    *) return ;;
  esac
  if command -v curl >/dev/null; then
    printf '%s' "$payload" |
      curl -q -sf --noproxy '*' --max-time 1.5 --max-filesize 65536 -K /dev/fd/3 --data-binary @- "$url" 3<<EOF
header = "Authorization: Bearer $token"
header = "Content-Type: application/json"
EOF
  elif command -v wget >/dev/null; then
    # It reads no pipe.
    (umask 077 && set -C && cat >"$asked") <<EOF || return
header = Authorization: Bearer $token
header = Content-Type: application/json
post_data = $payload
EOF
    wget --config="$asked" -q -O - --no-proxy -T 1 -t 1 "$url"
  elif command -v node >/dev/null; then
    printf '%s\n' "$url" "$token" "$payload" | NODE_OPTIONS='' NODE_USE_ENV_PROXY='' node -e '
      const [url, token, ...payload] = require("fs").readFileSync(0, "utf8").split("\n")
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" }
      const options = { method: "POST", headers, body: payload.join(""), redirect: "error", signal: AbortSignal.timeout(1500) }
      fetch(url, options).then(async (response) => {
        if (!response.ok) return
        const text = await response.text()
        if (text.length <= 65536) process.stdout.write(text)
      }).catch(() => { process.exitCode = 1 })'
  fi
}

answer() {
  # What came while the time ran out is no answer.
  answer=$(ask) || return
  case $answer in
    '{"hookSpecificOutput":'*'}}') printf '%s\n' "$answer" ;;
  esac
}

exec 3<&0
answer <&3 3<&- &
asking=$!
(
  exec >/dev/null <&- 3<&-
  sleep 2
  kill "$asking"
) &
watching=$!
exec 3<&-
wait "$asking"
kill "$watching"
rm -f "$asked"
exit 0
