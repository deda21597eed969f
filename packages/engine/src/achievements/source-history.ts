import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Failure, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Skip } from './aggregate.ts'
import { ContributionScan } from './contribution.ts'
import { MessageTold } from './from-messages.ts'
import type { Candidate, History, Scanned } from './history.ts'

const MOST_SKIPPED = 10

/** The sessions of any other source, by its messages. What became of the session that one is a copy of changes nothing: it counted. */
export function openSourceHistory(source: SessionSource): History {
  return {
    source: source.name,
    mark: () => undefined,
    list: async (signal) => {
      const sessions: Candidate[] = []
      let failed: Failure | undefined
      for await (const one of source.list(signal)) {
        if (one.kind === 'failed') failed = one.failure
        else sessions.push({ id: one.id, fingerprint: one.own ?? one.fingerprint, apart: false, about: one })
      }
      if (failed && sessions.length === 0) return failed
      return { sessions, skipped: failed ? [{ place: source.name, reason: failed.message }] : [] }
    },
    scan: async (batch, signal) => {
      const scanned: (Scanned | Failure)[] = []
      for (const one of batch) scanned.push(await scanOf(source, one, signal))
      return scanned
    },
    close: () => undefined,
  }
}

async function scanOf(
  source: SessionSource,
  { id, about }: Candidate,
  signal: AbortSignal,
): Promise<Scanned | Failure> {
  const scan = new ContributionScan()
  const told = new MessageTold()
  const skipped: Skip[] = []
  let session: Session | undefined
  let count = 0
  for await (const record of source.read(about as Listed, signal)) {
    if (record.kind === 'failed') return record.failure
    if (record.kind === 'skipped' && skipped.length < MOST_SKIPPED)
      skipped.push({ place: record.place, reason: record.reason })
    if (record.kind === 'session') session = record.session
    if (record.kind !== 'message') continue
    count += 1
    scan.message(told.told(record.message))
  }
  if (session === undefined || signal.aborted)
    return failure('stopped', 'Stopped before the session was read.')
  const { title, model, started_at, last_at } = session
  return {
    contribution: {
      session_id: id,
      agent: source.name,
      title: title ?? 'Untitled',
      source: source.name,
      model,
      started_at,
      last_at,
      values: scan.values(),
      ...(skipped.length > 0 && { skipped }),
    },
    messages: count,
  }
}
