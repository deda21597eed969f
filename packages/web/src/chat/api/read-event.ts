import type { ChatEvent, ChatEventName } from '@panoptes/schema'
import type { SseFrame } from '@panoptes/schema/sse'

const NAMES: readonly ChatEventName[] = ['metadata', 'progress', 'chunk', 'error', 'done']

/** Reads a stream event; null if it is not one. Only the fields that every event has are checked. */
export function readEvent({ event, data }: SseFrame): ChatEvent | null {
  const name = NAMES.find((one) => one === event)
  if (name === undefined) return null
  try {
    const fields = JSON.parse(data) as Partial<ChatEvent['data']> | null
    if (typeof fields !== 'object' || fields === null) return null
    if (typeof fields.run_id !== 'string' || !Number.isSafeInteger(fields.seq) || Number(fields.seq) < 1)
      return null
    if (name === 'chunk' && typeof (fields as { delta?: unknown }).delta !== 'string') return null
    return { event: name, data: fields } as ChatEvent
  } catch {
    return null
  }
}

export const isTerminal = ({ event }: ChatEvent): boolean => event === 'done' || event === 'error'
