import { redactBeginning } from '@panoptes/engine/redact'
import type { NewEvent } from '@panoptes/schema'

const PREVIEW = 200
const LOOKED_AT = PREVIEW * 4
const MAX_CHARS = 8_192

/**
 * Summarises a text on one line without secrets. Redaction comes first, because a key wrapped over lines
 * cannot be recognised once they are joined. The result may exceed the preview limit; `cutPreviews` cuts it.
 */
export const preview = (text: string): string =>
  redactBeginning(text, LOOKED_AT).text.replace(/\s+/g, ' ').trim()

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

/** Cuts fields that are longer than a preview and marks the cut with an ellipsis. */
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

/** Returns the beginning of a long text, without secrets. */
export function truncateText(text: string): string {
  if (text.length <= MAX_CHARS) return text
  return `${redactBeginning(text, MAX_CHARS * 2)
    .text.slice(0, MAX_CHARS)
    .replace(HALF_PAIR, '')}…`
}

const HALF_PAIR = /[\ud800-\udbff]$/
/** The fields of a tool's input that best tell a person what the call does, best first. */
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
