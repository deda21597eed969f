import type { ChatEvent, ChatEventName } from '@panoptes/schema'
import type { SseFrame } from '@panoptes/schema/sse'

const NAMES: readonly ChatEventName[] = ['metadata', 'progress', 'chunk', 'error', 'done']

/** An event of a stream; null where it is none. Only what every event must have is asked for. */
export function readEvent({ event, data }: SseFrame): ChatEvent | null {
  const name = NAMES.find((one) => one === event)
  if (name === undefined) return null
  try {
    const told = JSON.parse(data) as Partial<ChatEvent['data']> | null
    if (typeof told !== 'object' || told === null) return null
    if (typeof told.run_id !== 'string' || !Number.isSafeInteger(told.seq) || Number(told.seq) < 1)
      return null
    if (name === 'chunk' && typeof (told as { delta?: unknown }).delta !== 'string') return null
    return { event: name, data: told } as ChatEvent
  } catch {
    return null
  }
}

export const isTerminal = ({ event }: ChatEvent): boolean => event === 'done' || event === 'error'
