import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { parsed } from '../json.ts'

/** The calls of a reply; nothing where they are not JSON. One alone may stand without its list. */
export function callsOf(text: string | null): readonly ContentBlock[] | undefined {
  if (text === null) return []
  const value = parsed(text)
  if (value === undefined) return undefined
  return (Array.isArray(value) ? value : [value]).filter(isFields).map(callOf)
}

function callOf(call: Fields): ContentBlock {
  const named = fieldsOf(call.function)
  return {
    type: 'tool_call',
    id: textOf(call.id) ?? textOf(call.call_id) ?? '',
    tool: textOf(named.name) ?? textOf(call.name) ?? 'unknown',
    input: inputOf(named.arguments ?? call.arguments),
  }
}

/** The arguments are JSON in a text; what is none was meant to be. */
function inputOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  const input = parsed(value)
  return input === undefined ? value : input
}
