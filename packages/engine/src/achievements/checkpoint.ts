import type { Failure } from '@panoptes/schema'
import { readJson, writeParts } from './files.ts'
import { complete, type Kept } from './kept.ts'
import type { SessionValues } from './metrics.ts'

const VERSION = 1
const SECOND_MS = 1_000

/** Writes what is known of sessions in the shape that Hermes' plugin was meant to have. */
export const writeCheckpoint = (
  file: string,
  known: ReadonlyMap<string, Kept>,
  now: number = Date.now(),
): Failure | undefined => writeParts(file, partsOf(known, Math.floor(now / SECOND_MS)))

/** Characters that are written at once. */
const PART = 65_536

/** A line for each session. */
function* partsOf(known: ReadonlyMap<string, Kept>, generated_at: number): Generator<string> {
  let part = `{"schema_version": ${VERSION}, "generated_at": ${generated_at}, "sessions": {`
  let comma = ''
  for (const [id, kept] of known) {
    part += `${comma}\n${JSON.stringify(id)}: ${JSON.stringify(writtenOf(kept))}`
    comma = ','
    if (part.length < PART) continue
    yield part
    part = ''
  }
  yield `${part}\n}}\n`
}

function writtenOf({ fingerprint, contribution }: Kept): object {
  if (contribution === undefined)
    return { fingerprint: { hash: fingerprint }, contribution: { counts: false, metrics: {} } }
  const { values, session_id: _id, agent: _agent, ...about } = contribution
  return {
    fingerprint: {
      updated_at: (contribution.last_at ?? 0) / SECOND_MS,
      message_count: values.message_count,
      hash: fingerprint,
    },
    contribution: { ...about, metrics: told(values) },
  }
}

/** What a session did not have is not written down. */
const told = (values: SessionValues): Partial<SessionValues> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0))

/** What such a file knows; nothing where it is of another shape. */
export function readCheckpoint(file: string): ReadonlyMap<string, Kept> {
  const known = new Map<string, Kept>()
  const read = readJson(file) as { schema_version?: unknown; sessions?: unknown } | undefined
  if (read?.schema_version !== VERSION || typeof read.sessions !== 'object' || read.sessions === null)
    return known
  for (const [id, one] of Object.entries(read.sessions as Record<string, Written>)) {
    const { fingerprint, contribution } = one ?? {}
    if (typeof fingerprint?.hash !== 'string' || typeof contribution?.metrics !== 'object') continue
    const { metrics, ...about } = contribution
    if (about.counts === false) {
      known.set(id, { fingerprint: fingerprint.hash, contribution: undefined })
      continue
    }
    known.set(id, {
      fingerprint: fingerprint.hash,
      contribution: {
        session_id: id,
        agent: 'hermes',
        title: textOr(about.title, 'Untitled'),
        source: textOr(about.source, 'unknown'),
        model: typeof about.model === 'string' ? about.model : null,
        started_at: typeof about.started_at === 'number' ? about.started_at : null,
        last_at: typeof about.last_at === 'number' ? about.last_at : null,
        values: complete(numbersOf(metrics)),
      },
    })
  }
  return known
}

interface Written {
  readonly fingerprint?: { readonly hash?: unknown }
  readonly contribution?: {
    readonly metrics: Readonly<Record<string, unknown>>
    readonly counts?: unknown
    readonly title?: unknown
    readonly source?: unknown
    readonly model?: unknown
    readonly started_at?: unknown
    readonly last_at?: unknown
  }
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

const numbersOf = (metrics: Readonly<Record<string, unknown>>): Partial<SessionValues> =>
  Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isInteger(value)))
