import type { EventsPage } from '@panoptes/schema'
import { getJson } from '../api/request.ts'
import { type Filter, queryOf } from './filter.ts'
import type { ReadPage } from './list.ts'

export const pageReader =
  (filter: Filter): ReadPage =>
  (range, signal) => {
    const query = queryOf(filter)
    if ('after' in range) query.set('after', String(range.after))
    else query.set('before', String(range.before))
    query.set('limit', String(range.limit))
    return getJson<EventsPage>(`/api/events?${query}`, signal)
  }
