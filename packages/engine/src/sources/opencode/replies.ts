import type { ContentBlock, Message, TokenUsage } from '@panoptes/schema'
import { type Fields, toCount, toFields, toText, toTime } from '../fields.ts'
import { fileBlocks, partEnd, toCall, toResults } from './parts.ts'

export type Frame = Pick<Message, 'id' | 'session_id' | 'agent_id' | 'ts' | 'state'>

export interface MessagesResult {
  readonly messages: readonly Message[]
  /** Why parts could not be read. */
  readonly problems: readonly string[]
}

/** Parts without visible content. */
const SILENT = ['step-start', 'snapshot', 'patch', 'retry', 'agent', 'compaction']

/**
 * Converts a reply with the results of its calls after it. Each step is a reply with its own usage: a message
 * of an older version has many steps, and its own numbers cover only the last one.
 */
export function toReplies(frame: Frame, data: Fields, parts: readonly Fields[]): MessagesResult {
  const model = toText(data.modelID) ?? toText(toFields(data.model).modelID)
  const messages: Message[] = []
  const problems: string[] = []
  let content: ContentBlock[] = []
  let results: ContentBlock[] = []
  let ended: number | null = null
  let steps = 0
  const close = (tokens: unknown, cost: unknown) => {
    const usage = toUsage(tokens)
    const id = steps === 0 ? frame.id : `${frame.id}:${steps}`
    const paid = toCost(cost)
    const own = { ...frame, id, hidden: false, ts: steps === 0 ? frame.ts : (ended ?? frame.ts) }
    if (content.length > 0 || usage !== null)
      messages.push({
        ...own,
        role: 'assistant',
        model,
        content: content,
        usage,
        ...(paid === null ? {} : { cost_micro_usd: paid }),
      })
    if (results.length > 0)
      messages.push({
        ...own,
        id: `${id}:results`,
        role: 'tool',
        model: null,
        ts: ended ?? own.ts,
        content: results,
        usage: null,
      })
    if (content.length > 0 || usage !== null || results.length > 0) steps += 1
    content = []
    results = []
  }
  for (const part of parts) {
    if (part.type === 'step-finish') {
      close(part.tokens, part.cost)
      continue
    }
    const block = toBlocks(part)
    if (block === undefined) problems.push('has a part of an unknown type')
    else content.push(...block)
    if (part.type === 'tool') results.push(...toResults(part))
    ended = partEnd(part) ?? ended
  }
  const alone = !parts.some(({ type }) => type === 'step-finish')
  close(alone ? data.tokens : null, alone ? data.cost : null)
  return { messages: [...messages, ...errorMessages(frame, data)], problems }
}

function toBlocks(part: Fields): readonly ContentBlock[] | undefined {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: String(part.text ?? '') }]
  if (part.type === 'reasoning') return part.text ? [{ type: 'reasoning', text: String(part.text) }] : []
  if (part.type === 'tool') return [toCall(part)]
  if (part.type === 'file') return fileBlocks(part)
  return SILENT.includes(String(part.type)) ? [] : undefined
}

/** Converts the error of a reply, in the client's words. */
function errorMessages(frame: Frame, { error, time }: Fields): readonly Message[] {
  const { name, data, message } = toFields(error)
  const text = [toText(name), toText(toFields(data).message) ?? toText(message)].filter(Boolean).join(': ')
  if (text === '') return []
  const ts = toTime(toFields(time).completed) ?? frame.ts
  const content: ContentBlock[] = [{ type: 'text', text }]
  return [
    {
      ...frame,
      id: `${frame.id}:error`,
      ts,
      role: 'system',
      model: null,
      content,
      usage: null,
      hidden: false,
    },
  ]
}

/** Converts usage. Null when all counts are zero, which means that they are not known yet. */
export function toUsage(value: unknown): TokenUsage | null {
  const tokens = toFields(value)
  const cache = toFields(tokens.cache)
  const [input, output, reasoning] = [tokens.input, tokens.output, tokens.reasoning].map(toCount)
  const [read, write] = [cache.read, cache.write].map(toCount)
  const counts = [input, output, reasoning, read, write]
  if (counts.every((count) => !count)) return null
  return {
    input: input ?? null,
    output: spoken(tokens.total, counts, output ?? null, reasoning ?? null),
    cache_read: read ?? null,
    cache_write: write ?? null,
    cache_write_1h: null,
    reasoning: reasoning ?? null,
  }
}

/** Reasoning counts as output. Newer versions count it separately, as the total shows; older ones did not. */
function spoken(
  total: unknown,
  counts: readonly (number | null | undefined)[],
  output: number | null,
  reasoning: number | null,
): number | null {
  const sum = counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  const apart = toCount(total) === sum || (output ?? 0) < (reasoning ?? 0)
  return apart && reasoning !== null ? (output ?? 0) + reasoning : output
}

const MOST_USD = 1_000_000_000

/** Converts to micro-dollars. OpenCode writes zero when it has no price. */
export const toCost = (value: unknown): number | null =>
  typeof value === 'number' && value > 0 && value < MOST_USD ? Math.round(value * 1_000_000) : null
