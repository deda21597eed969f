import type { InjectTarget } from '@panoptes/schema'
import type { Given } from './given.ts'

interface Form {
  readonly name: string
  readonly other: string
  readonly roles: ReadonlySet<unknown>
  /** Fields and kinds of blocks that only the other has. */
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

/** What in a conversation the provider would refuse because it is of another's form; undefined where nothing is. */
export function foreignTo(target: InjectTarget, messages: readonly Given[]): string | undefined {
  const form = FORMS[target]
  if (form === undefined) return undefined
  for (const [at, message] of messages.entries()) {
    const what = foreignIn(message, form)
    if (what !== undefined)
      return `messages.${at} has ${what}, which ${form.name} does not take. Give messages of its form, or have them made for ${form.other}.`
  }
  return undefined
}

function foreignIn(message: Given, { roles, fields, blocks, name }: Form): string | undefined {
  const { role, content } = message
  if (!roles.has(role)) return `the role ${shown(role)}`
  const field = fields.find((each) => message[each] !== undefined)
  if (field !== undefined) return field
  if (name === 'Anthropic' && typeof content !== 'string' && !Array.isArray(content)) return 'no content'
  const block = Array.isArray(content) ? content.find((each) => blocks.has(each?.type)) : undefined
  return block === undefined ? undefined : `a block ${shown(block.type)}`
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 60)
