import { anthropicParameters } from './anthropic-parameters.ts'
import { isThought, thoughtsIn, withThoughts } from './anthropic-thoughts.ts'
import { anthropicTools } from './anthropic-tools.ts'
import type { ChatAsk, ChatMessage } from './port.ts'

type Block = Readonly<Record<string, unknown>>
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** What was thought before the calls of a message, where it is remembered. */
export type Remembered = (calls: unknown) => readonly unknown[]

/** What was asked in OpenAI's words, in Anthropic's. What grows from call to call stands last. */
export function anthropicRequest(
  { model, messages, rest = {} }: ChatAsk,
  remembered: Remembered = () => [],
): Block {
  const { type: thinks } = (rest.thinking ?? {}) as { type?: unknown }
  const whole = conversation(messages, thinks === 'disabled' ? undefined : remembered)
  // A loop whose last call has lost its thoughts is refused, unless nothing is to be thought.
  const isLost = thinks === 'enabled' && hasLostThoughts(whole.turns)
  const { system, turns, called } = isLost ? conversation(messages, undefined) : whole
  const { thinking: _thinking, ...others } = rest
  return {
    model,
    ...anthropicParameters(model, isLost ? others : rest),
    stream: true,
    ...anthropicTools(rest, called),
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
  }
}

function hasLostThoughts(turns: readonly Turn[]): boolean {
  if (!turns.at(-1)?.content.some(({ type }) => type === 'tool_result')) return false
  const first = turns.findLast(({ role }) => role === 'assistant')?.content[0]
  return first !== undefined && !isThought(first)
}

function conversation(messages: readonly ChatMessage[], remembered: Remembered | undefined) {
  const system: Block[] = []
  const turns: Turn[] = []
  const called = new Set<string>()
  const thought = new Set<string>()
  const turnOf = (role: Turn['role']): Turn => {
    const last = turns.at(-1)
    if (last?.role === role) return last
    const turn: Turn = { role, content: [] }
    turns.push(turn)
    return turn
  }
  const say = (role: Turn['role'], blocks: readonly Block[]) => {
    if (blocks.length > 0) turnOf(role).content.push(...blocks)
  }
  for (const message of messages) {
    const { role } = message
    if (role === 'system' || role === 'developer') {
      // What the system says later on stands where it was said.
      if (turns.length === 0) system.push(...said(message))
      else say('user', said(message))
    } else if (role === 'assistant') {
      const made = calls(message)
      for (const { name } of made) if (typeof name === 'string') called.add(name)
      const blocks = [...said(message), ...made]
      // Calls that were made at once may come back in several messages, but what was thought before them was thought once.
      if (turns.at(-1)?.role !== 'assistant') thought.clear()
      const fresh = remembered ? thoughts(message, remembered).filter(({ sign }) => !thought.has(sign)) : []
      for (const { sign } of fresh) thought.add(sign)
      say('assistant', remembered ? withThoughts(fresh, blocks) : blocks.filter((one) => !isThought(one)))
    } else if (role === 'tool') {
      // Results come first in their turn, whatever was said between them.
      const { content } = turnOf('user')
      const before = content.findLastIndex(({ type }) => type === 'tool_result') + 1
      content.splice(before, 0, result(message))
    } else say('user', said(message))
  }
  return { system, turns, called }
}

/** As the client sent them back. Some clients keep only the last of several: then as they are remembered. */
function thoughts({ reasoning_details: details, tool_calls: made }: ChatMessage, remembered: Remembered) {
  const sent = thoughtsIn(details)
  const kept = thoughtsIn(remembered(made))
  return kept.length > sent.length ? kept : sent
}

/** What a message says. A mark for the cache that is on the message is on its end. */
function said({ content, cache_control: kept }: ChatMessage): Block[] {
  const blocks = parts(content)
  const last = blocks.at(-1)
  return kept === undefined || last === undefined || last.cache_control !== undefined
    ? blocks
    : [...blocks.slice(0, -1), { ...last, cache_control: kept }]
}

/** A text of nothing but blanks is refused. */
const text = (words: unknown, decorated: Block = {}): Block[] =>
  typeof words !== 'string' || words.trim() === '' ? [] : [{ type: 'text', text: words, ...decorated }]

const parts = (content: unknown): Block[] => (Array.isArray(content) ? content.flatMap(part) : text(content))

function part(each: Block | string | null): Block[] {
  if (typeof each !== 'object' || each === null) return text(each)
  const decorated = each.cache_control === undefined ? {} : { cache_control: each.cache_control }
  if (each.type === 'text') return text(each.text, decorated)
  if (each.type === 'refusal') return text(each.refusal, decorated)
  if (each.type === 'image_url')
    return [{ type: 'image', source: source(urlOf(each.image_url)), ...decorated }]
  const file = each.type === 'file' ? (each.file as Block | undefined)?.file_data : undefined
  return typeof file === 'string' ? [{ type: 'document', source: source(file), ...decorated }] : [each]
}

const urlOf = (image: unknown): string =>
  typeof image === 'string' ? image : String((image as Block | null)?.url ?? '')

const DATA = /^data:([^;,]{1,200})(?:;[^,;]{1,200})*;base64,/

function source(url: string): Block {
  const data = DATA.exec(url)
  return data
    ? { type: 'base64', media_type: data[1], data: url.slice(data[0].length) }
    : { type: 'url', url }
}

/** Ids of other makers may have letters that are refused here. */
const idOf = (id: unknown): string => String(id ?? '').replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'

function calls({ tool_calls: made }: ChatMessage): Block[] {
  if (!Array.isArray(made)) return []
  return made.map((call) => ({
    type: 'tool_use',
    id: idOf(call?.id),
    name: call?.function?.name ?? call?.custom?.name,
    input: parsed(call?.function?.arguments ?? call?.custom?.input),
    ...(call?.cache_control === undefined ? {} : { cache_control: call.cache_control }),
  }))
}

function parsed(given: unknown): unknown {
  if (typeof given === 'object' && given !== null) return given
  if (typeof given !== 'string' || given.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(given)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value }
  } catch {
    return { value: given }
  }
}

function result({ tool_call_id, content, cache_control: kept }: ChatMessage): Block {
  const blocks = parts(content)
  return {
    type: 'tool_result',
    tool_use_id: idOf(tool_call_id),
    ...(blocks.length > 0 ? { content: blocks } : {}),
    ...(kept === undefined ? {} : { cache_control: kept }),
  }
}
