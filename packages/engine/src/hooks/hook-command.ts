/**
 * Runs the script while it exists. The script lies in the home of Panoptes: without this guard every call of
 * an agent would report "not found" as a failed hook once the home is deleted or moved. The guard still reads
 * the agent's payload and exits with 0.
 */
const WHILE_THERE = `/bin/sh -c '[ -f "$0" ] && [ -x "$0" ] && exec "$0" "$@"; cat >/dev/null'`

/**
 * Builds the command of a hook. It works for a client that runs it in a shell and for one that only splits it
 * into words.
 */
export const hookCommand = (script: string, words: readonly string[]): string =>
  [WHILE_THERE, ...[script, ...words].map(quoted)].join(' ')

/**
 * Returns true when a command that Panoptes wrote runs this script. Older versions wrote it without the
 * guard.
 */
export const runsScript = (command: string, script: string): boolean =>
  command.startsWith(`${quoted(script)} `) || command.startsWith(`${WHILE_THERE} ${quoted(script)} `)

/** Quotes a word for `sh`, with single quotes only where the word needs them. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
