import { rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { workerData } from 'node:worker_threads'
import { contributionFold } from '@panoptes/engine/achievements/fold'
import { createPrices, type Prices, readCatalogue } from '@panoptes/engine/models'
import { accountFold } from '@panoptes/engine/outcomes/fold'
import {
  type ArchivedSource,
  createKeeps,
  type Fold,
  type Listed,
  openSources,
  Pace,
  withArchive,
} from '@panoptes/engine/sources'
import { ForgottenSessions, openSessionIndex, type SessionIndex } from '@panoptes/engine/store'
import { type Handlers, orThrow, Refused, serve } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { IndexerCalls, ReaderCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { OriginalsCapture, withCaptured } from './capture-originals.ts'
import { exportSession } from './export/export.ts'
import { MessageTexts } from './message-text-cache.ts'
import { opening } from './opening.ts'
import { packPart } from './part-codec.ts'
import type { ReadPart } from './read-part.ts'
import { readElsewhere } from './reader.ts'
import { type Archiving, readAll } from './reading.ts'
import { recall } from './recall.ts'
import { type RefreshOptions, refresh } from './refresh.ts'
import { search, type Texts } from './search.ts'
import { outline, type Reading, transcript, wholeMessage } from './transcript.ts'
import { createTurns } from './turns.ts'

const setup = workerData as WorkerSetup
const { role, file, env, prices } = setup
const forgotten = new ForgottenSessions(setup.forgotten)
const keeps = createKeeps(setup.archive)
const sources = new Map(
  openSources(env, (source, id) => forgotten.has(source, id), setup.place).map((source) => [
    source.name,
    withoutForgotten(
      withArchive(source, async () => (await index()).archive, keeps),
      forgotten,
    ),
  ]),
)
let opened: Promise<SessionIndex> | undefined
if (setup.catalogue !== null) readCatalogue(setup.catalogue)

const index = async (): Promise<SessionIndex> => {
  opened ??= openSessionIndex(setup.place, file, { readOnly: role !== 'indexer' }).then(orThrow)
  try {
    return await opened
  } catch (error) {
    // The next caller tries again.
    opened = undefined
    throw error
  }
}

const open = async (): Promise<null> => {
  await index()
  return null
}

const close = async (): Promise<null> => {
  await (await opened)?.close()
  return null
}

/** Absent where there is no archive, or where the settings turn it off. */
const findArchiving = async (): Promise<Archiving | undefined> => {
  const { archive } = await index()
  if (archive === undefined || keeps === undefined) return undefined
  return { keeps, hashes: async (source, id) => orThrow(await archive.hashes(source, id)) }
}

/** Only the worker that fills the index keeps files. */
const originals =
  setup.originals === undefined || role !== 'indexer'
    ? undefined
    : new OriginalsCapture({
        folder: setup.originals,
        enabled: setup.archive.originals === true,
        keeps,
        archive: async () => (await index()).archive,
      })

let skills: ReadonlySet<string> = new Set(setup.skills)
/** Hermes' sessions on this computer are counted from its own rows, as Hermes counts them. */
const countedElsewhere = new Set(setup.place?.kind === 'postgres' ? [] : ['hermes'])

const createFolds = (currentPrices: Prices): readonly Fold[] => [
  contributionFold(countedElsewhere),
  accountFold({ prices: currentPrices, zone: setup.zone, isSkill: (name) => skills.has(name) }),
]

const findSource = (name: string): ArchivedSource => {
  const source = sources.get(name)
  if (source === undefined) throw new Refused(failure('not_found', `Unknown source: ${name}.`))
  return source
}

/** This many changed sessions justify a second worker if a core is free. There is at most one. */
const MANY = 100
let reading = false
const isBusy = (): boolean => (loadavg()[0] ?? 0) > 2 * availableParallelism()

function createReader(
  source: ArchivedSource,
  currentPrices: Prices,
  folds: readonly Fold[],
): RefreshOptions['read'] {
  return async function* (listed, signal) {
    const archiving = await findArchiving()
    const here = (some: readonly Listed[]) =>
      readAll({ source, listed: some, prices: currentPrices, folds, archiving, signal })
    if (reading || listed.length < MANY || isBusy()) {
      yield* here(listed)
      return
    }
    reading = true
    try {
      const now = { ...setup, forgotten: forgotten.all(), skills: [...skills] }
      yield* readElsewhere(new URL(import.meta.url), now, source.name, listed, here)
    } finally {
      reading = false
    }
  }
}

const DAY_MS = 86_400_000
const MEGABYTE = 1_048_576

const beforeDays = (now: number, days: number | null): number | null =>
  days === null ? null : now - days * DAY_MS

/** Re-reads sessions whose prices changed, and drops expired ones. */
async function keep(currentPrices: Prices, now: number | null): Promise<null> {
  const sessionIndex = await index()
  orThrow(await sessionIndex.repriced(currentPrices.markOf))
  // Without a limit, sessions that an earlier limit dropped come back, whatever the time.
  if (now !== null || setup.maxAgeDays === null)
    orThrow(await sessionIndex.retain(beforeDays(now ?? 0, setup.maxAgeDays)))
  const { keep_days, max_size_mb } = setup.archive
  const maxBytes = max_size_mb === null ? null : max_size_mb * MEGABYTE
  const before = now === null ? null : beforeDays(now, keep_days)
  const limits = { before, maxBytes, beside: await originals?.beside() }
  const expired = orThrow((await sessionIndex.archive?.expired(limits)) ?? success([]))
  if (expired.length > 0)
    orThrow(await sessionIndex.write(expired.map(({ source, id }) => ({ type: 'drop', source, id }))))
  if (originals === undefined) return null
  const aged = orThrow(await sessionIndex.hidden()).filter(({ why }) => why === 'aged')
  await originals.release([...expired, ...aged])
  return null
}

const unread = new Set(sources.keys())

/** Deletes the index of an older version once this one is complete. */
function dropFormer(read: string): void {
  unread.delete(read)
  if (setup.former === null || unread.size > 0) return
  for (const end of ['', '-wal', '-shm']) rmSync(setup.former + end, { force: true })
}

function indexer(): Handlers<IndexerCalls> {
  const currentPrices = createPrices(prices)
  const folds = createFolds(currentPrices)
  const rules = new Map(folds.map((fold) => [fold.name, fold.rules]))
  const turns = createTurns()
  const paces = new Map<string, Pace>()
  const findPace = (name: string): Pace => {
    const pace = paces.get(name) ?? new Pace()
    paces.set(name, pace)
    return pace
  }
  return {
    // Only the process that fills a shared index maintains it.
    open: (_job, now) => (setup.place?.kind === 'postgres' ? open() : keep(currentPrices, now)),
    refresh: (job, name, patient, { skills: names, now }) =>
      turns.beside(async (stop) => {
        skills = new Set(names)
        const found = findSource(name)
        const source = originals?.follow(found) ?? found
        const onProgress = ({ done, total }: { done: number; total: number }) => {
          job.progress(done, total)
          if (job.stopped()) stop.abort()
        }
        const sessionIndex = await index()
        orThrow(await sessionIndex.refolded(rules))
        const read = orThrow(
          await refresh({
            source,
            index: sessionIndex,
            read: createReader(source, currentPrices, folds),
            pace: findPace(name),
            patient,
            signal: stop.signal,
            onProgress,
          }),
        )
        const captured = await originals?.capture(source, patient, stop.signal)
        await keep(currentPrices, now)
        if (!stop.signal.aborted) dropFormer(name)
        return captured === undefined ? read : withCaptured(read, captured)
      }),
    forget: (_job, refs) =>
      turns.alone(async () => {
        for (const ref of refs) forgotten.add(ref)
        const removed = (await originals?.remove(refs)) ?? 0
        return { ...orThrow(await (await index()).forget(refs)), originals: removed }
      }),
    hide: (_job, refs) =>
      turns.alone(async () => {
        for (const ref of refs) forgotten.add(ref)
        return null
      }),
    close,
  }
}

function reader(): Handlers<ReaderCalls> {
  const currentPrices = createPrices(prices)
  const folds = createFolds(currentPrices)
  const stop = new AbortController()
  const waiting: { readonly name: string; readonly listed: readonly Listed[] }[] = []
  let parts: AsyncGenerator<ReadPart, undefined> | undefined
  async function* readWaiting(): AsyncGenerator<ReadPart, undefined> {
    for (let next = waiting.shift(); next; next = waiting.shift())
      yield* readAll({
        source: findSource(next.name),
        listed: next.listed,
        prices: currentPrices,
        folds,
        archiving: await findArchiving(),
        signal: stop.signal,
      })
  }
  return {
    more: (_job, name, listed) => {
      waiting.push({ name, listed })
      parts ??= readWaiting()
      return null
    },
    next: async () => {
      const under = parts
      const part = (await under?.next())?.value
      if (part !== undefined) return packPart(part)
      if (parts === under) parts = undefined
      return null
    },
    close: () => {
      stop.abort()
      return null
    },
  }
}

function searcher(): Handlers<SearcherCalls> {
  const currentPrices = createPrices(prices)
  const texts = async (): Promise<Texts> => ({ index: await index(), sources })
  const reading = async (): Promise<Reading> => ({ ...(await texts()), prices: currentPrices })
  const cache = new MessageTexts()
  return {
    open,
    list: async (_job, query) => orThrow(await (await index()).list(query)),
    hidden: async () => orThrow(await (await index()).hidden()),
    works: async (_job, query) => orThrow(await (await index()).works(query)),
    stats: async (_job, filter, by) => orThrow(await (await index()).stats(filter, by)),
    archiveCounts: async () => orThrow((await (await index()).archive?.counts()) ?? success([])),
    search: async (job, query) => search(await texts(), query, job.stopped),
    recall: async (job, text, options) => recall(await texts(), cache, text, options, job.stopped),
    transcript: async (_job, query) => transcript(await reading(), query),
    message: async (_job, query) => wholeMessage(await reading(), query),
    export: async (_job, query) => exportSession(await reading(), query),
    outline: async (_job, ref) => outline(await reading(), ref),
    opening: async (_job, query) => opening(await reading(), query),
    forget: (_job, refs) => {
      for (const ref of refs) forgotten.add(ref)
      cache.clear()
      return null
    },
    close,
  }
}

const failed = (error: unknown): Failure =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be read: ${error instanceof Error ? error.message : error}. Try again.`,
      )

/** Hides forgotten sessions of a source. */
function withoutForgotten(source: ArchivedSource, forgotten: ForgottenSessions): ArchivedSource {
  return {
    ...source,
    async *list(signal) {
      for await (const record of source.list(signal)) {
        if (record.kind !== 'listed' || !forgotten.has(source.name, record.id)) yield record
      }
    },
  }
}

if (role === 'indexer') serve(indexer(), failed)
else if (role === 'reader') serve(reader(), failed)
else serve(searcher(), failed)
