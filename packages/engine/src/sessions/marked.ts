import type { MarkedSessions } from '@panoptes/engine/ledger'
import type { PastSession, Result, SessionMarks, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Sessions } from './open.ts'

/** Where nobody wrote anything. */
export const NOTHING_MARKED: Pick<MarkedSessions, 'list'> = { list: async () => success([]) }

/** Past sessions with what people wrote about them: it is shown, and sessions are found by their tags. */
export function withMarks(sessions: Sessions, marked: Pick<MarkedSessions, 'list'>): Sessions {
  const shown = async (list: readonly PastSession[]): Promise<Result<readonly PastSession[]>> => {
    if (list.length === 0) return success(list)
    const found = await marked.list({ of: list.map(({ source, id }) => ({ source, id })) })
    if (!found.ok) return found
    const by = new Map(found.value.map((marks) => [nameOf(marks), marks]))
    return success(list.map((session) => markedAs(session, by.get(nameOf(session)))))
  }
  const withSession = async <T extends { readonly session: PastSession }>(
    found: Result<T>,
  ): Promise<Result<T>> => {
    if (!found.ok) return found
    const listed = await shown([found.value.session])
    return listed.ok ? success({ ...found.value, session: listed.value[0] ?? found.value.session }) : listed
  }
  /** A filter by tag is one by the sessions that have it. */
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
      const asked = await narrowed(query)
      if (!asked.ok) return asked
      const found = await sessions.list(asked.value)
      return found.ok ? shown(found.value) : found
    },
    stats: async (filter, by) => {
      const asked = await narrowed(filter)
      return asked.ok ? sessions.stats(asked.value, by) : asked
    },
    search: async (query, signal) => {
      const asked = await narrowed(query)
      return asked.ok ? sessions.search(asked.value, signal) : asked
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

const nameOf = ({ source, id }: SessionRef): string => `${source}\n${id}`

const markedAs = (session: PastSession, marks: SessionMarks | undefined): PastSession =>
  marks === undefined ? session : { ...session, tags: marks.tags, note: marks.note }
