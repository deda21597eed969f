import type { Sessions } from '@panoptes/engine/sessions'
import {
  indexOrder,
  indexStatusReply,
  outlineReply,
  pastMessage,
  pastSessionsQuery,
  pastSessionsReply,
  searchQuery,
  searchReply,
  statsQuery,
  statsReply,
  transcriptQuery,
  transcriptReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** What agents left behind: sessions of every source, found, searched and read. */
export const pastRoutes = ({ options: { sessions } }: Kit): readonly Route[] =>
  sessions === undefined
    ? []
    : [
        getSessions(sessions),
        getStats(sessions),
        search(sessions),
        getStatus(sessions),
        orderIndex(sessions),
        getTranscript(sessions),
        getMessage(sessions),
        getOutline(sessions),
      ]

const getSessions = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions',
    scope: 'full',
    summary: 'Sessions that agents left behind, the newest first.',
    query: pastSessionsQuery,
    reply: { type: JSON_TYPE, schema: pastSessionsReply },
    answer: async ({ query }) => {
      const found = await sessions.list(query)
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const search = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/search',
    scope: 'full',
    summary: 'Messages with all these words, with the words around the first match.',
    query: searchQuery,
    reply: { type: JSON_TYPE, schema: searchReply },
    answer: async ({ query: { q, ...rest }, incoming: { socket } }) => {
      // Somebody who types asks anew with each key, and leaves what was asked before.
      const gone = new AbortController()
      const leave = () => gone.abort()
      socket.once('close', leave)
      const found = await sessions.search({ text: q, ...rest }, gone.signal)
      socket.off('close', leave)
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const getStats = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/stats',
    scope: 'full',
    summary: 'What past sessions amount to, by source, project, model, tool or day.',
    query: statsQuery,
    reply: { type: JSON_TYPE, schema: statsReply },
    answer: async ({ query: { by, ...filter } }) => {
      const found = await sessions.stats(filter, by)
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const getStatus = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/status',
    scope: 'full',
    summary: 'How far the index of past sessions is, for each source.',
    reply: { type: JSON_TYPE, schema: indexStatusReply },
    answer: () => json(sessions.status()),
  })

const orderIndex = (sessions: Sessions): Route =>
  route({
    method: 'POST',
    path: '/api/past/status',
    scope: 'full',
    action: null,
    summary: 'Pauses reading past sessions, or goes on with it.',
    body: indexOrder,
    reply: { type: JSON_TYPE, schema: indexStatusReply },
    answer: ({ body }) => {
      sessions.pause(body.paused)
      return json(sessions.status())
    },
  })

const getTranscript = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id',
    scope: 'full',
    summary: 'The messages of a session, read from its source.',
    params: z.object({ source: z.string(), id: z.string() }),
    query: transcriptQuery,
    reply: { type: JSON_TYPE, schema: transcriptReply },
    answer: async ({ params, query }) => {
      const found = await sessions.transcript({ ...params, ...query })
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const getMessage = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id/messages/:n',
    scope: 'full',
    summary: 'One message of a session, whole, by its place from 0 on.',
    params: z.object({ source: z.string(), id: z.string(), n: z.coerce.number().int().min(0) }),
    reply: { type: JSON_TYPE, schema: pastMessage },
    answer: async ({ params }) => {
      const found = await sessions.message(params)
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })

const getOutline = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id/outline',
    scope: 'full',
    summary: 'A whole session without its words: what each step took, where agents began and calls failed.',
    params: z.object({ source: z.string(), id: z.string() }),
    reply: { type: JSON_TYPE, schema: outlineReply },
    answer: async ({ params }) => {
      const found = await sessions.outline(params)
      return found.ok ? json(found.value) : refusalOf(found)
    },
  })
