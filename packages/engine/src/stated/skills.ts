const LONGEST_NAME = 512
const COMMAND =
  /^\s*(?:<command-message>[^<]{0,600}<\/command-message>\s*)?<command-name>\s*\/?([^<\s]{1,512})/
const TYPED = /^\s*\/([\p{L}\p{N}_][^\s/]{0,511})(?=\s|$)/u
const INVOKED = /^\s*\[[A-Z]{1,20}: The user has invoked the "([^"\n]{1,512})" skill(?! bundle)/

/** The skill that a call loads: Claude Code's Skill, OpenCode's skill, the main file of one that Hermes views. */
export function skillOfCall(tool: string, input: unknown): string | undefined {
  const fields = fieldsOf(input)
  if (tool === 'Skill') return nameOf(fields.skill) ?? nameOf(fields.command)
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

/** Without the slash of a command and what is said to it. */
function nameOf(value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim().replace(/^\//, '').split(/\s/, 1)[0] : undefined
  return name === undefined || name === '' || name.length > LONGEST_NAME ? undefined : name
}

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
