import { parseJson } from '@panoptes/schema/json'
import { type Fields, isPlainObject, toFields } from '@panoptes/schema/plain-object'

const LONGEST_NAME = 512
const COMMAND =
  /^\s*(?:<command-message>[^<]{0,600}<\/command-message>\s*)?<command-name>\s*\/?([^<\s]{1,512})/
const TYPED = /^\s*\/([\p{L}\p{N}_][^\s/]{0,511})(?=\s|$)/u
const INVOKED = /^\s*\[[A-Z]{1,20}: The user has invoked the "([^"\n]{1,512})" skill(?! bundle)/

/**
 * Returns the skill that a call loads: Claude Code's Skill, OpenCode's skill, or the main file of a skill
 * that Hermes views.
 */
export function skillOfCall(tool: string, input: unknown): string | undefined {
  const fields = parseFields(input)
  if (tool === 'Skill') return parseSkillName(fields.skill) ?? parseSkillName(toCommand(fields.command))
  if (tool === 'skill') return parseSkillName(fields.name)
  return tool === 'skill_view' && isMainFile(fields.file_path) ? parseSkillName(fields.name) : undefined
}

/**
 * Returns the slash command of a prompt, as Claude Code stores it or as it was typed. Not every command is a
 * skill.
 */
export function skillOfCommand(prompt: string): string | undefined {
  const start = prompt.slice(0, 2 * LONGEST_NAME)
  return (COMMAND.exec(start) ?? TYPED.exec(start))?.[1]
}

/** Returns the skill that Hermes loaded into a prompt because a person asked for it. */
export const skillOfPrompt = (prompt: string): string | undefined =>
  INVOKED.exec(prompt.slice(0, 2 * LONGEST_NAME))?.[1]

const isMainFile = (path: unknown): boolean =>
  path === undefined || path === null || path === '' || /^(?:\.\/)?SKILL\.md$/i.test(String(path))

/** A name may contain spaces. For a command, the name is the part between the slash and its arguments. */
function parseSkillName(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined
  const name = text?.startsWith('/') ? text.slice(1).split(/\s/, 1)[0] : text
  return name === undefined || name === '' || name.length > LONGEST_NAME ? undefined : name
}

/** Older clients sent a command, with or without its slash. */
const toCommand = (value: unknown): unknown =>
  typeof value === 'string' ? `/${value.trim().replace(/^\//, '')}` : undefined

function parseFields(input: unknown): Fields {
  if (isPlainObject(input)) return input
  if (typeof input !== 'string' || input.length > 65_536) return {}
  try {
    return toFields(parseJson(input))
  } catch {
    return {}
  }
}
