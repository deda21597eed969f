import type { Conversation } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { RequestFailure } from '../api/request.ts'
import { pageTail } from '../stream/page-tail.ts'
import type { ChatInputOnWire } from './api/chat-stream.ts'
import { conversationApi } from './api/conversation-api.ts'
import { conversationQuery, readList, readOne, runQuery } from './queries.ts'
import { createFollower, type Followed, NOTHING } from './state/follower.ts'
import { type ChatRow, type KnownRows, type Pending, rowsOf } from './state/rows.ts'
import type { RunView } from './state/run-view.ts'

export interface ChatView {
  readonly conversation: Conversation | undefined
  readonly error: Error | null
  readonly retry: () => void
  readonly rows: readonly ChatRow[]
  /** The run that goes on, else the newest one as far as it is known. */
  readonly run: RunView | null
  readonly isRunning: boolean
  /** When the last message of this window was sent; null once all that came of it is stored. */
  readonly sentAt: number | null
  /** Nothing goes on, and what is known of the newest run was read. */
  readonly isSettled: boolean
  /** The connection to the run was lost; it is asked for again. */
  readonly isLost: boolean
  readonly send: (input: ChatInputOnWire, pending: Pending) => Promise<void>
  readonly stop: () => Promise<void>
  readonly answer: (request: string, choice: string) => Promise<void>
}

/** One conversation as it is now: what is stored, what is being answered, and the ways to take part. */
export function useChatView(id: string | null): ChatView {
  const query = useQuery({ ...conversationQuery(id ?? ''), enabled: id !== null })
  const conversation = query.data
  const [followed, setFollowed] = useState<Followed>(NOTHING)
  const follower = useMemo(() => (id === null ? null : createFollower(id, setFollowed)), [id])
  useEffect(() => {
    setFollowed(NOTHING)
    return () => follower?.stop()
  }, [follower])
  const runId = conversation?.run_id ?? null
  useEffect(() => {
    if (runId !== null) follower?.follow(runId)
  }, [follower, runId])
  useNews(id, followed.phase === 'running')

  const last = conversation?.messages.findLast(({ run_id }) => run_id !== null)?.run_id ?? null
  // What is on its way is not what came of the message before it.
  const isAtRest = followed.phase === 'idle' && followed.pending === null && runId === null
  const own = followed.run?.runId ?? null
  const isOwnStored = own === null || (conversation?.messages.some(({ run_id }) => run_id === own) ?? false)
  const isPast = id !== null && last !== null && isAtRest && own !== last && isOwnStored
  const past = useQuery({ ...runQuery(id ?? '', last ?? ''), enabled: isPast })
  // Whoever is over and says nothing of it is known by what is stored.
  const told = past.data?.end ? past.data : null
  const run = isPast ? told : followed.run

  const known = useRef<KnownRows>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another conversation are others
  useMemo(() => {
    known.current = new Map()
  }, [id])
  const stored = conversation?.messages
  const { pending } = followed
  const rows = useMemo(() => rowsOf(stored ?? [], run, pending, known.current), [stored, run, pending])

  const send = useCallback(
    async (input: ChatInputOnWire, sent: Pending) => follower?.send(input, sent),
    [follower],
  )
  const stop = useCallback(async () => {
    if (id === null) return
    try {
      await conversationApi.cancel(id)
    } catch (error) {
      // It had ended already.
      if (!(error instanceof RequestFailure && error.status === 404)) throw error
      await readOne(id)
    }
  }, [id])
  const answer = useCallback(
    async (request: string, choice: string) => {
      if (id !== null) await conversationApi.answer(id, request, choice)
    },
    [id],
  )
  return {
    conversation,
    error: query.error,
    retry: () => void query.refetch(),
    rows,
    run,
    isRunning: followed.phase === 'running',
    sentAt: pending?.ts ?? null,
    isSettled: conversation !== undefined && isAtRest && (!isPast || past.isFetched),
    isLost: followed.isLost,
    send,
    stop,
    answer,
  }
}

const SOON_MS = 300

/** What another window, the terminal or another device says in it is told by the ledger; it is read again then. */
function useNews(id: string | null, isFollowed: boolean): void {
  const skips = useRef(isFollowed)
  skips.current = isFollowed
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOwn = false
    const stop = pageTail.listen({
      onEvents: (events) => {
        const ours = events.filter(({ source }) => source === 'panoptes')
        if (ours.length === 0) return
        isOwn ||= ours.some(({ session_id }) => session_id === id)
        timer ??= setTimeout(() => {
          timer = undefined
          void readList()
          if (id !== null && isOwn && !skips.current) void readOne(id)
          isOwn = false
        }, SOON_MS)
      },
      onReset: () => void readList(),
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [id])
}
