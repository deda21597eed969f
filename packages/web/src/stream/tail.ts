import type {
  AchievementItem,
  AchievementsView,
  Agent,
  AgentIdentity,
  StoredEvent,
  StreamFrame,
} from '@panoptes/schema'
import { createStore, type Store } from '../store.ts'
import { keepSocket, type Link, type Socket } from './socket.ts'

export interface TailState {
  readonly link: Link
  /** The time of the next attempt while there is no connection. */
  readonly retryAt: number | null
  /** When the connection was lost; null while it is up. */
  readonly lostAt: number | null
  /** The newest seq that the server has named. */
  readonly latest: number | null
}

/** A range in which events may be missing. */
export interface Break {
  readonly from: number
  readonly to: number
  /** The server reported that it could not send them. */
  readonly missed: boolean
}

export interface TailListener {
  readonly onEvents?: (events: readonly StoredEvent[]) => void
  /**
   * Changed agents in their new state, and ids that no longer name an agent. It follows the events that
   * caused the change.
   */
  readonly onAgents?: (agents: readonly Agent[], gone: readonly AgentIdentity[]) => void
  /**
   * A new connection with the agents that are alive now, whatever was known before, and the number of those
   * left out.
   */
  readonly onAlive?: (alive: readonly Agent[], leftOut: number) => void
  readonly onBreak?: (gap: Break) => void
  readonly onUnlocked?: (view: AchievementsView, achievements: readonly AchievementItem[]) => void
  /** Another store answers, or its log went back, so everything known is invalid. */
  readonly onReset?: () => void
}

export interface Tail {
  readonly state: Store<TailState>
  readonly listen: (listener: TailListener) => () => void
  readonly retry: () => void
  readonly stop: () => void
}

type AgentsFrame = Extract<StreamFrame, { type: 'agents' }>

/** More events than this between two screen frames are dropped; lists load them again when they show them. */
const QUEUE_LIMIT = 5_000

/** The live end of the store. Events are published once per screen frame, however fast they arrive. */
export function openTail(options: {
  readonly open: (since: number | null) => Socket
  readonly nextFrame: (run: () => void) => void
}): Tail {
  const state = createStore<TailState>({ link: 'connecting', retryAt: null, lostAt: null, latest: null })
  const listeners = new Set<TailListener>()
  let queue: StoredEvent[] = []
  let changed: AgentsFrame[] = []
  let delivered: number | null = null
  let isVoid = false
  let scheduled = false

  const flush = () => {
    scheduled = false
    deliver()
    const frames = changed
    changed = []
    for (const { data, gone } of frames)
      for (const listener of [...listeners]) listener.onAgents?.(data, gone ?? [])
  }

  const deliver = () => {
    const events = queue
    queue = []
    if (events.length === 0) return
    let run: StoredEvent[] = []
    for (const event of events) {
      if (delivered !== null && event.seq <= delivered) continue
      if (delivered !== null && event.seq > delivered + 1) {
        hand(run)
        run = []
        tell({ from: delivered + 1, to: event.seq - 1, missed: false })
      }
      run.push(event)
      delivered = event.seq
    }
    hand(run)
    advance(delivered)
  }

  const hand = (events: readonly StoredEvent[]) => {
    if (events.length === 0) return
    for (const listener of [...listeners]) listener.onEvents?.(events)
  }

  const tell = (gap: Break) => {
    for (const listener of [...listeners]) listener.onBreak?.(gap)
  }

  const advance = (seq: number | null) => {
    if (seq !== null && seq > (state.get().latest ?? -1))
      state.update((before) => ({ ...before, latest: seq }))
  }

  const take = (events: readonly StoredEvent[]) => {
    for (const event of events) queue.push(event)
    if (queue.length > QUEUE_LIMIT) queue = queue.slice(-QUEUE_LIMIT)
    schedule()
  }

  const schedule = () => {
    if (scheduled) return
    scheduled = true
    options.nextFrame(flush)
  }

  const onSnapshot = (seq: number) => {
    const latest = state.get().latest
    if (isVoid || (latest !== null && seq < latest)) {
      isVoid = false
      queue = []
      delivered = seq
      state.update((before) => ({ ...before, latest: seq }))
      for (const listener of [...listeners]) listener.onReset?.()
      return
    }
    delivered ??= seq
    advance(seq)
  }

  const onFrame = (frame: StreamFrame) => {
    if (frame.type === 'snapshot') {
      onSnapshot(frame.seq)
      changed = []
      for (const listener of [...listeners]) listener.onAlive?.(frame.alive, frame.alive_left_out ?? 0)
    } else if (frame.type === 'agents') {
      changed.push(frame)
      schedule()
    } else if (frame.type === 'unlocked') {
      for (const listener of [...listeners]) listener.onUnlocked?.(frame.view, frame.achievements)
    } else if (frame.type === 'event') take([frame.data])
    else if (frame.type === 'batch') take(frame.data)
    else if (frame.type === 'gap') {
      flush()
      delivered = Math.max(delivered ?? 0, frame.to)
      tell({ from: frame.from, to: frame.to, missed: true })
      advance(frame.to)
    }
  }

  /**
   * Data fetched before the reconnect would miss the events in between, so listeners reset only with the next
   * snapshot.
   */
  const onVoid = () => {
    isVoid = true
    queue = []
    changed = []
    delivered = null
  }

  const onLink = (link: Link, retryAt: number | null) =>
    state.update((before) => ({
      ...before,
      link,
      retryAt,
      lostAt: link === 'connected' ? null : (before.lostAt ?? Date.now()),
    }))

  const socket = keepSocket({ open: options.open, since: () => delivered, onFrame, onLink, onVoid })
  return {
    state,
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    retry: socket.retry,
    stop: socket.stop,
  }
}
