import { redactText } from '@panoptes/engine/redact'
import {
  type CountedPart,
  type CountedRow,
  type CountedSession,
  hermesFailure,
  hermesHistory,
} from '@panoptes/engine/sources'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { ContributionScan } from './contribution.ts'
import { HermesMessages } from './hermes-input.ts'
import type { Candidate, History, Scanned } from './history.ts'
import { type Base, findBase, grown, isSince } from './session-baseline.ts'

/** Opens one database of Hermes and counts it as Hermes does. */
export function openHermesHistory(path: string): History {
  const database = hermesHistory(path)
  return {
    source: 'hermes',
    mark: database.mark,
    list: async (signal) => {
      try {
        const sessions = await database.sessions(signal)
        const unnamed = await database.unnamed()
        const reason = `${unnamed} of its sessions ${unnamed === 1 ? 'has an id' : 'have ids'} that cannot be read`
        return {
          sessions: sessions.map(toCandidate),
          skipped: unnamed === 0 ? [] : [{ place: path, reason }],
        }
      } catch (error) {
        return hermesFailure(error, path)
      }
    },
    scan: async (batch, signal) => {
      const sessions = batch.map(({ about }) => about as CountedSession)
      const scanned: (Scanned | Failure)[] = sessions.map(() =>
        failure('stopped', 'Stopped before the session was read.'),
      )
      try {
        const left = await database.left(
          batch.flatMap(({ id, before }) => (before?.seen ? [{ id, last: before.seen.last }] : [])),
        )
        const begin = (at: number) =>
          new Reading(path, findBase(batch[at]?.before, left.get(batch[at]?.id ?? '')))
        let reading = begin(0)
        for await (const parts of database.rows(sessions, signal)) {
          for (const part of parts) {
            reading.take(part)
            if (part.ended) scanned[part.at] = reading.end(sessions[part.at] as CountedSession, part)
            if (part.ended || part.again) reading = begin(part.ended ? part.at + 1 : part.at)
          }
        }
        return scanned
      } catch (error) {
        return hermesFailure(error, path)
      }
    },
    close: database.close,
  }
}

const toCandidate = (about: CountedSession): Candidate => ({
  id: about.id,
  fingerprint: about.fingerprint,
  apart: about.apart,
  about,
})

/** One session while its rows are read. */
class Reading {
  readonly #path: string
  readonly #scan = new ContributionScan()
  readonly #reader = new HermesMessages()
  readonly #base: Base | undefined
  #rows = 0
  #messages = 0
  #last = 0
  #time: number | null = null

  constructor(path: string, base: Base | undefined) {
    this.#path = path
    this.#base = base
  }

  take({ rows, repeats }: CountedPart): void {
    for (const row of rows) {
      this.#see(row)
      const message = repeats ? this.#reader.toNewMessage(row) : this.#reader.toMessage(row)
      if (!message) continue
      this.#messages += 1
      if (!this.#base || isSince(this.#base.since, row[0], row[3]))
        this.#scan.message(message, toMillis(row[3]))
    }
  }

  #see([id, , , at]: CountedRow): void {
    this.#rows += 1
    this.#last = Number(id)
    if (typeof at !== 'number' && typeof at !== 'bigint') return
    if (this.#time === null || at > this.#time) this.#time = Number(at)
  }

  end(about: CountedSession, { failed, preview }: CountedPart): Scanned | Failure {
    if (failed) return failed
    const { id, title, source, model, started_at, last_at } = about
    const counted = this.#scan.values()
    const values = this.#base ? grown(this.#base.values, counted) : counted
    const passed = this.#scan.passed()
    const skipped = this.#reader.skipped.map(({ row, reason }) => ({
      place: `${this.#path}#${id}:${row}`,
      reason,
    }))
    return {
      contribution: {
        session_id: id,
        title: redactText(title ?? preview ?? 'Untitled').text,
        source,
        model,
        started_at,
        last_at,
        values,
        ...(skipped.length > 0 && { skipped }),
        ...(passed && { passed }),
        ...(this.#rows > 0 && { seen: { rows: this.#rows, last: this.#last, time: this.#time } }),
        ...(this.#base && { base: this.#base }),
      },
      messages: this.#messages,
    }
  }
}

const SECOND_MS = 1_000
const LAST_S = 8.64e12

const toMillis = (seconds: unknown): number | null =>
  (typeof seconds === 'number' || typeof seconds === 'bigint') && seconds > 0 && seconds < LAST_S
    ? Math.round(Number(seconds) * SECOND_MS)
    : null
