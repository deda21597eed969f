const LONGEST_NAME = 512
const COMMAND =
  /^\s*(?:<command-message>[^<]{0,600}<\/command-message>\s*)?<command-name>\s*\/?([^<\s]{1,512})/
const TYPED = /^\s*\/([\p{L}\p{N}_][^\s/]{0,511})(?=\s|$)/u
const INVOKED = /^\s*\[[A-Z]{1,20}: The user has invoked the "([^"\n]{1,512})" skill(?! bundle)/

/** The skill that a call loads: Claude Code's Skill, OpenCode's skill, the main file of one that Hermes views. */
export function skillOfCall(tool: string, input: unknown): string | undefined {
  const fields = fieldsOf(input)
  if (tool === 'Skill') return nameOf(fields.skill) ?? nameOf(commandOf(fields.command))
  if (tool === 'skill') return nameOf(fields.name)
  return tool === 'skill_view' && isMainFile(fields.file_path) ? nameOf(fields.name) : undefined
}

/** The slash command that a prompt is, as Claude Code writes it down or as it was typed. Not every command is a skill. */
export function skillOfCommand(prompt: string): string | undefined {
  const start = prompt.slice(0, 2 * LONGEST_NAME)
  return (COMMAND.exec(start) ?? TYPED.exec(start))?.[1]
}

/** The skill that Hermes loaded into a prompt because a person asked for it. */
export const skillOfPrompt = (prompt: string): string | undefined =>
  INVOKED.exec(prompt.slice(0, 2 * LONGEST_NAME))?.[1]

const isMainFile = (path: unknown): boolean =>
  path === undefined || path === null || path === '' || /^(?:\.\/)?SKILL\.md$/i.test(String(path))

/** A name may have spaces; of a command it is what stands between its slash and what is said to it. */
function nameOf(value: unknown): string | undefined {
  const told = typeof value === 'string' ? value.trim() : undefined
  const name = told?.startsWith('/') ? told.slice(1).split(/\s/, 1)[0] : told
  return name === undefined || name === '' || name.length > LONGEST_NAME ? undefined : name
}

/** Older clients told a command, with its slash or without. */
const commandOf = (value: unknown): unknown =>
  typeof value === 'string' ? `/${value.trim().replace(/^\//, '')}` : undefined

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === 'object' && input !== null) return input as Readonly<Record<string, unknown>>
  if (typeof input !== 'string' || input.length > 65_536) return {}
  try {
    const read: unknown = JSON.parse(input)
    return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
