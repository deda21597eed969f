import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetLines, forgetPayloads, holdMark } from '@panoptes/engine/capture'
import type { Ledger } from '@panoptes/engine/ledger'
import {
  createForgetting,
  forgettable,
  indexForgetter,
  openSessions,
  type Sessions,
} from '@panoptes/engine/sessions'
import type { RemovedCount, Result, SessionRef } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { lockHome, noLedger, openLedger } from '../../daemon/access.ts'
import { bringSessions, refreshShared } from '../../daemon/bring-sessions.ts'
import { achievementsForgetter, achievementsOf } from '../../daemon/follow-achievements.ts'
import { reviewForgetter, reviewOf } from '../../daemon/follow-review.ts'
import { keptBy } from '../../daemon/follow-sessions.ts'
import { pastOf, templatesForgetter, templatesOf } from '../../daemon/follow-templates.ts'
import { withOwnMarks } from '../../daemon/own-marks.ts'
import { isMade, placeOf, placeOfHome } from '../../daemon/place.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { loadConfig } from '../config.ts'
import { PAGE, type PastSessions, type Purpose } from './access.ts'

/** Past sessions read in this process, with the ledger and the index to itself. */
export async function withFiles<T>(
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
  const ledger = await openLedger(context, place)
  try {
    return await withIndex(context, ledger, purpose, work)
  } finally {
    await ledger.close()
  }
}

async function withIndex<T>(
  context: Context,
  ledger: Ledger | undefined,
  purpose: Purpose,
  work: (sessions: PastSessions) => Promise<T>,
): Promise<T> {
  const sessions = await openUpToDate(context, ledger)
  try {
    const past = ofFiles(context, sessions, ledger)
    try {
      return await work(past)
    } finally {
      // Whom a command that was killed was about to forget; the daemon looks for them when it starts.
      if (purpose === 'write') await past.forget([])
    }
  } finally {
    await sessions.close()
  }
}

/** The index, with what changed since read into it. */
export async function openUpToDate(context: Context, ledger: Ledger | undefined): Promise<Sessions> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const { marked } = ledger ?? {}
  const place = placeOf(context, config)
  await bringSessions(place, env)
  const forgotten = ledger && orFail(await ledger.forgetting.forgotten())
  const sessions = orFail(await openSessions({ ...keptBy(paths, config), env, place, marked, forgotten }))
  try {
    const refresh =
      place.kind === 'postgres' && ledger ? () => refreshShared(sessions, ledger) : sessions.refresh
    await bringUpToDate(context, sessions, refresh)
    return sessions
  } catch (error) {
    await sessions.close()
    throw error
  }
}

async function bringUpToDate(
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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const ofFiles = (context: Context, sessions: Sessions, ledger: Ledger | undefined): PastSessions => {
  const { paths } = context
  const kept = (): Ledger => {
    if (ledger) return ledger
    throw noLedger(context)
  }
  return {
    list: async (filter, limit) => orFail(await sessions.list({ ...filter, limit })),
    stats: async (filter, by) => orFail(await sessions.stats(filter, by)),
    search: async (text, filter, limit) => orFail(await sessions.search({ ...filter, text, limit })),
    transcript: async ({ source, id }, from) =>
      orFail(await sessions.transcript({ source, id, from, limit: PAGE })),
    mark: async ({ source, id }, marks) => orFail(await kept().marked.mark({ source, id }, marks)),
    tags: async () => (ledger ? orFail(await ledger.marked.tags()) : []),
    filters: async () => (ledger ? orFail(await ledger.marked.filters()) : []),
    saveFilter: async (name, query) => {
      orFail(await kept().marked.saveFilter(name, query))
    },
    dropFilter: async (name) => {
      if (ledger && orFail(await ledger.marked.dropFilter(name))) return
      throw new CommandFailure(`There is no saved filter ${name}`, {
        code: 'not_found',
        next: 'See which there are: panoptes sessions filters',
      })
    },
    forgettable: async (pattern) => orFail(await forgettable(sessions, ledger, pattern)),
    forget: async (refs) => {
      const ledger = kept()
      const marking = withOwnMarks(ledger, await placeOfHome(context), paths)
      const forget = createForgetting(ledger, [
        indexForgetter(sessions),
        (gone) => forgetAchieved(context, ledger, gone),
        (gone) => forgetTemplates(context, ledger, sessions, gone),
        (gone) => forgetJournals(context, ledger, gone),
        (gone) => forgetTurns(context, ledger, gone),
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
  ledger: Ledger,
  sessions: Sessions,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  return templatesForgetter(templatesOf({ paths, env, config }, ledger, pastOf(sessions)))(gone)
}

async function forgetJournals(
  context: Context,
  ledger: Ledger,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const review = await reviewOf({ paths, env, config, place: placeOf(context, config) }, ledger)
  if (!review.ok) return review
  try {
    return await reviewForgetter(review.value)(gone)
  } finally {
    await review.value.close()
  }
}

async function forgetTurns(
  context: Context,
  ledger: Ledger,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { config } = await loadConfig(context)
  const { tracesForgetter } = await import('../../daemon/forget-traces.ts')
  const { tracesOf } = await import('../../daemon/moa-checks.ts')
  return tracesForgetter(tracesOf({ ...context, config }, ledger.traces))(gone)
}

/** What achievements keep is opened for it alone. */
async function forgetAchieved(
  context: Context,
  ledger: Ledger,
  gone: readonly SessionRef[],
): Promise<Result<readonly RemovedCount[]>> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const opened = await achievementsOf({ paths, env, config, place: placeOf(context, config) }, ledger)
  if (!opened.ok) return opened
  const forgot = await achievementsForgetter(opened.value)(gone)
  await opened.value.close()
  return forgot
}
