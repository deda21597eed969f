import type { Ledger, MarkedSessions } from '@panoptes/engine/ledger'
import type { Sessions } from '@panoptes/engine/sessions'
import {
  filterInput,
  filterName,
  filtersReply,
  marksInput,
  savedFilter,
  sessionMarks,
  tagsReply,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** What people write about sessions: tags, notes, saved filters. */
export const markRoutes = ({ options: { sessions, ledger } }: Kit): readonly Route[] =>
  sessions === undefined
    ? []
    : [
        putMarks(sessions, ledger),
        getTags(ledger.marked),
        getFilters(ledger.marked),
        putFilter(ledger.marked),
        deleteFilter(ledger.marked),
      ]

const putMarks = (sessions: Sessions, { marked }: Ledger): Route =>
  route({
    method: 'PUT',
    path: '/api/past/sessions/:source/:id/marks',
    scope: 'full',
    summary: 'Change the tags or the note of a session; what is not given stays.',
    params: z.object({ source: z.string(), id: z.string() }),
    body: marksInput,
    reply: { type: JSON_TYPE, schema: sessionMarks },
    answer: async ({ params, body }) => {
      const found = await sessions.list({ of: [params], limit: 1 })
      if (!found.ok) return refusalOf(found)
      if (found.value.length === 0)
        return refusalOf(failure('not_found', `There is no session ${params.id} of ${params.source}.`))
      const now = await marked.mark(params, body)
      return now.ok ? json(now.value) : refusalOf(now)
    },
  })

const getTags = (marked: MarkedSessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/tags',
    scope: 'full',
    summary: 'Every tag and how many sessions have it, the most used first.',
    reply: { type: JSON_TYPE, schema: tagsReply },
    answer: async () => {
      const tags = await marked.tags()
      return tags.ok ? json(tags.value) : refusalOf(tags)
    },
  })

const getFilters = (marked: MarkedSessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/filters',
    scope: 'full',
    summary: 'The saved filters, by name.',
    reply: { type: JSON_TYPE, schema: filtersReply },
    answer: async () => {
      const filters = await marked.filters()
      return filters.ok ? json(filters.value) : refusalOf(filters)
    },
  })

const named = z.object({ name: filterName })

const putFilter = (marked: MarkedSessions): Route =>
  route({
    method: 'PUT',
    path: '/api/past/filters/:name',
    scope: 'full',
    summary: 'Save a filter under a name; one that has the name already is replaced.',
    params: named,
    body: filterInput,
    reply: { type: JSON_TYPE, schema: savedFilter },
    answer: async ({ params: { name }, body: { query } }) => {
      const saved = await marked.saveFilter(name, query)
      return saved.ok ? json({ name, query }) : refusalOf(saved)
    },
  })

const deleteFilter = (marked: MarkedSessions): Route =>
  route({
    method: 'DELETE',
    path: '/api/past/filters/:name',
    scope: 'full',
    summary: 'Remove a saved filter; answers those that are left.',
    params: named,
    reply: { type: JSON_TYPE, schema: filtersReply },
    answer: async ({ params: { name } }) => {
      const dropped = await marked.dropFilter(name)
      if (!dropped.ok) return refusalOf(dropped)
      if (!dropped.value) return refusalOf(failure('not_found', `There is no saved filter ${name}.`))
      const filters = await marked.filters()
      return filters.ok ? json(filters.value) : refusalOf(filters)
    },
  })
