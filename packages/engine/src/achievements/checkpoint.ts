import type { Failure } from '@panoptes/schema'
import { z } from 'zod'
import { readJson, writeParts } from './files.ts'
import { SESSION_VALUES, type SessionValue, type SessionValues } from './metrics.ts'
import { complete, type SessionRecord } from './stored-contribution.ts'
import { WATCHED } from './threshold-times.ts'

const VERSION = 1
const SECOND_MS = 1_000

const head = z.object({
  schema_version: z.literal(VERSION),
  database: z.string(),
  sessions: z.record(z.string(), z.unknown()),
})
const moment = z.number().nullable().catch(null)
const metrics = z.partialRecord(z.enum(SESSION_VALUES as [SessionValue, ...SessionValue[]]), z.int().min(0))
const seen = z.object({ rows: z.int(), last: z.int(), time: z.number().nullable() })
const print = z.object({
  hash: z.string(),
  updated_at: z.number().catch(0),
  message_count: z.int().catch(0),
})
const apart = z.object({ fingerprint: print, contribution: z.object({ counts: z.literal(false) }) })
const session = z.object({
  fingerprint: print,
  contribution: z.object({
    metrics,
    title: z.string().catch('Untitled'),
    source: z.string().catch('unknown'),
    model: z.string().nullable().catch(null),
    started_at: moment,
    last_at: moment,
    earlier_models: z.array(z.string()).optional().catch(undefined),
    skipped: z
      .array(z.object({ place: z.string(), reason: z.string() }))
      .optional()
      .catch(undefined),
    passed: z.partialRecord(z.enum(WATCHED), z.record(z.string(), z.number())).optional().catch(undefined),
    seen: seen.optional().catch(undefined),
    base: z.object({ values: metrics, since: seen }).optional().catch(undefined),
  }),
})

/** Writes what is known about sessions in the format intended by Hermes' plugin. */
export const writeCheckpoint = (
  file: string,
  database: string,
  sessions: ReadonlyMap<string, SessionRecord>,
  now: number = Date.now(),
): Failure | undefined => writeParts(file, checkpointText(database, sessions, Math.floor(now / SECOND_MS)))

/** The number of characters written at once. */
const PART = 65_536

/** Yields one line per session. */
function* checkpointText(
  database: string,
  sessions: ReadonlyMap<string, SessionRecord>,
  generated_at: number,
): Generator<string> {
  let part = `{"schema_version": ${VERSION}, "generated_at": ${generated_at}, "database": ${JSON.stringify(database)}, "sessions": {`
  let comma = ''
  for (const [id, record] of sessions) {
    part += `${comma}\n${JSON.stringify(id)}: ${JSON.stringify(toEntry(record))}`
    comma = ','
    if (part.length < PART) continue
    yield part
    part = ''
  }
  yield `${part}\n}}\n`
}

function toEntry({ fingerprint, contribution, apart }: SessionRecord): object {
  if (contribution === undefined) {
    const updated_at = (apart?.last_at ?? 0) / SECOND_MS
    const message_count = apart?.message_count ?? 0
    return {
      fingerprint: { updated_at, message_count, hash: fingerprint },
      contribution: { counts: false, metrics: {} },
    }
  }
  const { values, session_id: _id, agent: _agent, base, ...about } = contribution
  return {
    fingerprint: {
      updated_at: (contribution.last_at ?? 0) / SECOND_MS,
      message_count: values.message_count,
      hash: fingerprint,
    },
    contribution: {
      ...about,
      ...(base && { base: { ...base, values: nonZero(base.values) } }),
      metrics: nonZero(values),
    },
  }
}

/** Zero values are not written. */
const nonZero = (values: SessionValues): Partial<SessionValues> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0))

/**
 * Reads the sessions a checkpoint knows of a database; empty if it is of another database or
 * format. Malformed entries are skipped.
 */
export function readCheckpoint(file: string, database: string): ReadonlyMap<string, SessionRecord> {
  const sessions = new Map<string, SessionRecord>()
  const read = head.safeParse(readJson(file))
  if (!read.success || read.data.database !== database) return sessions
  for (const [id, one] of Object.entries(read.data.sessions)) {
    const never = apart.safeParse(one)
    const counted = never.success ? undefined : session.safeParse(one)
    if (never.success) sessions.set(id, fromApart(never.data))
    if (counted?.success) sessions.set(id, fromEntry(id, counted.data))
  }
  return sessions
}

function fromApart({
  fingerprint: { hash, updated_at, message_count },
}: z.infer<typeof apart>): SessionRecord {
  const last_at = updated_at > 0 ? Math.round(updated_at * SECOND_MS) : null
  return { fingerprint: hash, contribution: undefined, apart: { last_at, message_count } }
}

function fromEntry(id: string, { fingerprint, contribution }: z.infer<typeof session>): SessionRecord {
  const { metrics, base, earlier_models, skipped, passed, seen, ...about } = contribution
  return {
    fingerprint: fingerprint.hash,
    contribution: {
      ...about,
      session_id: id,
      values: complete(metrics),
      ...(earlier_models && { earlier_models }),
      ...(skipped && { skipped }),
      ...(passed && { passed }),
      ...(seen && { seen }),
      ...(base && { base: { ...base, values: complete(base.values) } }),
    },
  }
}
