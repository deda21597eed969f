import { redactText } from '@panoptes/engine/redact'
import type { NewEvent } from '@panoptes/schema'

const PREVIEW = 200
const LOOKED_AT = PREVIEW * 4
const KEPT = 8_192

/**
 * One line that tells what a text is about. It is longer than a preview is in the end: secrets have to be found while they
 * are whole, and `cutPreviews` is for afterwards.
 */
export const preview = (text: string): string => wholeWords(text, LOOKED_AT).replace(/\s+/g, ' ').trim()

/** The fields that hold a preview. */
const PREVIEWS = [
  'input_preview',
  'prompt_preview',
  'error_preview',
  'error',
  'message',
  'name',
  'reason',
] as const

/** Cuts what is longer than a preview; what was cut ends with an ellipsis. */
export function cutPreviews(event: NewEvent): NewEvent {
  let shorter: Record<string, unknown> | undefined
  for (const name of PREVIEWS) {
    const text = event[name]
    if (typeof text !== 'string' || text.length <= PREVIEW) continue
    shorter ??= { ...event }
    shorter[name] = `${text.slice(0, PREVIEW - 1).replace(HALF_PAIR, '')}…`
  }
  return (shorter as NewEvent | undefined) ?? event
}

/** The beginning of a long text, without secrets. */
export function beginningOf(text: string): string {
  if (text.length <= KEPT) return text
  return `${redactText(wholeWords(text, KEPT * 2))
    .text.slice(0, KEPT)
    .replace(HALF_PAIR, '')}…`
}

const HALF_PAIR = /[\ud800-\udbff]$/
const WORD_END: ReadonlySet<string> = new Set(' \t\r\n"\',')
/** No secret is longer but for keys in blocks, and of those a part is known too. */
const LONGEST_WORD = 3_200

/** The beginning of a text, to the end of the word that a cut would go through: of a secret, a part is not known for one. */
function wholeWords(text: string, length: number): string {
  const most = Math.min(text.length, length + LONGEST_WORD)
  let end = Math.min(text.length, length)
  while (end < most && !WORD_END.has(text[end] ?? '')) end += 1
  return text.slice(0, end)
}

/** The field of a tool's input that tells a person what it does. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'skill',
  'description',
  'prompt',
  'path',
]

export function inputPreview(
  input: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  if (!input) return undefined
  for (const name of TELLING) {
    const value = input[name]
    if (typeof value === 'string' && value !== '') return preview(value)
  }
  return undefined
}
