import type { InjectTarget } from '@panoptes/schema'
import type { ProviderMessage } from './as-text.ts'

interface Form {
  readonly name: string
  readonly other: string
  readonly roles: ReadonlySet<unknown>
  /** Fields and block kinds that only the other format has. */
  readonly fields: readonly string[]
  readonly blocks: ReadonlySet<unknown>
}

const INSTRUCT = ['system', 'developer']

const FORMS: Readonly<Partial<Record<InjectTarget, Form>>> = {
  openai: {
    name: 'OpenAI',
    other: 'anthropic',
    roles: new Set([...INSTRUCT, 'user', 'assistant', 'tool', 'function']),
    fields: [],
    blocks: new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image', 'document']),
  },
  anthropic: {
    name: 'Anthropic',
    other: 'openai',
    roles: new Set([...INSTRUCT, 'user', 'assistant']),
    fields: ['tool_calls', 'tool_call_id', 'function_call'],
    blocks: new Set(['image_url', 'input_audio', 'file', 'refusal']),
  },
}

/**
 * Returns what a provider would reject because it has another provider's format; undefined if
 * nothing.
 */
export function findIncompatible(
  target: InjectTarget,
  messages: readonly ProviderMessage[],
): string | undefined {
  const form = FORMS[target]
  if (form === undefined) return undefined
  for (const [at, message] of messages.entries()) {
    const what = findIncompatiblePart(message, form)
    if (what !== undefined)
      return `messages.${at} has ${what}, which ${form.name} does not accept. Use messages in its format, or create them for ${form.other}.`
  }
  return undefined
}

function findIncompatiblePart(
  message: ProviderMessage,
  { roles, fields, blocks, name }: Form,
): string | undefined {
  const { role, content } = message
  if (!roles.has(role)) return `the role ${formatValue(role)}`
  const field = fields.find((each) => message[each] !== undefined)
  if (field !== undefined) return field
  if (name === 'Anthropic' && typeof content !== 'string' && !Array.isArray(content)) return 'no content'
  const block = Array.isArray(content) ? content.find((each) => blocks.has(each?.type)) : undefined
  return block === undefined ? undefined : `a block ${formatValue(block.type)}`
}

const formatValue = (value: unknown): string => String(JSON.stringify(value)).slice(0, 60)
