import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetLines, forgetPayloads, holdMark } from '@panoptes/engine/capture'
import { redactValue } from '@panoptes/engine/redact'
import {
  createForgetting,
  forgettable,
  indexForgetter,
  openSessions,
  type Sessions,
} from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { MarksInput, RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import type { Context } from '../../context.ts'
import { lockHome, noStore, openStore } from '../../daemon/access.ts'
import { bringSessions, refreshShared } from '../../daemon/bring-sessions.ts'
import { achievementsForgetter, achievementsOf } from '../../daemon/follow-achievements.ts'
import { reviewForgetter, reviewOf } from '../../daemon/follow-review.ts'
import {
  createSkillReader,
  NO_SESSIONS,
  readAgingTime,
  sessionSettings,
} from '../../daemon/follow-sessions.ts'
import { pastOf, templatesForgetter, templatesOf } from '../../daemon/follow-templates.ts'
import { withOwnMarks } from '../../daemon/own-marks.ts'
import { isMade, placeOf, placeOfHome } from '../../daemon/place.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { loadConfig } from '../config.ts'
import { PAGE, type PastSessions, type Purpose } from './access.ts'

/** Reads past sessions in this process, which has exclusive access to the store and the index. */
export async function withLocalClient<T>(
  context: Context,
  purpose: Purpose,
  work: (sessions: PastSessions) => Promise<T>,
): Promise<T> {
  const place = await placeOfHome(context)
  if (purpose === 'read' && !isMade(place)) {
    const lock = await lockHome(context)
    try {
      return await withIndex(context, undefined, purpose, work)
    } finally {
      lock.release()
    }
  }
  const store = await openStore(context, place)
  try {
    return await withIndex(context, store, purpose, work)
  } finally {
    await store.close()
  }
}

async function withIndex<T>(
  context: Context,
  store: EventStore | undefined,
  purpose: Purpose,
  work: (sessions: PastSessions) => Promise<T>,
): Promise<T> {
  const sessions = await openFreshSessions(context, store)
  try {
    const past = openLocalClient(context, sessions, store)
    try {
      return await work(past)
    } finally {
      // Finishes deletions of a killed command. The daemon does the same when it starts.
      if (purpose === 'write') await past.forget([])
    }
  } finally {
    await sessions.close()
  }
}

/** Opens the index and updates it with changed sessions. */
export async function openFreshSessions(context: Context, store: EventStore | undefined): Promise<Sessions> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const { annotations } = store ?? {}
  const place = placeOf(context, config)
  await bringSessions(place, context)
  const forgotten = store && orFail(await store.forgetting.forgotten())
  const sessions = orFail(
    await openSessions({
      ...{ ...sessionSettings(paths, config), env, place, marked: annotations, forgotten },
      skills: createSkillReader({ env, config, place }, store),
      now: async () => (store === undefined ? null : readAgingTime(store)),
    }),
  )
  try {
    const refresh =
      place.kind === 'postgres' && store ? () => refreshShared(sessions, store) : sessions.refresh
    await refreshIndex(context, sessions, refresh)
    return sessions
  } catch (error) {
    await sessions.close()
    throw error
  }
}

async function refreshIndex(
  { output }: Context,
  sessions: Sessions,
  refresh: () => Promise<Result<null>>,
): Promise<void> {
  const progress = startProgress(output, 'Reading sessions')
  const looking = setInterval(() => {
    const all = sessions.status()
    progress.update(sum(all.map(({ done }) => done)), sum(all.map(({ total }) => total)))
  }, 100)
  const read = await refresh()
  clearInterval(looking)
  progress.end()
  orFail(read)
}

const openLocalClient = (
  context: Context,
  sessions: Sessions,
  store: EventStore | undefined,
): PastSessions => {
  const { paths } = context
  const requireStore = (): EventStore => {
    if (store) return store
    throw noStore(context)
  }
  return {
    list: async (filter, limit) => orFail(await sessions.list({ ...filter, limit })),
    stats: async (filter, by) => orFail(await sessions.stats(filter, by)),
    search: async (text, filter, limit) => orFail(await sessions.search({ ...filter, text, limit })),
    transcript: async ({ source, id }, from) =>
      orFail(await sessions.transcript({ source, id, from, limit: PAGE })),
    mark: async ({ source, id }, marks) =>
      orFail(await requireStore().annotations.mark({ source, id }, redactValue(marks) as MarksInput)),
    tags: async () => (store ? orFail(await store.annotations.tags()) : []),
    filters: async () => (store ? orFail(await store.annotations.filters()) : []),
    saveFilter: async (...filter) => {
      const [name, query] = redactValue(filter) as typeof filter
      orFail(await requireStore().annotations.saveFilter(name, query))
    },
    dropFilter: async (name) => {
      if (store && orFail(await store.annotations.dropFilter(name))) return
      throw new CommandFailure(`No saved filter is named ${name}`, {
        code: 'not_found',
        next: 'List saved filters: panoptes sessions filters',
      })
    },
    forgettable: async (pattern) => orFail(await forgettable(sessions, store, pattern)),
    forget: async (refs) => {
      const store = requireStore()
      const marking = withOwnMarks(store, await placeOfHome(context), paths)
      const forget = createForgetting(store, [
        indexForgetter(sessions),
        (gone) => forgetAchievements(context, store, gone),
        (gone) => forgetTemplates(context, store, sessions, gone),
        (gone) => forgetJournals(context, store, gone),
        (gone) => forgetTurns(context, store, gone),
        forgetLines({ path: paths.events, hold: holdMark(paths.events, marking) }),
        forgetPayloads(paths.spool),
      ])
      return orFail(await forget(refs))
    },
    export: async ({ source, id }, format, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'panoptes-export-'))
      try {
        const file = join(folder, 'session')
        orFail(await sessions.export({ source, id, format, file }))
        await use(createReadStream(file))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

async function forgetTemplates(
  context: Context,
  store: EventStore,
  sessions: Sessions,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  return templatesForgetter(templatesOf({ paths, env, config }, store, pastOf(sessions)))(gone)
}

async function forgetJournals(
  context: Context,
  store: EventStore,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const review = await reviewOf({ paths, env, config, place: placeOf(context, config) }, store, NO_SESSIONS)
  if (!review.ok) return review
  try {
    return await reviewForgetter(review.value)(gone)
  } finally {
    await review.value.close()
  }
}

async function forgetTurns(
  context: Context,
  store: EventStore,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { config } = await loadConfig(context)
  const { tracesForgetter } = await import('../../daemon/forget-traces.ts')
  const { tracesOf } = await import('../../daemon/moa-checks.ts')
  return tracesForgetter(tracesOf({ ...context, config }, store.traces))(gone)
}

/** Opens the achievements only for this deletion. */
async function forgetAchievements(
  context: Context,
  store: EventStore,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const opened = await achievementsOf(
    { paths, env, config, place: placeOf(context, config) },
    store,
    NO_SESSIONS,
  )
  if (!opened.ok) return opened
  const forgot = await achievementsForgetter(opened.value)(gone)
  await opened.value.close()
  return forgot
}
