import type { ContentBlock, Message } from '@panoptes/schema'
import { type Fields, fieldsOf, textOf, timeOf } from '../fields.ts'
import { callOf, endOf, fileOf, resultOf } from './parts.ts'
import { costOf, usageOf } from './tokens.ts'

export type Frame = Pick<Message, 'id' | 'session_id' | 'agent_id' | 'ts' | 'state'>

export interface Told {
  readonly messages: readonly Message[]
  /** What could not be read. */
  readonly problems: readonly string[]
}

/** Parts of which nothing is shown. */
const SILENT = ['step-start', 'snapshot', 'patch', 'retry', 'agent', 'compaction']

/**
 * A model's reply with the results of its calls after it. Each step is a reply of its own, with what it took: a message of an older
 * version has many of them, and its own numbers are of the last one only.
 */
export function repliesOf(frame: Frame, data: Fields, parts: readonly Fields[]): Told {
  const model = textOf(data.modelID) ?? textOf(fieldsOf(data.model).modelID)
  const messages: Message[] = []
  const problems: string[] = []
  let said: ContentBlock[] = []
  let results: ContentBlock[] = []
  let ended: number | null = null
  let steps = 0
  const close = (tokens: unknown, cost: unknown) => {
    const usage = usageOf(tokens)
    const id = steps === 0 ? frame.id : `${frame.id}:${steps}`
    const paid = costOf(cost)
    const own = { ...frame, id, hidden: false, ts: steps === 0 ? frame.ts : (ended ?? frame.ts) }
    if (said.length > 0 || usage !== null)
      messages.push({
        ...own,
        role: 'assistant',
        model,
        content: said,
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
    if (said.length > 0 || usage !== null || results.length > 0) steps += 1
    said = []
    results = []
  }
  for (const part of parts) {
    if (part.type === 'step-finish') {
      close(part.tokens, part.cost)
      continue
    }
    const block = blockOf(part)
    if (block === undefined) problems.push('has a part of a kind that is not known')
    else said.push(...block)
    if (part.type === 'tool') results.push(...resultOf(part))
    ended = endOf(part) ?? ended
  }
  const alone = !parts.some(({ type }) => type === 'step-finish')
  close(alone ? data.tokens : null, alone ? data.cost : null)
  return { messages: [...messages, ...errorOf(frame, data)], problems }
}

function blockOf(part: Fields): readonly ContentBlock[] | undefined {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: String(part.text ?? '') }]
  if (part.type === 'reasoning') return part.text ? [{ type: 'reasoning', text: String(part.text) }] : []
  if (part.type === 'tool') return [callOf(part)]
  if (part.type === 'file') return fileOf(part)
  return SILENT.includes(String(part.type)) ? [] : undefined
}

/** What went wrong with a reply, in the client's words. */
function errorOf(frame: Frame, { error, time }: Fields): readonly Message[] {
  const { name, data, message } = fieldsOf(error)
  const text = [textOf(name), textOf(fieldsOf(data).message) ?? textOf(message)].filter(Boolean).join(': ')
  if (text === '') return []
  const ts = timeOf(fieldsOf(time).completed) ?? frame.ts
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
