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
import type { AppContext } from '../app-context.ts'
import { JSON_TYPE, json, jsonReply, type Route, route } from '../route.ts'

/** Sessions that agents of every source left behind: list, search and read. */
export const pastRoutes = ({ options: { sessions } }: AppContext): readonly Route[] =>
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
    summary: 'Past sessions, newest first.',
    query: pastSessionsQuery,
    reply: { type: JSON_TYPE, schema: pastSessionsReply },
    answer: async ({ query }) => {
      const found = await sessions.list(query)
      return jsonReply(found)
    },
  })

const search = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/search',
    scope: 'full',
    summary: 'Messages that contain all given words, with the text around the first match.',
    query: searchQuery,
    reply: { type: JSON_TYPE, schema: searchReply },
    answer: async ({ query: { q, ...rest }, incoming: { socket } }) => {
      // Search runs on each keystroke, so a request that the page gave up is aborted.
      const gone = new AbortController()
      const leave = () => gone.abort()
      socket.once('close', leave)
      const found = await sessions.search({ text: q, ...rest }, gone.signal)
      socket.off('close', leave)
      return jsonReply(found)
    },
  })

const getStats = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/stats',
    scope: 'full',
    summary: 'Totals of past sessions by source, project, host, model, tool or day.',
    query: statsQuery,
    reply: { type: JSON_TYPE, schema: statsReply },
    answer: async ({ query: { by, ...filter } }) => {
      const found = await sessions.stats(filter, by)
      return jsonReply(found)
    },
  })

const getStatus = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/status',
    scope: 'full',
    summary: 'Progress of the index of past sessions, by source.',
    reply: { type: JSON_TYPE, schema: indexStatusReply },
    answer: () => json(sessions.status()),
  })

const orderIndex = (sessions: Sessions): Route =>
  route({
    method: 'POST',
    path: '/api/past/status',
    scope: 'full',
    action: null,
    summary: 'Pause or resume the reading of past sessions.',
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
    summary: 'Messages of a session, read from its source.',
    params: z.object({ source: z.string(), id: z.string() }),
    query: transcriptQuery,
    reply: { type: JSON_TYPE, schema: transcriptReply },
    answer: async ({ params, query }) => {
      const found = await sessions.transcript({ ...params, ...query })
      return jsonReply(found)
    },
  })

const getMessage = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id/messages/:n',
    scope: 'full',
    summary: 'One complete message of a session, by its position (from 0).',
    params: z.object({ source: z.string(), id: z.string(), n: z.coerce.number().int().min(0) }),
    reply: { type: JSON_TYPE, schema: pastMessage },
    answer: async ({ params }) => {
      const found = await sessions.message(params)
      return jsonReply(found)
    },
  })

const getOutline = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id/outline',
    scope: 'full',
    summary:
      'Outline of a session without its texts: the duration of each step, where agents start, and failed calls.',
    params: z.object({ source: z.string(), id: z.string() }),
    reply: { type: JSON_TYPE, schema: outlineReply },
    answer: async ({ params }) => {
      const found = await sessions.outline(params)
      return jsonReply(found)
    },
  })
