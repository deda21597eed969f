import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { parsed } from '../json.ts'
import { contentOf, textsIn } from './content.ts'
import { isInjected } from './injected.ts'
import { outcomeOf } from './outcome.ts'

/** An item of a conversation: part of a model's reply, what a tool answered, or a message to the model. */
export type Item =
  | { readonly kind: 'reply'; readonly blocks: readonly ContentBlock[] }
  | { readonly kind: 'result'; readonly blocks: readonly ContentBlock[] }
  | {
      readonly kind: 'words'
      readonly role: 'user' | 'system'
      readonly hidden: boolean
      readonly blocks: readonly ContentBlock[]
    }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unknown' }

/** Kinds that say nothing to people. */
const SILENT = [
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'context_compaction',
  'additional_tools',
  'configuration_update',
  'other',
]

export function itemOf(item: Fields): Item {
  switch (item.type) {
    case 'message':
      return messageOf(item)
    case 'agent_message':
      return { kind: 'words', role: 'user', hidden: true, blocks: contentOf(item.content) }
    case 'reasoning':
      return { kind: 'reply', blocks: thoughtsOf(item) }
    case 'function_call':
    case 'tool_search_call':
      return { kind: 'reply', blocks: [callOf(item, toolOf(item), jsonOf(item.arguments))] }
    case 'custom_tool_call':
      return { kind: 'reply', blocks: [callOf(item, toolOf(item), item.input ?? null)] }
    case 'local_shell_call':
      return { kind: 'reply', blocks: [callOf(item, 'local_shell', item.action ?? null)] }
    case 'web_search_call':
      return { kind: 'reply', blocks: [callOf(item, 'web_search', item.action ?? null)] }
    case 'image_generation_call':
      return { kind: 'reply', blocks: pictureOf(item) }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { kind: 'result', blocks: resultOf(item, item.output) }
    case 'tool_search_output':
      return { kind: 'result', blocks: resultOf(item, JSON.stringify(item.tools ?? null)) }
    default:
      return { kind: SILENT.includes(String(item.type)) ? 'nothing' : 'unknown' }
  }
}

function messageOf(item: Fields): Item {
  const blocks = contentOf(item.content)
  if (item.role === 'assistant') return { kind: 'reply', blocks }
  if (item.role === 'user') return { kind: 'words', role: 'user', hidden: isInjected(item), blocks }
  if (item.role === 'developer' || item.role === 'system')
    return { kind: 'words', role: 'system', hidden: true, blocks }
  return { kind: 'unknown' }
}

/** Of most thoughts there is only a summary; the rest is sealed. */
function thoughtsOf(item: Fields): readonly ContentBlock[] {
  const [thoughts, summary] = [textsIn(item.content), textsIn(item.summary)]
  const text = (thoughts.length > 0 ? thoughts : summary).join('\n\n')
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

const callOf = (item: Fields, tool: string, input: unknown): ContentBlock => ({
  type: 'tool_call',
  id: textOf(item.call_id) ?? textOf(item.id) ?? '',
  tool,
  input,
})

/** Tools of a server go by the server's name too. */
function toolOf(item: Fields): string {
  const name = textOf(item.name) ?? (item.type === 'tool_search_call' ? 'tool_search' : 'unknown')
  const server = textOf(item.namespace)
  if (server === null || !server.startsWith('mcp__') || name.startsWith('mcp__')) return name
  return server.endsWith('__') ? `${server}${name}` : `${server}__${name}`
}

/** The arguments are JSON in a text; what is none was meant to be. */
const jsonOf = (value: unknown): unknown =>
  typeof value === 'string' ? (parsed(value) ?? value) : (value ?? null)

function pictureOf(item: Fields): readonly ContentBlock[] {
  const call = callOf(item, 'image_generation', { prompt: item.revised_prompt ?? null })
  const data = textOf(item.result)
  return data === null ? [call] : [call, { type: 'image', media_type: 'image/png', data }]
}

/** A result's images follow it: the vocabulary keeps its text alone. */
function resultOf(item: Fields, output: unknown): readonly ContentBlock[] {
  const { content, success } = fieldsOf(output)
  const blocks = contentOf(Array.isArray(output) || typeof output === 'string' ? output : content)
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const outcome = outcomeOf(text)
  const ok = typeof success === 'boolean' ? success : outcome.ok
  const result: ContentBlock = { type: 'tool_result', id: textOf(item.call_id) ?? '', text, ...outcome, ok }
  return [result, ...blocks.filter((block) => block.type === 'image')]
}

/** The threads that the output of a call says it made. */
export function agentsIn(item: Fields): readonly string[] {
  const output = typeof item.output === 'string' ? fieldsOf(parsed(item.output)) : {}
  return [output.agent_id, output.thread_id, ...listOf(output.agent_ids)].filter(
    (id) => typeof id === 'string',
  )
}
