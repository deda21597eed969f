import { type CountedSession, hermesFailure, hermesHistory } from '@panoptes/engine/sources'
import { ContributionScan } from './contribution.ts'
import { HermesTold } from './from-hermes.ts'
import type { History } from './history.ts'

/** One database of Hermes, counted as Hermes counts it. */
export function openHermesHistory(path: string): History {
  const database = hermesHistory(path)
  return {
    source: 'hermes',
    mark: database.mark,
    list: async (signal) => {
      try {
        const sessions = await database.sessions(signal)
        return sessions.map((about) => ({
          id: about.id,
          fingerprint: about.fingerprint,
          apart: about.apart,
          about,
        }))
      } catch (error) {
        return hermesFailure(error, path)
      }
    },
    scan: async ({ id, about }, signal) => {
      const { title, source, model, started_at, last_at } = about as CountedSession
      const scan = new ContributionScan()
      const told = new HermesTold()
      try {
        for await (const rows of database.rows(id, signal)) {
          for (const row of rows) {
            const message = told.told(row)
            if (message) scan.message(message)
          }
        }
        const values = scan.values()
        return {
          contribution: {
            session_id: id,
            title: title ?? (await database.preview(id)) ?? 'Untitled',
            source,
            model,
            started_at,
            last_at,
            values,
          },
          messages: values.message_count,
          skipped: told.skipped.map(({ row, reason }) => ({ place: `${path}#${id}:${row}`, reason })),
        }
      } catch (error) {
        return hermesFailure(error, path)
      }
    },
    close: database.close,
  }
}
