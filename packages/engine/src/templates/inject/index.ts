import type { InjectTarget, SessionTemplate } from '@panoptes/schema'
import {
  type ExampleCall,
  formatHeading,
  formatTemplate,
  type ProviderMessage,
  usableExamples,
  WHAT_IT_IS,
} from './as-text.ts'
import { createIds } from './ids.ts'

const TAKEN_IN = 'I have read these records and keep them in mind as examples.'

/** A text, or blocks if the caller uses blocks, so that their cache marks are kept. */
type System = string | readonly ProviderMessage[]

export interface AnthropicConversation {
  readonly system?: System
  readonly messages: readonly ProviderMessage[]
}

const OPENING = 'Before we begin: this is how tools were used in previous sessions.'
const CLOSING = 'Those were the examples.'

/**
 * Returns the template in the requested form, with the conversation if the form has one. The input
 * is not modified.
 */
export function inject(
  template: SessionTemplate,
  target: InjectTarget,
  messages: readonly ProviderMessage[],
): unknown {
  switch (target) {
    case 'openai':
      return forOpenai(template, messages)
    case 'anthropic':
      return forAnthropic(template, messages)
    case 'hermes-prefill':
      return forHermesPrefill(template)
    case 'claude-hook':
      return forClaudeHook(template)
  }
}

/** The output if no template fits. */
export const injectNothing = (target: InjectTarget, messages: readonly ProviderMessage[]): unknown =>
  inject({ ...EMPTY }, target, messages)

const EMPTY: SessionTemplate = {
  name: '',
  task_type: 'mixed',
  examples: [],
  description: '',
  created_at: 0,
  usage_count: 0,
  source_session_id: null,
}

/** True if the template has usable examples; otherwise no use is counted. */
export const hasUsableExamples = (template: SessionTemplate): boolean => usableExamples(template).length > 0

/** The answer of a Claude Code SessionStart hook; null if there is nothing to add. */
function forClaudeHook(template: SessionTemplate): object | null {
  const text = formatTemplate(template)
  if (text === undefined) return null
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } }
}

/**
 * The content of the file that Hermes' `prefill_messages_file` names. Its messages contain only
 * text.
 */
function forHermesPrefill(template: SessionTemplate): readonly ProviderMessage[] {
  const text = formatTemplate(template)
  if (text === undefined) return []
  return [
    { role: 'user', content: text },
    { role: 'assistant', content: TAKEN_IN },
  ]
}

/** Inserts the examples after the leading instructions for chat completions. */
export function forOpenai(
  template: SessionTemplate,
  messages: readonly ProviderMessage[],
): readonly ProviderMessage[] {
  const examples = usableExamples(template)
  if (examples.length === 0) return [...messages]
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = first < 0 ? messages : messages.slice(0, first)
  const ids = createIds(messages, examples.length)
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

/**
 * Inserts the examples before the conversation for the Messages API: it starts with a user turn and
 * roles alternate.
 */
export function forAnthropic(
  template: SessionTemplate,
  messages: readonly ProviderMessage[],
): AnthropicConversation {
  const examples = usableExamples(template)
  const spoken = messages.filter((message) => !isInstruction(message))
  const instructions = messages.filter(isInstruction).map(({ content }) => content)
  const system = joinContents(
    examples.length === 0 ? instructions : [...instructions, `${formatHeading(template)}\n${WHAT_IT_IS}`],
  )
  return {
    ...(system === undefined ? {} : { system }),
    messages: examples.length === 0 ? spoken : [...toExampleMessages(examples, messages, spoken), ...spoken],
  }
}

const isInstruction = ({ role }: ProviderMessage): boolean => role === 'system' || role === 'developer'

function toExampleMessages(
  examples: readonly ExampleCall[],
  messages: readonly ProviderMessage[],
  spoken: readonly ProviderMessage[],
): readonly ProviderMessage[] {
  const ids = createIds(messages, examples.length)
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

function joinContents(contents: readonly unknown[]): System | undefined {
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
