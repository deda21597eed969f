import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, reportsFailure } from '@panoptes/schema/reading'

/** The filter of the list. An absent field does not narrow it. */
export interface Filter {
  readonly kinds?: readonly string[]
  readonly source?: string
  readonly session?: string
  readonly agent?: string
  readonly text?: string
  readonly failed?: boolean
}

export const isNarrowed = (filter: Filter): boolean =>
  filter.kinds !== undefined ||
  filter.source !== undefined ||
  filter.session !== undefined ||
  filter.agent !== undefined ||
  filter.text !== undefined ||
  filter.failed === true

/** The filter as query parameters. */
export function toSearchParams(filter: Filter): URLSearchParams {
  const query = new URLSearchParams()
  if (filter.kinds) query.set('kind', filter.kinds.join(','))
  if (filter.source) query.set('source', filter.source)
  if (filter.session) query.set('session', filter.session)
  if (filter.agent) query.set('agent', filter.agent)
  if (filter.text) query.set('text', filter.text)
  if (filter.failed) query.set('failed', '1')
  return query
}

/** Applies the server's filter rules to a live event. */
export function createMatcher(filter: Filter): (event: StoredEvent) => boolean {
  const kinds = filter.kinds && new Set(filter.kinds)
  const text = filter.text && lowerAscii(toJsonText(filter.text))
  return (event) => {
    if (kinds && !kinds.has(event.event)) return false
    if (filter.source !== undefined && event.source !== filter.source) return false
    if (filter.session !== undefined && event.session_id !== filter.session) return false
    if (filter.agent !== undefined && readAgentId(event) !== filter.agent) return false
    if (filter.failed && !reportsFailure(event)) return false
    return !text || lowerAscii(eventBody(event)).includes(text)
  }
}

/** The store searches an event's JSON text, which does not include `seq`. */
function eventBody(event: StoredEvent): string {
  const { seq: _, ...body } = event
  return JSON.stringify(body)
}

const toJsonText = (text: string): string => JSON.stringify(text).slice(1, -1)

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())
