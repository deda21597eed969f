import type { SessionTemplate } from '@panoptes/schema'
import { type Given, type GivenExample, givenExamples, headingOf, WHAT_IT_IS } from './given.ts'
import { freeIds } from './ids.ts'

/** A text, or blocks where the caller has blocks, so that what these say of caching stays. */
type System = string | readonly Given[]

export interface AnthropicConversation {
  readonly system?: System
  readonly messages: readonly Given[]
}

const OPENING = 'Before we begin: this is how tools were used in previous sessions.'
const CLOSING = 'Those were the examples.'

/** The conversation with the examples before it, as the Messages API takes it: a user opens, and roles alternate. */
export function forAnthropic(template: SessionTemplate, messages: readonly Given[]): AnthropicConversation {
  const examples = givenExamples(template)
  const spoken = messages.filter((message) => !instructs(message))
  const instructions = messages.filter(instructs).map(({ content }) => content)
  const system = joined(
    examples.length === 0 ? instructions : [...instructions, `${headingOf(template)}\n${WHAT_IT_IS}`],
  )
  return {
    ...(system === undefined ? {} : { system }),
    messages: examples.length === 0 ? spoken : [...shown(examples, messages, spoken), ...spoken],
  }
}

const instructs = ({ role }: Given): boolean => role === 'system' || role === 'developer'

function shown(
  examples: readonly GivenExample[],
  messages: readonly Given[],
  spoken: readonly Given[],
): readonly Given[] {
  const ids = freeIds(messages, examples.length)
  const pairs = examples.flatMap(({ name, input, result }, index) => {
    const id = ids[index]
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ]
  })
  // A turn that is closed needs no thinking of its own. With nothing after it, it would be words put into the model's mouth.
  const closing = spoken[0]?.role === 'user' ? [{ role: 'assistant', content: CLOSING }] : []
  return [{ role: 'user', content: OPENING }, ...pairs, ...closing]
}

function joined(contents: readonly unknown[]): System | undefined {
  const said = contents.filter((content) =>
    typeof content === 'string' ? content !== '' : Array.isArray(content),
  )
  if (said.length === 0) return undefined
  const texts = said.filter((content) => typeof content === 'string')
  if (texts.length === said.length) return texts.join('\n\n')
  return said.flatMap((content): readonly Given[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Given[]),
  )
}
