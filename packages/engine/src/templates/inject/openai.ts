import type { SessionTemplate } from '@panoptes/schema'
import { type Given, givenExamples, headingOf } from './given.ts'
import { freeIds } from './ids.ts'

/** The conversation with the examples after its leading instructions, as chat completions take it. */
export function forOpenai(template: SessionTemplate, messages: readonly Given[]): readonly Given[] {
  const examples = givenExamples(template)
  if (examples.length === 0) return [...messages]
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = first < 0 ? messages : messages.slice(0, first)
  const ids = freeIds(messages, examples.length)
  const pairs = examples.flatMap(({ name, input, result }, index) => {
    const id = ids[index]
    const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: result },
    ]
  })
  // A request with messages of the developer is to have none of the system.
  const role = leading.at(-1)?.role === 'developer' ? 'developer' : 'system'
  return [...leading, { role, content: headingOf(template) }, ...pairs, ...messages.slice(leading.length)]
}
