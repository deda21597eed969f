import { randomUUID } from 'node:crypto'
import type { ChatMessage } from '@panoptes/engine/models'
import { fieldsOf, listOf, textOf } from '../../fields.ts'

/** A call of a model, as it can be answered. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Null where what it gave is no JSON object. */
  readonly input: Readonly<Record<string, unknown>> | null
}

/** Calls of one reply that are answered. */
const MOST_CALLS = 32
const MOST_NAME = 200

/** The calls of a reply, and the reply as it goes on in the conversation: with an id for each call that nobody else has, and input that is JSON. */
export function callsIn(message: ChatMessage): {
  readonly calls: readonly ToolCall[]
  readonly message: ChatMessage
} {
  const made = listOf(message.tool_calls).slice(0, MOST_CALLS)
  if (made.length === 0) return { calls: [], message }
  const taken = new Set<string>()
  const calls = made.map((given): ToolCall => {
    const { name, arguments: input } = fieldsOf(given.function)
    const told = textOf(given.id)
    const id = told === '' || taken.has(told) ? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}` : told
    taken.add(id)
    return { id, name: textOf(name).slice(0, MOST_NAME), input: inputIn(input) }
  })
  const tool_calls = made.map((given, at) => {
    const { id, name, input } = calls[at] as ToolCall
    const { index: _index, ...rest } = given
    const called = { ...fieldsOf(given.function), name: name || 'unnamed' }
    return {
      ...rest,
      id,
      type: 'function',
      function: input === null ? { ...called, arguments: '{}' } : whole(called),
    }
  })
  return { calls, message: { ...message, tool_calls } }
}

/** Some give nothing where nothing is needed. */
const whole = (called: Readonly<Record<string, unknown>>) =>
  textOf(called.arguments).trim() === '' ? { ...called, arguments: '{}' } : called

function inputIn(given: unknown): ToolCall['input'] {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return fieldsOf(given)
  const text = textOf(given)
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? fieldsOf(value) : null
  } catch {
    return null
  }
}
