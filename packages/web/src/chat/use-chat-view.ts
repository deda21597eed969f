import type { Conversation } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { RequestFailure } from '../api/request.ts'
import { pageTail } from '../stream/page-tail.ts'
import type { ChatInputOnWire } from './api/chat-stream.ts'
import { conversationApi } from './api/conversation-api.ts'
import { conversationQuery, readList, readOne, runQuery } from './queries.ts'
import { createFollower, type FollowerState, NOTHING } from './state/follower.ts'
import { buildRows, type ChatRow, type PendingMessage, type RowCache } from './state/rows.ts'
import type { RunView } from './state/run-view.ts'

export interface ChatView {
  readonly conversation: Conversation | undefined
  readonly error: Error | null
  readonly retry: () => void
  readonly rows: readonly ChatRow[]
  /** The running run, else the newest one as far as it is known. */
  readonly run: RunView | null
  readonly isRunning: boolean
  /** When this window sent its last message; null once the complete answer is stored. */
  readonly sentAt: number | null
  /** Nothing is running, and the newest run has been read. */
  readonly isSettled: boolean
  /** The connection to the run was lost and is being retried. */
  readonly isLost: boolean
  readonly send: (input: ChatInputOnWire, pending: PendingMessage) => Promise<void>
  readonly stop: () => Promise<void>
  readonly answer: (request: string, choice: string) => Promise<void>
}

/** The current state of one conversation: stored messages, the running answer, and the actions. */
export function useChatView(id: string | null): ChatView {
  const query = useQuery({ ...conversationQuery(id ?? ''), enabled: id !== null })
  const conversation = query.data
  const [followed, setFollowed] = useState<FollowerState>(NOTHING)
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
  // The pending message must not show the previous answer.
  const isAtRest = followed.phase === 'idle' && followed.pending === null && runId === null
  const own = followed.run?.runId ?? null
  const isOwnStored = own === null || (conversation?.messages.some(({ run_id }) => run_id === own) ?? false)
  const isPast = id !== null && last !== null && isAtRest && own !== last && isOwnStored
  const past = useQuery({ ...runQuery(id ?? '', last ?? ''), enabled: isPast })
  // A finished run that reported nothing is known by its stored messages.
  const pastRun = past.data?.end ? past.data : null
  const run = isPast ? pastRun : followed.run

  const rowCache = useRef<RowCache>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cached rows belong to one conversation
  useMemo(() => {
    rowCache.current = new Map()
  }, [id])
  const stored = conversation?.messages
  const { pending } = followed
  const rows = useMemo(() => buildRows(stored ?? [], run, pending, rowCache.current), [stored, run, pending])

  const send = useCallback(
    async (input: ChatInputOnWire, sent: PendingMessage) => follower?.send(input, sent),
    [follower],
  )
  const stop = useCallback(async () => {
    if (id === null) return
    try {
      await conversationApi.cancel(id)
    } catch (error) {
      // The run had ended already.
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

/** Other windows, terminals and devices write to the store, so the conversation is read again on its events. */
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
