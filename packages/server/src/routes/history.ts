import type { Ledger } from '@panoptes/engine/ledger'
import {
  replayQuery,
  replayReply,
  sessionsReply,
  timeline,
  timelineQuery,
  toolsReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { badInput, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, jsonText, type Route, route } from '../route.ts'

const MOST_SESSIONS = 10_000

export const historyRoutes = ({ options: { ledger } }: Kit): readonly Route[] => [
  getReplay(ledger),
  getTimeline(ledger),
  getTools(ledger),
  getSessions(ledger),
]

const getReplay = (ledger: Ledger): Route =>
  route({
    method: 'GET',
    path: '/api/replay',
    scope: 'full',
    summary:
      'The agents as they were at a moment, by time or by seq; without either, and for a moment that is not past, as they are now.',
    query: replayQuery,
    reply: { type: JSON_TYPE, schema: replayReply },
    answer: async ({ query: { at, seq } }) => {
      if (at !== undefined && seq !== undefined) {
        return badInput('query', [{ path: 'seq', reason: 'cannot stand together with at' }])
      }
      const now = Date.now()
      const moment = at !== undefined && at < now ? { ts: at } : { seq: seq ?? (await lastOf(ledger)) }
      const then = await ledger.replayAt(moment)
      if (!then.ok) return refusalOf(then)
      const { agents, sessions, seq: reached } = then.value
      const ts = seq === undefined ? (at ?? now) : await timeOf(ledger, reached)
      return jsonText(`{"seq":${reached},"at":${ts},"agents":${agents},"sessions":${sessions}}`)
    },
  })

/** Now is everything that is stored, also what is stamped by a clock that runs ahead. */
async function lastOf(ledger: Ledger): Promise<number> {
  const head = await ledger.head()
  return head.ok ? head.value.last : 0
}

async function timeOf(ledger: Ledger, seq: number): Promise<number> {
  const page = await ledger.read({ before: seq + 1, limit: 1 })
  const row = page.ok ? page.value.rows[0] : undefined
  return row ? (JSON.parse(row.json) as { ts: number }).ts : 0
}

const getTimeline = (ledger: Ledger): Route =>
  route({
    method: 'GET',
    path: '/api/timeline',
    scope: 'full',
    summary: 'What happened in a span, cut into slices, with the moments worth jumping to.',
    query: timelineQuery,
    reply: { type: JSON_TYPE, schema: timeline },
    answer: async ({ query: { from, to, slices, session } }) => {
      if (to <= from) return badInput('query', [{ path: 'to', reason: 'must be later than from' }])
      const found = await ledger.timeline({ from, to, slices, session: session || undefined })
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const getTools = (ledger: Ledger): Route =>
  route({
    method: 'GET',
    path: '/api/tools',
    scope: 'full',
    summary: 'How often each tool of each source ran and failed, and how long it takes.',
    reply: { type: JSON_TYPE, schema: toolsReply },
    answer: async () => {
      const found = await ledger.tools()
      return found.ok ? json(found.value.value) : refusalOf(found)
    },
  })

const sessionsQuery = z.strictObject({
  session: z.string().optional(),
  limit: z.coerce.number('must be a whole number').int().min(1).max(MOST_SESSIONS).default(200),
})

const getSessions = (ledger: Ledger): Route =>
  route({
    method: 'GET',
    path: '/api/sessions',
    scope: 'full',
    summary: 'Sessions, the one with the newest event first; or those of one id.',
    query: sessionsQuery,
    reply: { type: JSON_TYPE, schema: sessionsReply },
    answer: async ({ query: { session, limit } }) => {
      const found = await ledger.sessions({ session: session || undefined, limit })
      return found.ok ? json(found.value.value) : refusalOf(found)
    },
  })
