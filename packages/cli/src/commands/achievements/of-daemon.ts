import { pause } from '@panoptes/engine/abortable'
import type { RescanReply, ScanStatus } from '@panoptes/schema'
import { type Client, stopped } from '../../daemon/client.ts'
import type { AchievementsAccess, Counted, Counting, Wanted } from './access.ts'

const LOOK_MS = 100

/** Reads achievements from the daemon over HTTP. */
export function ofDaemon(client: Client): AchievementsAccess {
  const send = <T>(path: string, body: object): Promise<T> =>
    client.json<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ended = async (wanted: Wanted, { onProgress, signal }: Counting): Promise<void> => {
    for (;;) {
      const status = await client.json<ScanStatus>(`/api/scan-status?${queryOf(wanted)}`)
      if (status.state !== 'running') return
      if (status.progress) onProgress(status.progress.done, status.progress.total)
      await pause(LOOK_MS, signal)
      if (signal.aborted) throw stopped()
    }
  }
  return {
    count: async (wanted, counting) => {
      // A count that started earlier does not include sessions written since.
      await ended(wanted, counting)
      await send<RescanReply>('/api/rescan', { ...askedFor(wanted), full: counting.full })
      await ended(wanted, counting)
      return client.json<Counted>(`/api/achievements?${queryOf(wanted)}&aggregate=1`, {
        signal: counting.signal,
      })
    },
    reset: async (wanted) => {
      const { unlocks_removed: removed } = await send<{ readonly unlocks_removed: number }>(
        '/api/achievements/reset',
        { ...askedFor(wanted), confirm: 'reset' },
      )
      return removed
    },
  }
}

const askedFor = ({ source, hermesDb, tz }: Wanted) => ({
  source,
  ...(hermesDb === undefined ? {} : { hermes_db: hermesDb }),
  ...(tz === undefined ? {} : { tz }),
})

const queryOf = (wanted: Wanted): URLSearchParams => new URLSearchParams(askedFor(wanted))
