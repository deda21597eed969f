import type { ChatEvent } from '@panoptes/schema'
import { RequestFailure } from '../../api/request.ts'
import type { ChatInputOnWire } from '../api/chat-stream.ts'
import { isTerminal } from '../api/chat-stream.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { readList, readOne } from '../queries.ts'
import type { PendingMessage } from './rows.ts'
import { addEvents, type RunView } from './run-view.ts'

export interface FollowerState {
  readonly run: RunView | null
  readonly pending: PendingMessage | null
  readonly phase: 'idle' | 'running'
  readonly isLost: boolean
}

export const NOTHING: FollowerState = { run: null, pending: null, phase: 'idle', isLost: false }

export interface Follower {
  /** Sends a message and follows its run. It throws what the server refuses. */
  readonly send: (input: ChatInputOnWire, pending: PendingMessage) => Promise<void>
  /** Follows a run that was started elsewhere. */
  readonly follow: (run: string) => void
  readonly stop: () => void
}

/** Follows the runs of one conversation, one at a time, and publishes updates once per frame. */
export function createFollower(id: string, show: (followed: FollowerState) => void): Follower {
  let now = NOTHING
  let current: AbortController | null = null
  let queue: ChatEvent[] = []
  let isScheduled = false
  const over = new Set<string>()

  const set = (change: Partial<FollowerState>) => {
    now = { ...now, ...change }
    show(now)
  }
  const flush = () => {
    isScheduled = false
    const events = queue
    queue = []
    if (events.length > 0) set({ run: addEvents(now.run, events) })
  }
  const take = (event: ChatEvent) => {
    queue.push(event)
    if (isScheduled) return
    isScheduled = true
    nextFrame(flush)
  }
  const read = async (input: ChatInputOnWire | null, abort: AbortController, lastEventId?: string) => {
    const { signal } = abort
    const stream = conversationApi.chatStream(id, input, {
      signal,
      lastEventId,
      onLink: (link) => {
        if (current === abort && now.isLost !== (link === 'lost')) set({ isLost: link === 'lost' })
      },
      stillRuns: async () => (await conversationApi.get(id, signal)).run_id !== null,
    })
    for await (const event of stream) {
      if (current !== abort) return
      if (event.event === 'metadata') void Promise.all([readOne(id), readList()])
      if (isTerminal(event)) over.add(event.data.run_id)
      take(event)
    }
  }
  const finish = async (abort: AbortController) => {
    if (current !== abort) return
    flush()
    set({ phase: 'idle', isLost: false })
    // Stored messages replace streamed ones; until they are read, the streamed ones stay.
    await Promise.all([readOne(id), readList()])
    if (current !== abort) return
    current = null
    // A run without a reported end is still over; its stored messages say how it ended.
    set({ pending: null, ...(now.run?.end === null ? { run: null } : {}) })
  }
  const begin = (pending: PendingMessage | null): AbortController => {
    current?.abort()
    const abort = new AbortController()
    current = abort
    queue = []
    set({ run: null, pending, phase: 'running', isLost: false })
    return abort
  }
  return {
    send: async (input, pending) => {
      const abort = begin(pending)
      try {
        await read(input, abort)
      } catch (error) {
        if (current === abort) {
          current = null
          set({ ...NOTHING })
          // Another window may be running it, or the server accepted it and its response was lost.
          if (error instanceof RequestFailure) await readOne(id).catch(() => undefined)
        }
        throw error
      }
      await finish(abort)
    },
    follow: (run) => {
      if (current !== null || over.has(run)) return
      const abort = begin(null)
      void read(null, abort, `${run}:0`)
        .catch(() => undefined)
        .then(() => finish(abort))
        .catch(() => undefined)
    },
    stop: () => {
      current?.abort()
      current = null
    },
  }
}

const HIDDEN_MS = 250

function nextFrame(run: () => void): void {
  if (typeof requestAnimationFrame !== 'function' || document.hidden) setTimeout(run, HIDDEN_MS)
  else requestAnimationFrame(run)
}
