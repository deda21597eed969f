import type { ContentBlock } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Fields, toFields, toText } from '../fields.ts'
import { parsed } from '../json.ts'

/** Parses the calls of a reply. Undefined when they are not JSON. A single call may lack its array. */
export function parseCalls(text: string | null): readonly ContentBlock[] | undefined {
  if (text === null) return []
  const value = parsed(text)
  if (value === undefined) return undefined
  return (Array.isArray(value) ? value : [value]).filter(isPlainObject).map(toCall)
}

function toCall(call: Fields): ContentBlock {
  const named = toFields(call.function)
  return {
    type: 'tool_call',
    id: toText(call.id) ?? toText(call.call_id) ?? '',
    tool: toText(named.name) ?? toText(call.name) ?? 'unknown',
    input: parseInput(named.arguments ?? call.arguments),
  }
}

/** Parses arguments from JSON text. Text that is not JSON is itself the argument. */
function parseInput(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  const input = parsed(value)
  return input === undefined ? value : input
}
