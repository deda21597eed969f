import { redactValue } from '@panoptes/engine/redact'
import type { Sessions } from '@panoptes/engine/sessions'
import type { AnnotationStore, EventStore } from '@panoptes/engine/store'
import {
  filterInput,
  filterName,
  filtersReply,
  type MarksInput,
  marksInput,
  type SavedFilter,
  savedFilter,
  sessionMarks,
  tagsReply,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { toRefusal } from '../problem.ts'
import { JSON_TYPE, json, jsonReply, type Route, route } from '../route.ts'

/** What people write about sessions: tags, notes and saved filters. */
export const markRoutes = ({ options: { sessions, store } }: AppContext): readonly Route[] =>
  sessions === undefined
    ? []
    : [
        putMarks(sessions, store),
        getTags(store.annotations),
        getFilters(store.annotations),
        putFilter(store.annotations),
        deleteFilter(store.annotations),
      ]

const putMarks = (sessions: Sessions, { annotations }: EventStore): Route =>
  route({
    method: 'PUT',
    path: '/api/past/sessions/:source/:id/marks',
    scope: 'full',
    summary: 'Change the tags or the note of a session. Omitted fields keep their values.',
    params: z.object({ source: z.string(), id: z.string() }),
    body: marksInput,
    reply: { type: JSON_TYPE, schema: sessionMarks },
    answer: async ({ params, body }) => {
      const found = await sessions.list({ of: [params], limit: 1 })
      if (!found.ok) return toRefusal(found)
      if (found.value.length === 0)
        return toRefusal(failure('not_found', `${params.source} has no session ${params.id}.`))
      const now = await annotations.mark(params, redactValue(body) as MarksInput)
      return jsonReply(now)
    },
  })

const getTags = (marked: AnnotationStore): Route =>
  route({
    method: 'GET',
    path: '/api/past/tags',
    scope: 'full',
    summary: 'All tags with their number of sessions, most used first.',
    reply: { type: JSON_TYPE, schema: tagsReply },
    answer: async () => {
      const tags = await marked.tags()
      return jsonReply(tags)
    },
  })

const getFilters = (marked: AnnotationStore): Route =>
  route({
    method: 'GET',
    path: '/api/past/filters',
    scope: 'full',
    summary: 'Saved filters, by name.',
    reply: { type: JSON_TYPE, schema: filtersReply },
    answer: async () => {
      const filters = await marked.filters()
      return jsonReply(filters)
    },
  })

const named = z.object({ name: filterName })

const putFilter = (marked: AnnotationStore): Route =>
  route({
    method: 'PUT',
    path: '/api/past/filters/:name',
    scope: 'full',
    summary: 'Save a filter under a name. Replaces a filter with the same name.',
    params: named,
    body: filterInput,
    reply: { type: JSON_TYPE, schema: savedFilter },
    answer: async ({ params, body }) => {
      const { name, query } = redactValue({ ...params, ...body }) as SavedFilter
      const saved = await marked.saveFilter(name, query)
      return saved.ok ? json({ name, query }) : toRefusal(saved)
    },
  })

const deleteFilter = (marked: AnnotationStore): Route =>
  route({
    method: 'DELETE',
    path: '/api/past/filters/:name',
    scope: 'full',
    summary: 'Delete a saved filter and return the remaining ones.',
    params: named,
    reply: { type: JSON_TYPE, schema: filtersReply },
    answer: async ({ params: { name } }) => {
      const dropped = await marked.dropFilter(name)
      if (!dropped.ok) return toRefusal(dropped)
      if (!dropped.value) return toRefusal(failure('not_found', `No saved filter is named ${name}.`))
      const filters = await marked.filters()
      return jsonReply(filters)
    },
  })
