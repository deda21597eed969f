import type { ProgressEvent } from '@panoptes/schema'
import type { Fields } from '@panoptes/schema/plain-object'
import type { Context } from '../../context.ts'
import { canAsk } from '../../terminal/confirm.ts'
import { TypedLines } from '../../terminal/line-reader.ts'
import { plain, printable } from '../sessions/format.ts'

const REFUSALS = ['deny', 'reject', 'reject_once', 'no']

/** A permission request with its context. */
export interface Question {
  readonly request: string
  readonly label: string
  readonly choices: readonly string[]
  readonly about: readonly string[]
}

export function parseQuestion({
  kind,
  status,
  label,
  detail,
  request_id,
  choices,
}: ProgressEvent): Question | null {
  if (kind !== 'approval' || status !== 'started') return null
  const fields = (detail ?? {}) as Readonly<Record<string, unknown>>
  const request = request_id ?? (typeof fields.request_id === 'string' ? fields.request_id : null)
  if (request === null) return null
  return {
    request,
    label,
    choices: choices ?? [],
    about: questionLines(fields),
  }
}

/**
 * Returns the choice of the user, or null to stop the run. Without a terminal the request is denied with a note;
 * the result is undefined if it cannot be denied or was answered elsewhere.
 */
export async function askForChoice(
  { output }: Context,
  { label, choices, about }: Question,
  signal: AbortSignal,
  lines: TypedLines | null,
): Promise<string | null | undefined> {
  if (output.json || !canAsk()) {
    output.note(
      `${plain(label, 300)} – denied, because this is not a terminal. To allow it, chat in a terminal or on the page.`,
    )
    return findRefusal(choices)
  }
  for (const line of about.flatMap((text) => printable(text))) output.note(`  ${line}`)
  const own = lines === null ? new TypedLines() : null
  const from = lines ?? own
  try {
    for (;;) {
      const prompt = `${plain(label, 300)} [${choices.join('/')}] `
      const typed = (await from?.next(prompt, { signal, fresh: true })) ?? 'unneeded'
      if (typed === 'interrupted') return null
      if (typed === 'left') return findRefusal(choices)
      if (typed === 'unneeded') return undefined
      const choice = findChoice(typed.text.trim().toLowerCase(), choices)
      if (choice !== undefined) return choice
    }
  } finally {
    own?.close()
  }
}

/** Finds a choice by its name or a prefix of it. */
function findChoice(word: string, choices: readonly string[]): string | undefined {
  if (choices.includes(word)) return word
  const [one, other] = choices.filter((choice) => word !== '' && choice.startsWith(word))
  return other === undefined ? one : undefined
}

const findRefusal = (choices: readonly string[]): string | undefined =>
  choices.find((choice) => REFUSALS.includes(choice))

const LONGEST = 2_000

/** Describes a request in readable lines: the tool, its owner, its effect and its arguments. */
export function questionLines(detail: Fields): readonly string[] {
  const { tool, server, description, command, input, content } = detail
  const lines = [
    ...labelLines('Server', server),
    ...labelLines('Tool', server === undefined ? undefined : tool),
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...labelLines('Command', command),
    ...inputLines(input),
    ...(Array.isArray(content) ? content.flatMap(contentLines) : []),
  ]
  return lines
    .join('\n')
    .slice(0, LONGEST)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

const labelLines = (name: string, value: unknown): readonly string[] =>
  typeof value === 'string' && value !== '' ? [`${name}: ${value}`] : []

function inputLines(input: unknown): readonly string[] {
  if (input === undefined || input === null) return []
  if (typeof input !== 'object' || Array.isArray(input)) return [toText(input)]
  return Object.entries(input).map(([name, value]) => `${name}: ${toText(value)}`)
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Shows the content of a request: text, or a file as it would become. */
function contentLines(part: unknown): readonly string[] {
  const { path, newText, content, text } = (part ?? {}) as Fields
  if (typeof path === 'string') return [path, ...(typeof newText === 'string' ? [newText] : [])]
  if (typeof text === 'string') return [text]
  return typeof content === 'object' && content !== null ? contentLines(content) : []
}
