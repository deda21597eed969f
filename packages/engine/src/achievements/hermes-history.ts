import { type CountedPart, type CountedSession, hermesFailure, hermesHistory } from '@panoptes/engine/sources'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { ContributionScan } from './contribution.ts'
import { HermesTold } from './from-hermes.ts'
import type { Candidate, History, Scanned } from './history.ts'

/** One database of Hermes, counted as Hermes counts it. */
export function openHermesHistory(path: string): History {
  const database = hermesHistory(path)
  return {
    source: 'hermes',
    mark: database.mark,
    list: async (signal) => {
      try {
        const sessions = await database.sessions(signal)
        return { sessions: sessions.map(candidateOf), skipped: [] }
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
        let reading = new Reading(path)
        for await (const parts of database.rows(sessions, signal)) {
          for (const part of parts) {
            reading.take(part)
            if (part.ended) scanned[part.at] = reading.end(sessions[part.at] as CountedSession, part)
            if (part.ended || part.again) reading = new Reading(path)
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

const candidateOf = (about: CountedSession): Candidate => ({
  id: about.id,
  fingerprint: about.fingerprint,
  apart: about.apart,
  about,
})

/** One session while its rows come. */
class Reading {
  readonly #path: string
  readonly #scan = new ContributionScan()
  readonly #told = new HermesTold()

  constructor(path: string) {
    this.#path = path
  }

  take({ rows, repeats }: CountedPart): void {
    for (const row of rows) {
      const message = repeats ? this.#told.toldOnce(row) : this.#told.told(row)
      if (message) this.#scan.message(message)
    }
  }

  end(about: CountedSession, { failed, preview }: CountedPart): Scanned | Failure {
    if (failed) return failed
    const { id, title, source, model, started_at, last_at } = about
    const values = this.#scan.values()
    const skipped = this.#told.skipped.map(({ row, reason }) => ({
      place: `${this.#path}#${id}:${row}`,
      reason,
    }))
    return {
      contribution: {
        session_id: id,
        agent: 'hermes',
        title: title ?? preview ?? 'Untitled',
        source,
        model,
        started_at,
        last_at,
        values,
        ...(skipped.length > 0 && { skipped }),
      },
      messages: values.message_count,
    }
  }
}
