import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { textsIn } from './content.ts'
import { isInjected } from './injected.ts'
import type { Line } from './lines.ts'

/**
 * What a line says, in few words, to know a copy of it by: a copy has another time, and another version may write it with other
 * fields. Nothing for what every thread has alike.
 */
export function wordsOf({ type, payload }: Line): string | undefined {
  if (type === 'response_item') return itemWords(payload)
  if (type === 'compacted') return joined('compacted', textOf(payload.message))
  if (type === 'token_usage_record') return joined('usage', textOf(payload.response_id))
  if (type !== 'event_msg') return undefined
  if (payload.type === 'token_count') {
    const total = fieldsOf(payload.info).total_token_usage
    return total === undefined ? undefined : joined('tokens', JSON.stringify(total))
  }
  return joined('event', textOf(payload.type), textOf(payload.message) ?? textOf(payload.text))
}

function itemWords(item: Fields): string | undefined {
  const kind = textOf(item.type)
  const call = textOf(item.call_id)
  if (call !== null) return joined(kind, call, textOf(item.name))
  if (kind === 'message') {
    if (item.role === 'developer' || isInjected(item)) return undefined
    return joined(kind, textOf(item.role), textsIn(item.content).join('\n'))
  }
  if (kind === 'reasoning')
    return joined(kind, textOf(item.encrypted_content) ?? listOf(item.summary).map(summaryOf).join('\n'))
  return joined(kind, JSON.stringify(item.action ?? item.id ?? null))
}

const summaryOf = (part: unknown): string => textOf(fieldsOf(part).text) ?? ''

/** Nothing where there are no words after the kind. */
const joined = (kind: string | null, ...words: readonly (string | null)[]): string | undefined =>
  words.every((word) => word === null || word === '') ? undefined : [kind, ...words].join('\u0001')
