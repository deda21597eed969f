import type { ContentBlock } from '@panoptes/schema'
import { type Fields, toFields, toList, toText } from '../fields.ts'
import { parsed } from '../json.ts'
import { textsIn, toBlocks } from './content.ts'
import { isInjected } from './injected-messages.ts'
import { parseOutcome } from './outcome.ts'

/** A conversation item: part of a reply, the output of a tool, or a message to the model. */
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

/** Kinds that mean nothing to people. */
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

export function parseItem(item: Fields): Item {
  switch (item.type) {
    case 'message':
      return parseMessage(item)
    case 'agent_message':
      return { kind: 'words', role: 'user', hidden: true, blocks: toBlocks(item.content) }
    case 'reasoning':
      return { kind: 'reply', blocks: parseThoughts(item) }
    case 'function_call':
    case 'tool_search_call':
      return { kind: 'reply', blocks: [toCall(item, toolName(item), parseArguments(item.arguments))] }
    case 'custom_tool_call':
      return { kind: 'reply', blocks: [toCall(item, toolName(item), item.input ?? null)] }
    case 'local_shell_call':
      return { kind: 'reply', blocks: [toCall(item, 'local_shell', item.action ?? null)] }
    case 'web_search_call':
      return { kind: 'reply', blocks: [toCall(item, 'web_search', item.action ?? null)] }
    case 'image_generation_call':
      return { kind: 'reply', blocks: parsePicture(item) }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { kind: 'result', blocks: parseResult(item, item.output) }
    case 'tool_search_output':
      return { kind: 'result', blocks: parseResult(item, JSON.stringify(item.tools ?? null)) }
    default:
      return { kind: SILENT.includes(String(item.type)) ? 'nothing' : 'unknown' }
  }
}

function parseMessage(item: Fields): Item {
  const blocks = toBlocks(item.content)
  if (item.role === 'assistant') return { kind: 'reply', blocks }
  if (item.role === 'user') return { kind: 'words', role: 'user', hidden: isInjected(item), blocks }
  if (item.role === 'developer' || item.role === 'system')
    return { kind: 'words', role: 'system', hidden: true, blocks }
  return { kind: 'unknown' }
}

/** Most reasoning has only a readable summary; the rest is encrypted. */
function parseThoughts(item: Fields): readonly ContentBlock[] {
  const [thoughts, summary] = [textsIn(item.content), textsIn(item.summary)]
  const text = (thoughts.length > 0 ? thoughts : summary).join('\n\n')
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

const toCall = (item: Fields, tool: string, input: unknown): ContentBlock => ({
  type: 'tool_call',
  id: toText(item.call_id) ?? toText(item.id) ?? '',
  tool,
  input,
})

/** The names of MCP tools include the name of their server. */
function toolName(item: Fields): string {
  const name = toText(item.name) ?? (item.type === 'tool_search_call' ? 'tool_search' : 'unknown')
  const server = toText(item.namespace)
  if (server === null || !server.startsWith('mcp__') || name.startsWith('mcp__')) return name
  return server.endsWith('__') ? `${server}${name}` : `${server}__${name}`
}

/** Parses arguments from JSON text. Text that is not JSON is itself the argument. */
const parseArguments = (value: unknown): unknown =>
  typeof value === 'string' ? (parsed(value) ?? value) : (value ?? null)

function parsePicture(item: Fields): readonly ContentBlock[] {
  const call = toCall(item, 'image_generation', { prompt: item.revised_prompt ?? null })
  const data = toText(item.result)
  return data === null ? [call] : [call, { type: 'image', media_type: 'image/png', data }]
}

/** Images of a result follow it as blocks, because a result itself has only text. */
function parseResult(item: Fields, output: unknown): readonly ContentBlock[] {
  const { content, success } = toFields(output)
  const blocks = toBlocks(Array.isArray(output) || typeof output === 'string' ? output : content)
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const outcome = parseOutcome(text)
  const ok = typeof success === 'boolean' ? success : outcome.ok
  const result: ContentBlock = { type: 'tool_result', id: toText(item.call_id) ?? '', text, ...outcome, ok }
  return [result, ...blocks.filter((block) => block.type === 'image')]
}

/** Returns the threads that a call's output says it created. */
export function agentsIn(item: Fields): readonly string[] {
  const output = typeof item.output === 'string' ? toFields(parsed(item.output)) : {}
  return [output.agent_id, output.thread_id, ...toList(output.agent_ids)].filter(
    (id) => typeof id === 'string',
  )
}
