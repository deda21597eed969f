import type { AnnotationStore } from '@panoptes/engine/store'
import type { PastSession, Result, SessionMarks, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Sessions } from './open.ts'

/** An empty set of annotations. */
export const NOTHING_MARKED: Pick<AnnotationStore, 'list'> = { list: async () => success([]) }

/** Adds people's tags and notes to past sessions, and lets queries filter by tag. */
export function withMarks(sessions: Sessions, marked: Pick<AnnotationStore, 'list'>): Sessions {
  const shown = async (list: readonly PastSession[]): Promise<Result<readonly PastSession[]>> => {
    if (list.length === 0) return success(list)
    const found = await marked.list({ of: list.map(({ source, id }) => ({ source, id })) })
    if (!found.ok) return found
    const by = new Map(found.value.map((marks) => [sessionKey(marks), marks]))
    return success(list.map((session) => markedAs(session, by.get(sessionKey(session)))))
  }
  const withSession = async <T extends { readonly session: PastSession }>(
    found: Result<T>,
  ): Promise<Result<T>> => {
    if (!found.ok) return found
    const listed = await shown([found.value.session])
    return listed.ok ? success({ ...found.value, session: listed.value[0] ?? found.value.session }) : listed
  }
  /** Replaces a filter by tag with one by the sessions that have the tag. */
  const narrowed = async <F extends { readonly tag?: string | undefined }>(
    filter: F,
  ): Promise<Result<Omit<F, 'tag'> & { readonly of?: readonly SessionRef[] }>> => {
    const { tag, ...rest } = filter
    if (tag === undefined) return success(rest)
    const found = await marked.list({ tag })
    return found.ok ? success({ ...rest, of: found.value.map(({ source, id }) => ({ source, id })) }) : found
  }
  return {
    ...sessions,
    list: async (query) => {
      const narrowedQuery = await narrowed(query)
      if (!narrowedQuery.ok) return narrowedQuery
      const found = await sessions.list(narrowedQuery.value)
      return found.ok ? shown(found.value) : found
    },
    stats: async (filter, by) => {
      const narrowedQuery = await narrowed(filter)
      return narrowedQuery.ok ? sessions.stats(narrowedQuery.value, by) : narrowedQuery
    },
    search: async (query, signal) => {
      const narrowedQuery = await narrowed(query)
      return narrowedQuery.ok ? sessions.search(narrowedQuery.value, signal) : narrowedQuery
    },
    export: async (query) => {
      const { source, id } = query
      const found = await marked.list({ of: [{ source, id }] })
      return found.ok ? sessions.export({ ...query, marks: found.value[0] }) : found
    },
    transcript: async (query) => withSession(await sessions.transcript(query)),
    opening: async (session, turns) => withSession(await sessions.opening(session, turns)),
  }
}

const sessionKey = ({ source, id }: SessionRef): string => `${source}\n${id}`

const markedAs = (session: PastSession, marks: SessionMarks | undefined): PastSession =>
  marks === undefined ? session : { ...session, tags: marks.tags, note: marks.note }
