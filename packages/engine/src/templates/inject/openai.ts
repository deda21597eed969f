import type { SessionTemplate } from '@panoptes/schema'
import { formatHeading, type ProviderMessage, usableExamples } from './examples.ts'
import { freeIds } from './ids.ts'

/** Inserts the examples after the leading instructions for chat completions. */
export function forOpenai(
  template: SessionTemplate,
  messages: readonly ProviderMessage[],
): readonly ProviderMessage[] {
  const examples = usableExamples(template)
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
  // A request with developer messages must not contain system messages.
  const role = leading.at(-1)?.role === 'developer' ? 'developer' : 'system'
  return [...leading, { role, content: formatHeading(template) }, ...pairs, ...messages.slice(leading.length)]
}
