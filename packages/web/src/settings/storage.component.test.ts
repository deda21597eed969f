import type { BackupReply, RebuildReply } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { status, storage } from '../testing/replies.ts'
import { answerSettings, workReply } from './settings.test-kit.ts'

const section = page.getByRole('region', { name: 'Storage', exact: true })
const button = (name: string) => section.getByRole('button', { name })
const BACKUP: BackupReply = {
  path: '/home/dev/.panoptes/backups/ledger-2026-10-01.db',
  bytes: 2 * 1024 ** 2,
  events: 5_000,
  last_seq: 5_000,
}
const rebuilt = (change: Partial<RebuildReply> = {}): RebuildReply => ({
  events: 5_000,
  rows: 31,
  differences: 0,
  applied: false,
  ...change,
})

describe('Storage in Settings', () => {
  it('shows the number and size of events and the retention limits', async ({ server, open }) => {
    answerSettings(server)
    const size = { events: 5_000, first_ts: Date.now(), bytes: 512 * 1024 ** 2 }
    server.on('GET /api/status', status({ storage: storage(size) }))
    await open('/settings#storage')
    await expect.element(section.getByText(/5,000 events since/)).toBeVisible()
    await expect.element(section.getByText('512 MB of 2 GB')).toBeVisible()
    await expect.element(section.getByText('90 days · 2 GB')).toBeVisible()
    await expect.element(section.getByText('sqlite, format 12')).toBeVisible()
    await expectAccessible()
  })

  it('shows that there is no limit and describes the last backup', async ({ server, open }) => {
    answerSettings(server)
    const retention = { max_age_days: null, sessions_max_age_days: null, max_bytes: null }
    const last_backup = { ...BACKUP, at: Date.now() - 3 * 3_600_000 }
    server.on('GET /api/status', status({ storage: storage({ retention, last_backup }) }))
    await open('/settings#storage')
    await expect.element(section.getByText('no limit', { exact: true })).toBeVisible()
    await expect.element(section.getByText(BACKUP.path)).toBeVisible()
    await expect.element(section.getByText(/3 h ago/)).toBeVisible()
    await expect.element(section.getByText('2 MB', { exact: true })).toBeVisible()
  })

  it('backs up the store and shows the path', async ({ server, open }) => {
    answerSettings(server)
    server.on('POST /api/backup', () =>
      workReply({ type: 'progress', done: 1, total: 2 }, { type: 'result', value: BACKUP }),
    )
    await open('/settings#storage')
    await expect.element(section.getByText('No backup yet')).toBeVisible()
    await button('Back up now').click()
    await expect.element(section.getByText(/^Backed up, 2 MB/)).toBeVisible()
    await expect.element(section.getByText(BACKUP.path)).toBeVisible()
    expect(server.requestsTo('POST /api/backup').map(({ body }) => body)).toEqual([{}])
  })

  it('shows the progress of a backup and stops it', async ({ server, open, stopClock }) => {
    answerSettings(server)
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const stopped = Promise.withResolvers<void>()
    server.on('POST /api/backup', ({ signal }) => {
      signal.addEventListener('abort', () => {
        stopped.resolve()
        void writer.abort(signal.reason).catch(() => undefined)
      })
      return new Response(readable)
    })
    await open('/settings#storage')
    const passTime = stopClock()
    await button('Back up now').click()
    passTime(500)
    const progress = { type: 'progress', done: 1_500, total: 6_000 }
    void writer.write(new TextEncoder().encode(`${JSON.stringify(progress)}\n`)).catch(() => undefined)
    await expect.element(section.getByText('1,500 / 6,000')).toBeVisible()
    await expect.element(section.getByRole('progressbar', { name: 'Backing up' })).toBeVisible()
    await button('Stop').click()
    await stopped.promise
    await expect.element(section.getByText('Stopped. Nothing changed.')).toBeVisible()
    await expect.element(button('Back up now')).toBeEnabled()
  })

  it('shows why a backup failed', async ({ server, open }) => {
    answerSettings(server)
    server.on('POST /api/backup', () =>
      workReply({ type: 'failure', code: 'disk_full', message: 'No space is left on the disk.' }),
    )
    await open('/settings#storage')
    await button('Back up now').click()
    await expect.element(section.getByRole('alert')).toHaveTextContent('No space is left on the disk.')
  })

  it('compares the projections with the log and offers a rebuild only if they differ', async ({
    server,
    open,
  }) => {
    answerSettings(server)
    const replies = [
      rebuilt(),
      rebuilt({ differences: 3 }),
      rebuilt({ rows: 31, differences: 3, applied: true }),
    ]
    server.on('POST /api/rebuild', () => workReply({ type: 'result', value: replies.shift() }))
    await open('/settings#storage')
    await button('Check projections').click()
    await expect.element(section.getByText('All 31 rows match the log of 5,000 events')).toBeVisible()
    await button('Check projections').click()
    await expect.element(section.getByText(/^3 rows differ from the log\./)).toBeVisible()
    await button('Rebuild').click()
    await expect.element(section.getByText('Rebuilt 31 rows from the log')).toBeVisible()
    await eventually(() => server.requestsTo('POST /api/rebuild').map(({ body }) => body)).toEqual([
      { check: true },
      { check: true },
      { check: false },
    ])
  })
})
