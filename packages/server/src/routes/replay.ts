import type { EventStore } from '@panoptes/engine/store'
import {
  replayQuery,
  replayReply,
  sessionsReply,
  timeline,
  timelineQuery,
  toolsReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { badInput, toRefusal } from '../problem.ts'
import { JSON_TYPE, json, jsonReply, jsonText, type Route, route } from '../route.ts'

const MOST_SESSIONS = 10_000

export const historyRoutes = ({ options: { store } }: AppContext): readonly Route[] => [
  getReplay(store),
  getTimeline(store),
  getTools(store),
  getSessions(store),
]

const getReplay = (store: EventStore): Route =>
  route({
    method: 'GET',
    path: '/api/replay',
    scope: 'full',
    summary:
      'The state of all agents at a past time or event number (seq). Without either, or for a future time, their current state.',
    query: replayQuery,
    reply: { type: JSON_TYPE, schema: replayReply },
    answer: async ({ query: { at, seq } }) => {
      if (at !== undefined && seq !== undefined) {
        return badInput('query', [{ path: 'seq', reason: 'cannot be combined with at' }])
      }
      const now = Date.now()
      const moment = at !== undefined && at < now ? { ts: at } : { seq: seq ?? (await findLastSeq(store)) }
      const then = await store.replayAt(moment)
      if (!then.ok) return toRefusal(then)
      const { agents, sessions, seq: reached } = then.value
      const ts = seq === undefined ? (at ?? now) : await eventTime(store, reached)
      return jsonText(`{"seq":${reached},"at":${ts},"agents":${agents},"sessions":${sessions}}`)
    },
  })

/** The last stored event. A time would leave out events that a clock ahead of ours stamped. */
async function findLastSeq(store: EventStore): Promise<number> {
  const head = await store.head()
  return head.ok ? head.value.last : 0
}

async function eventTime(store: EventStore, seq: number): Promise<number> {
  const page = await store.read({ before: seq + 1, limit: 1 })
  const row = page.ok ? page.value.rows[0] : undefined
  return row ? (JSON.parse(row.json) as { ts: number }).ts : 0
}

const getTimeline = (store: EventStore): Route =>
  route({
    method: 'GET',
    path: '/api/timeline',
    scope: 'full',
    summary: 'Activity of a time range in slices, with notable moments.',
    query: timelineQuery,
    reply: { type: JSON_TYPE, schema: timeline },
    answer: async ({ query: { from, to, slices, session } }) => {
      if (to <= from) return badInput('query', [{ path: 'to', reason: 'must be later than from' }])
      const found = await store.timeline({ from, to, slices, session: session || undefined })
      return jsonReply(found)
    },
  })

const getTools = (store: EventStore): Route =>
  route({
    method: 'GET',
    path: '/api/tools',
    scope: 'full',
    summary: 'Calls, failures and durations of each tool, by source.',
    reply: { type: JSON_TYPE, schema: toolsReply },
    answer: async () => {
      const found = await store.tools()
      return found.ok ? json(found.value.value) : toRefusal(found)
    },
  })

const sessionsQuery = z.strictObject({
  session: z.string().optional(),
  limit: z.coerce.number('must be a whole number').int().min(1).max(MOST_SESSIONS).default(200),
})

const getSessions = (store: EventStore): Route =>
  route({
    method: 'GET',
    path: '/api/sessions',
    scope: 'full',
    summary: 'Sessions, those with the newest events first. With `session`, only those with this id.',
    query: sessionsQuery,
    reply: { type: JSON_TYPE, schema: sessionsReply },
    answer: async ({ query: { session, limit } }) => {
      const found = await store.sessions({ session: session || undefined, limit })
      return found.ok ? json(found.value.value) : toRefusal(found)
    },
  })
