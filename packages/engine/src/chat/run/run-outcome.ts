import type { ChatErrorCode, StoredChatMessage } from '@panoptes/schema'
import type { RuntimeEvent } from '../runtimes/port.ts'

export type RunEnd = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

/** Only a completed answer changes the state a runtime continues from. */
export const hasCompleted = (ended: RunEnd): ended is Extract<RunEnd, { type: 'end' }> =>
  ended.type === 'end' && ended.outcome !== 'cancelled'

export const createFailure = (code: ChatErrorCode, message: string): RunEnd & { type: 'failed' } => ({
  type: 'failed',
  code,
  message,
  retryable: true,
})

export const messageStatus = (ended: RunEnd, text: string): StoredChatMessage['status'] => {
  if (ended.type === 'failed') return text === '' ? 'failed' : 'partial'
  if (ended.outcome === 'cancelled') return 'cancelled'
  return ended.outcome === 'length' ? 'partial' : 'complete'
}

export const toCost = (micro: number | null) =>
  micro === null
    ? { usd: null, status: 'unknown' as const }
    : { usd: micro / 1_000_000, status: 'known' as const }
