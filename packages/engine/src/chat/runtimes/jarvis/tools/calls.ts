import { randomUUID } from 'node:crypto'
import type { ChatMessage } from '@panoptes/engine/models'
import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toFieldList, toFields, toText } from '../../fields.ts'

/** A model's call in a form that can be answered. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Null if the arguments are not a JSON object. */
  readonly input: Readonly<Record<string, unknown>> | null
}

/** The maximum number of calls per reply that are answered. */
const MOST_CALLS = 32
const MOST_NAME = 200

/**
 * Returns the calls of a reply, and the reply as it is added to the conversation: with a unique id
 * for each call and valid JSON input.
 */
export function callsIn(message: ChatMessage): {
  readonly calls: readonly ToolCall[]
  readonly message: ChatMessage
} {
  const made = toFieldList(message.tool_calls).slice(0, MOST_CALLS)
  if (made.length === 0) return { calls: [], message }
  const taken = new Set<string>()
  const calls = made.map((rawCall): ToolCall => {
    const { name, arguments: input } = toFields(rawCall.function)
    const rawId = toText(rawCall.id)
    const id =
      rawId === '' || taken.has(rawId) ? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}` : rawId
    taken.add(id)
    return { id, name: toText(name).slice(0, MOST_NAME), input: inputIn(input) }
  })
  const tool_calls = made.map((rawCall, at) => {
    const { id, name, input } = calls[at] as ToolCall
    const { index: _index, ...rest } = rawCall
    const called = { ...toFields(rawCall.function), name: name || 'unnamed' }
    return {
      ...rest,
      id,
      type: 'function',
      function: input === null ? { ...called, arguments: '{}' } : whole(called),
    }
  })
  return { calls, message: { ...message, tool_calls } }
}

/** Some models send no arguments if none are needed. */
const whole = (called: Readonly<Record<string, unknown>>) =>
  toText(called.arguments).trim() === '' ? { ...called, arguments: '{}' } : called

function inputIn(rawInput: unknown): ToolCall['input'] {
  if (isPlainObject(rawInput)) return rawInput
  const text = toText(rawInput)
  if (text.trim() === '') return {}
  try {
    const value: unknown = parseJson(text)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}
