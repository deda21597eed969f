import type { ChatErrorCode, StoredChatMessage } from '@panoptes/schema'
import type { RuntimeEvent } from '../runtimes/port.ts'

export type Ended = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

/** Only a completed answer changes the state a runtime continues from. */
export const isGoingOn = (ended: Ended): ended is Extract<Ended, { type: 'end' }> =>
  ended.type === 'end' && ended.outcome !== 'cancelled'

export const failedWith = (code: ChatErrorCode, message: string): Ended & { type: 'failed' } => ({
  type: 'failed',
  code,
  message,
  retryable: true,
})

export const messageStatus = (ended: Ended, text: string): StoredChatMessage['status'] => {
  if (ended.type === 'failed') return text === '' ? 'failed' : 'partial'
  if (ended.outcome === 'cancelled') return 'cancelled'
  return ended.outcome === 'length' ? 'partial' : 'complete'
}

export const toCost = (micro: number | null) =>
  micro === null
    ? { usd: null, status: 'unknown' as const }
    : { usd: micro / 1_000_000, status: 'known' as const }
