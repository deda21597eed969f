import type { DatabaseLook } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import {
  clockFinding,
  connectionsFinding,
  serverFinding,
  settingsFinding,
  standbyFinding,
} from './database.ts'
import { type BusSeen, busFinding, publicUrlFinding } from './diagnose-team.ts'
import { formatBytes } from './format.ts'
import { forwardersFinding, growthFinding } from './spaces.ts'

const look = (more: Partial<DatabaseLook> = {}): DatabaseLook => ({
  connect_ms: 3,
  round_trip_ms: 0.4,
  worst_round_trip_ms: 1,
  clock_ahead_ms: 2,
  version: '15.8',
  version_number: 150_008,
  encoding: 'UTF8',
  in_recovery: false,
  bytes: 1_000_000,
  private: true,
  connections: { used: 10, own: 8, most: 97 },
  settings: {
    synchronous_commit: 'on',
    max_wal_size: '4GB',
    shared_buffers: '1GB',
    fsync: 'on',
    full_page_writes: 'on',
    archive_mode: 'on',
    synchronous_standby_names: '',
    max_connections: '100',
  },
  wal_bytes: 4_294_967_296,
  shared_buffers_bytes: 1_073_741_824,
  standbys: [{ name: 'second', state: 'streaming', sync: 'async', lag_ms: 3 }],
  oldest: null,
  leftovers: [],
  ...more,
})
const settings = (more: Partial<DatabaseLook['settings']>) =>
  look({ settings: { ...look().settings, ...more } })

const stream = {
  space: 'main',
  waiting: 0,
  waiting_bytes: 0,
  most_bytes: 1_000,
  lag_ms: 0,
  replicas: 3,
  behind: 0,
  written: true,
  refused: 0,
}
const bus = (more: Partial<typeof stream>): BusSeen => ({
  where: '127.0.0.1:4222',
  version: '2.9.10',
  round_trip_ms: 1,
  streams: [{ ...stream, ...more }],
})

describe('the public address finding', () => {
  it('requires an address when hubs can be reached from other computers', async () => {
    for (const hub of [
      'http://10.0.0.11:8201',
      'http://0.0.0.0:8201',
      'http://[::]:8201',
      'http://hub.lan:8201',
    ])
      expect(await publicUrlFinding(null, ['http://127.0.0.1:8201', hub])).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining(`other computers can reach ${hub}`),
        next: expect.stringContaining('team.public_url'),
      })
    for (const hubs of [[], ['http://127.0.0.1:8201', 'http://[::1]:8201', 'http://localhost:8202']])
      expect(await publicUrlFinding(null, hubs)).toMatchObject({ state: 'ok' })
  })
})

describe('the forwarders finding', () => {
  const now = Date.UTC(2026, 10, 16)
  const laptop = (hint: string, last_used: number | null, host: string | null = null) => ({
    label: 'laptop',
    space: 'main',
    hint,
    last_used,
    host,
  })
  const hosts = [{ host: 'studio', last_ts: now - 5_000, events: 3 }]

  it('lists each machine by its token, even when several share a name', () => {
    const both = [
      laptop('pan_Aa11', now - 5_000, 'studio'),
      laptop('pan_Bb22', now - 600_000),
      laptop('pan_Cc33', null),
    ]
    expect(forwardersFinding({ machines: both }, [{ hosts }], now)).toMatchObject({
      state: 'ok',
      detail:
        '3 tokens of machines: laptop (pan_Aa11) on studio 5 s ago, laptop (pan_Bb22) 10 min ago, laptop (pan_Cc33) never used; events of studio 5 s ago',
    })
  })

  it('reports silent forwarders and a team without any', () => {
    const long = now - 3 * 86_400_000
    const silent = forwardersFinding({ machines: [laptop('pan_Aa11', long)] }, [{ hosts: [] }], now)
    expect(silent).toMatchObject({ state: 'warning', cause: 'Nothing has arrived for a day' })
    expect(forwardersFinding({ machines: [] }, [], now)).toMatchObject({
      state: 'warning',
      next: expect.stringContaining('tokens create'),
    })
  })
})

it('counts stored events in the singular and plural', () => {
  const space = {
    name: 'main',
    version: 1,
    known: 1,
    bytes: 1_000,
    events_last_hour: 1,
    events_last_day: 1,
    partitions: 1,
    unfinished: 0,
    leads: [],
    hosts: [],
  }
  const detail = (events: number) => growthFinding([{ ...space, events }]).detail
  expect(detail(1)).toMatch(/^main: 1 event, 1\.0 KB in 1 partition; 1 in the last hour/)
  expect(detail(2)).toMatch(/^main: 2 events, /)
})

describe('the database findings', () => {
  it.each([
    ['is well', serverFinding(look()), 'ok'],
    ['is a standby', serverFinding(look({ in_recovery: true })), 'failed'],
    ['is reached in the clear', serverFinding(look({ private: false })), 'warning'],
    ['is far away', serverFinding(look({ round_trip_ms: 40 })), 'warning'],
    ['is not in UTF8', serverFinding(look({ encoding: 'SQL_ASCII' })), 'failed'],
    ['has another clock', clockFinding(look({ clock_ahead_ms: -2_000 })), 'warning'],
    [
      'has few connections',
      connectionsFinding(look({ connections: { used: 90, own: 8, most: 97 } })),
      'warning',
    ],
    [
      'has too few connections for another busy hub',
      connectionsFinding(look({ connections: { used: 75, own: 25, most: 97 } })),
      'warning',
    ],
    ['has none left', connectionsFinding(look({ connections: { used: 96, own: 8, most: 97 } })), 'failed'],
    ['may lose what was answered', settingsFinding(settings({ synchronous_commit: 'off' })), 'warning'],
    ['may lose everything', settingsFinding(settings({ fsync: 'off' })), 'failed'],
    ['is set up small', settingsFinding(look({ wal_bytes: 1_073_741_824 })), 'warning'],
    ['has no standby', standbyFinding(look({ standbys: [] })), 'warning'],
    [
      'has one that does not follow',
      standbyFinding(look({ standbys: [{ name: 'b', state: 'startup', sync: null, lag_ms: null }] })),
      'warning',
    ],
  ])('report a database that %s', (_, finding, state) => {
    expect(finding.state).toBe(state)
    expect(finding.next !== null).toBe(state !== 'ok')
  })
})

describe('the bus finding', () => {
  it.each([
    ['is well', {}, 'ok'],
    ['is nearly full', { waiting: 9, waiting_bytes: 900 }, 'failed'],
    ['is late', { waiting: 9, lag_ms: 60_000 }, 'warning'],
    ['is read by nobody', { waiting: 9, written: false }, 'warning'],
    ['has one copy', { replicas: 1 }, 'warning'],
    ['has a copy that is behind', { behind: 1 }, 'warning'],
    ['has what the ledger would not have', { refused: 2 }, 'warning'],
  ])('reports a bus that %s', (_, more, state) => {
    expect(busFinding(success(bus(more))).state).toBe(state)
  })

  it('counts rejected events in the singular and plural', () => {
    expect(busFinding(success(bus({ refused: 1 }))).cause).toBe('The store rejected 1 event of main')
    expect(busFinding(success(bus({ refused: 2_000 }))).cause).toBe('The store rejected 2,000 events of main')
  })
})

it('formats sizes for people', () => {
  expect([0, 999, 1_500, 123_456_789, 5e12].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.5 KB',
    '123 MB',
    '5.0 TB',
  ])
})
