import type { SessionTemplate } from '@panoptes/schema'
import {
  type ExampleCall,
  formatHeading,
  type ProviderMessage,
  usableExamples,
  WHAT_IT_IS,
} from './examples.ts'
import { freeIds } from './ids.ts'

/** A text, or blocks if the caller uses blocks, so that their cache marks are kept. */
type System = string | readonly ProviderMessage[]

export interface AnthropicConversation {
  readonly system?: System
  readonly messages: readonly ProviderMessage[]
}

const OPENING = 'Before we begin: this is how tools were used in previous sessions.'
const CLOSING = 'Those were the examples.'

/**
 * Inserts the examples before the conversation for the Messages API: it starts with a user turn and
 * roles alternate.
 */
export function forAnthropic(
  template: SessionTemplate,
  messages: readonly ProviderMessage[],
): AnthropicConversation {
  const examples = usableExamples(template)
  const spoken = messages.filter((message) => !instructs(message))
  const instructions = messages.filter(instructs).map(({ content }) => content)
  const system = joined(
    examples.length === 0 ? instructions : [...instructions, `${formatHeading(template)}\n${WHAT_IT_IS}`],
  )
  return {
    ...(system === undefined ? {} : { system }),
    messages: examples.length === 0 ? spoken : [...shown(examples, messages, spoken), ...spoken],
  }
}

const instructs = ({ role }: ProviderMessage): boolean => role === 'system' || role === 'developer'

function shown(
  examples: readonly ExampleCall[],
  messages: readonly ProviderMessage[],
  spoken: readonly ProviderMessage[],
): readonly ProviderMessage[] {
  const ids = freeIds(messages, examples.length)
  const pairs = examples.flatMap(({ name, input, result }, index) => {
    const id = ids[index]
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ]
  })
  // A closed turn needs no thinking blocks. Without anything after it, it would put words into the
  // model's mouth.
  const closing = spoken[0]?.role === 'user' ? [{ role: 'assistant', content: CLOSING }] : []
  return [{ role: 'user', content: OPENING }, ...pairs, ...closing]
}

function joined(contents: readonly unknown[]): System | undefined {
  const nonEmpty = contents.filter((content) =>
    typeof content === 'string' ? content !== '' : Array.isArray(content),
  )
  if (nonEmpty.length === 0) return undefined
  const texts = nonEmpty.filter((content) => typeof content === 'string')
  if (texts.length === nonEmpty.length) return texts.join('\n\n')
  return nonEmpty.flatMap((content): readonly ProviderMessage[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly ProviderMessage[]),
  )
}
