const COMMANDS: Readonly<Record<string, string>> = {
  'claude-code': 'claude --resume',
  hermes: 'hermes --resume',
}

/** The command that goes on with a session in a terminal, where the source has one. */
export function resumeCommand(source: string, session: string, cwd: string | null): string | null {
  const command = Object.hasOwn(COMMANDS, source) ? COMMANDS[source] : undefined
  if (command === undefined || session === 'unknown') return null
  const go = cwd === null ? '' : `cd ${quoted(cwd)} && `
  return `${go}${command} ${quoted(session)}`
}

/** For a shell: names come from others, and are copied by people. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
