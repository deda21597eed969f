import type { ChatEvent } from '@panoptes/schema'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import { conversationApi } from './api/conversation-api.ts'
import { addEvents, type RunView } from './state/run-view.ts'

const all = ['chat'] as const
const PAGE = 100
const OFTEN_MS = 5_000
const SELDOM_MS = 15_000
const FEW_PAGES = 2

export const conversationsQuery = (text: string) =>
  infiniteQueryOptions({
    queryKey: [...all, 'list', text],
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ limit: String(PAGE) })
      if (text !== '') params.set('text', text)
      if (pageParam !== null) {
        params.set('before', String(pageParam.updated_at))
        params.set('before_id', pageParam.id)
      }
      return conversationApi.list(params.toString(), signal)
    },
    initialPageParam: null as { readonly id: string; readonly updated_at: number } | null,
    getNextPageParam: ({ conversations }) =>
      conversations.length < PAGE ? null : (conversations.at(-1) ?? null),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= FEW_PAGES ? OFTEN_MS : false),
  })

/** Refetched when the conversation changes and whenever the reader comes back, because others may have written meanwhile. */
export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => conversationApi.get(id, signal),
  })

/** A finished run, rebuilt from its events; null if they are no longer stored. */
export const runQuery = (conversation: string, run: string) =>
  queryOptions({
    queryKey: [...all, 'run', conversation, run],
    queryFn: async ({ signal }): Promise<RunView | null> => {
      const events: ChatEvent[] = []
      const stream = conversationApi.chatStream(conversation, null, {
        signal,
        lastEventId: `${run}:0`,
        stillRuns: async () => false,
      })
      try {
        for await (const event of stream) events.push(event)
      } catch {
        return null
      }
      return addEvents(null, events)
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

export const contextQuery = (conversation: string, message: string) =>
  queryOptions({
    queryKey: [...all, 'context', conversation, message],
    queryFn: ({ signal }) => conversationApi.context(conversation, message, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const runtimesQuery = queryOptions({
  queryKey: [...all, 'runtimes'],
  queryFn: ({ signal }) => conversationApi.runtimes(signal),
  staleTime: OFTEN_MS,
  refetchInterval: SELDOM_MS,
})

export const factsQuery = queryOptions({
  queryKey: [...all, 'facts'],
  queryFn: ({ signal }) => conversationApi.facts(signal),
})

export const readList = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [...all, 'list'] })
export const readOne = (id: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: conversationQuery(id).queryKey })
export const readFacts = (): Promise<void> => queryClient.invalidateQueries({ queryKey: factsQuery.queryKey })
