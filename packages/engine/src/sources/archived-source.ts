import { existsSync } from 'node:fs'
import {
  type ArchivedSession,
  type ArchivePage,
  type ArchiveRecord,
  openSqliteIndex,
  type SessionArchive,
  type SessionIndex,
} from '@panoptes/engine/store'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import type { Listed, ListRecord, SessionRecord, SessionSource } from './port.ts'

export interface ArchiveSettings {
  /** When false, no more sessions are archived. Those that are stay. */
  readonly enabled: boolean
  /** Names of projects and paths of folders whose sessions are not archived. */
  readonly exclude: readonly string[]
  /** Limits for sessions that only the archive has: their age, and the size of the whole archive. */
  readonly keep_days: number | null
  readonly max_size_mb: number | null
  /** Whether the files of sessions are kept too. */
  readonly originals?: boolean
}

/** Decides which sessions the archive keeps. */
export type Keeps = (session: Pick<ArchivedSession, 'project' | 'cwd'>) => boolean

/** Returns undefined if nothing is archived. */
export function createKeeps({
  enabled,
  exclude,
}: Pick<ArchiveSettings, 'enabled' | 'exclude'>): Keeps | undefined {
  if (!enabled) return undefined
  const excluded = exclude.map((each) => each.replace(/\/+$/, ''))
  return ({ project, cwd }) =>
    !excluded.some((each) => each === project || cwd === each || cwd?.startsWith(`${each}/`))
}

/** A session that a source has, or that only the archive has. */
export type ArchivedListed = Listed & {
  readonly gone?: boolean
  /** The archive must read it, whether it changed or not. */
  readonly unarchived?: boolean
  /** It did not change. Only what is made of it is made again, so the archive is read instead of the source. */
  readonly isRemade?: boolean
}
export type ArchivedListRecord = ListRecord & Pick<ArchivedListed, 'gone' | 'unarchived'>

/** A source together with the sessions that Panoptes read from it earlier and that it no longer has. */
export interface ArchivedSource extends SessionSource {
  list(signal?: AbortSignal): AsyncIterable<ArchivedListRecord>
}

/** Adds archived sessions to a source. Without `keeps` nothing new is archived, and what is there stays. */
export const withArchive = (
  source: SessionSource,
  archive: () => Promise<SessionArchive | undefined>,
  keeps: Keeps | undefined,
): ArchivedSource => ({
  ...source,
  list: (signal) => listArchived(source, archive, keeps, signal, true),
  read: (listed, signal) => readArchived(source, archive, listed, signal),
})

/**
 * Adds archived sessions to a source for callers that do not write the archive, and reads from it what it has in
 * the version that the source lists, so that nothing is read and parsed twice. A session that copied others
 * comes from its source: what counts as copied depends on who asks.
 */
export function throughArchive(source: SessionSource, file: string | undefined): SessionSource {
  if (file === undefined) return source
  let opened: SessionIndex | undefined
  const archive = async (): Promise<SessionArchive | undefined> => {
    if (opened === undefined && existsSync(file)) {
      const index = openSqliteIndex(file, { readOnly: true })
      if (index.ok) opened = index.value
    }
    return opened?.archive
  }
  const read = async function* (listed: ArchivedListed, signal?: AbortSignal): AsyncGenerator<SessionRecord> {
    const stored = await archive()
    const isCopy = listed.own !== undefined && !listed.gone
    const kept = isCopy ? undefined : await stored?.get(source.name, listed.id)
    const isSame = kept?.ok && kept.value?.fingerprint === listed.fingerprint && kept.value.current
    if (stored && (isSame || listed.gone)) yield* archivedRecords(stored, source.name, listed.id, signal)
    else yield* source.read(listed, signal)
  }
  return { ...source, list: (signal) => listArchived(source, archive, undefined, signal), read }
}

async function* listArchived(
  source: SessionSource,
  archive: () => Promise<SessionArchive | undefined>,
  keeps: Keeps | undefined,
  signal?: AbortSignal,
  withPromptsOnly = false,
): AsyncGenerator<ArchivedListRecord> {
  const stored = await (await archive())?.list(source.name)
  if (stored?.ok === false) {
    yield { kind: 'failed', failure: stored }
    return
  }
  const archived = new Map(stored?.value.map((each) => [each.id, each]))
  const there = new Set<string>()
  const branches: (ListRecord & { kind: 'listed' })[] = []
  const isUnarchived = (one: Listed): boolean => {
    if (stored === undefined || keeps === undefined) return false
    const before = archived.get(one.id)
    if (before === undefined || before.fingerprint !== one.fingerprint || !before.clean) return true
    return before.kept !== keeps(before)
  }
  let isComplete = true
  for await (const record of source.list(signal)) {
    if (record.kind === 'failed') {
      isComplete = false
      yield record
      continue
    }
    there.add(record.id)
    if (isOtherwiseSame(record, archived.get(record.id))) branches.push(record)
    else yield { ...record, unarchived: isUnarchived(record) }
  }
  const isGone = (id: string | null): boolean =>
    id !== null && isComplete && hasMessages(archived.get(id)) && !there.has(id)
  for (const branch of branches) {
    const before = archived.get(branch.id)
    // It did not change. Its origin did: it is gone, so the rows that were copied from it can no longer be
    // recognised, but they are archived there.
    const same = isGone(before?.parent_id ?? null)
      ? { ...branch, fingerprint: before?.fingerprint ?? '' }
      : branch
    yield { ...same, unarchived: isUnarchived(same) }
  }
  if (!isComplete || signal?.aborted) return
  if (withPromptsOnly && source.listPromptsOnly) {
    const isKnown = (id: string) => there.has(id) || hasMessages(archived.get(id))
    for await (const record of source.listPromptsOnly(isKnown, signal)) {
      if (record.kind === 'failed') isComplete = false
      else there.add(record.id)
      yield record.kind === 'failed' ? record : { ...record, unarchived: isUnarchived(record) }
    }
    if (!isComplete || signal?.aborted) return
  }
  for (const each of archived.values()) {
    const isLeft = each.prompts_only ? withPromptsOnly && each.kept && !there.has(each.id) : isGone(each.id)
    if (isLeft && keeps?.(each) !== false) {
      const { id, place, own, fingerprint, prompts_only: promptsOnly } = each
      const listed = { kind: 'listed', id, place, own, fingerprint, promptsOnly } as const
      yield { ...listed, gone: true, unarchived: isUnarchived(each) }
    }
  }
}

/** Whether the archive has the messages of a session, and not only its prompts. */
const hasMessages = (one: ArchivedSession | undefined): boolean => one?.kept === true && !one.prompts_only

const isOtherwiseSame = ({ own, fingerprint }: Listed, before: ArchivedSession | undefined): boolean =>
  before !== undefined && before.fingerprint !== fingerprint && before.own === (own ?? fingerprint)

async function* readArchived(
  source: SessionSource,
  getArchive: () => Promise<SessionArchive | undefined>,
  listed: ArchivedListed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const archive = await getArchive()
  if (archive === undefined) {
    yield* source.read(listed, signal)
    return
  }
  if (listed.gone || (listed.isRemade && (await hasVersion(archive, source.name, listed)))) {
    yield* archivedRecords(archive, source.name, listed.id, signal)
    return
  }
  const origins = await goneOrigins(archive, source.name, listed.id)
  let isBegun = false
  let firstAt: number | null = null
  for await (const record of source.read(listed, signal)) {
    if (record.kind === 'failed' && record.failure.code === 'not_found') {
      const kept = await archive.get(source.name, listed.id)
      if (kept.ok && kept.value !== undefined) {
        if (isBegun) yield { kind: 'failed', failure: failure('io', record.failure.message) }
        else yield* archivedRecords(archive, source.name, listed.id, signal)
        return
      }
    }
    isBegun = true
    if (origins === undefined) yield record
    else if (record.kind === 'message') {
      if (origins.ids.has(record.message.id)) continue
      firstAt ??= record.message.ts
      yield record
    } else if (record.kind === 'session' && record.session.lineage !== 'branch') {
      const session = {
        ...record.session,
        parent_id: origins.parent,
        lineage: 'branch',
        started_at: firstAt,
      } as const
      yield { kind: 'session', session }
    } else yield record
  }
}

/** Whether the archive has the messages of a session as its source lists it. */
async function hasVersion(
  archive: SessionArchive,
  source: string,
  { id, fingerprint }: Listed,
): Promise<boolean> {
  const kept = await archive.get(source, id)
  return kept.ok && kept.value?.fingerprint === fingerprint && kept.value.current && kept.value.clean
}

/** Reads a session from the archive as if from its source. */
async function* archivedRecords(
  archive: SessionArchive,
  source: string,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  try {
    const head = orThrow(await archive.head(source, id))
    if (head === null) throw new Refused(notArchived(id))
    for (const agent of head.agents) yield { kind: 'agent', agent }
    for await (const record of readArchive(archive, source, id)) {
      if (signal?.aborted) return
      yield 'skipped' in record
        ? { kind: 'skipped', ...record.skipped }
        : { kind: 'message', message: record.message }
    }
    yield { kind: 'session', session: head.session }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    yield { kind: 'failed', failure: error.failure }
  }
}

const notArchived = (id: string) => failure('not_found', `The session ${id} is not in the archive.`)

/**
 * The messages of archived sessions that a branch begins with a copy of and that its source no longer has.
 * While an origin exists, its source recognises the copies itself.
 */
async function goneOrigins(
  archive: SessionArchive,
  source: string,
  id: string,
): Promise<{ readonly parent: string; readonly ids: ReadonlySet<string> } | undefined> {
  const own = await archive.get(source, id)
  const parent = own.ok ? (own.value?.parent_id ?? null) : null
  const ids = new Set<string>()
  const seen = new Set<string>()
  for (let next = parent; next !== null && !seen.has(next); ) {
    seen.add(next)
    const origin = await archive.get(source, next)
    if (!origin.ok || origin.value === undefined) break
    if (origin.value.gone_at !== null)
      for await (const record of readArchive(archive, source, next))
        if ('message' in record && record.message.id !== '') ids.add(record.message.id)
    next = origin.value.parent_id
  }
  return parent === null || ids.size === 0 ? undefined : { parent, ids }
}

/** Reads the records of an archived session from a position on. It throws when the archive cannot be read. */
export async function* readArchive(
  archive: SessionArchive,
  source: string,
  id: string,
  start = 0,
): AsyncGenerator<ArchiveRecord> {
  for (let from: number | null = start; from !== null; ) {
    const page: ArchivePage | null = orThrow(await archive.read(source, id, from))
    yield* page?.records ?? []
    from = page?.next ?? null
  }
}
