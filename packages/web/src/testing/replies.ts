import type { Counters, MeReply, StatusReply, StorageInfo, Timeline } from '@panoptes/schema'
import type { FakeServer } from './fake-server.ts'

const counters: Counters = {
  events: 0,
  by_kind: {},
  by_source: {},
  agents_spawned: 0,
  agents_done: 0,
  agents_failed: 0,
  agents_stopped: 0,
  tool_calls: 0,
  tool_errors: 0,
  skill_uses: 0,
  skill_successes: 0,
  claims: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_micro_usd: 0,
  cost_unknown: 0,
}

export const storage = (change: Partial<StorageInfo> = {}): StorageInfo => ({
  path: '/home/dev/.panoptes/ledger.db',
  engine: 'sqlite',
  bytes: 360_448,
  events: 0,
  first_seq: 1,
  last_seq: 0,
  first_ts: null,
  last_ts: null,
  schema_version: 12,
  retention: { max_age_days: 90, sessions_max_age_days: null, max_bytes: 2 * 1024 ** 3 },
  last_backup: null,
  ...change,
})

/** The reply of `GET /api/status` before anything has happened. */
export const status = (change: Partial<StatusReply> = {}): StatusReply => ({
  version: '0.1.0',
  node: 'v24.21.0',
  platform: 'linux x64',
  host: 'workstation',
  pid: 4711,
  home: '/home/dev/.panoptes',
  started_at: Date.now() - 60_000,
  now: Date.now(),
  address: 'http://127.0.0.1:8201',
  command: 'npx panoptes',
  counters,
  storage: storage(),
  flow: {
    events_per_second: 0,
    history: Array.from({ length: 60 }, () => 0),
    lag_p50_ms: null,
    lag_p99_ms: null,
    clients: 1,
    missed: 0,
    rejected: 0,
    last_rejected: null,
  },
  alive: 0,
  ...change,
})

/** The reply of `GET /api/me`: by default, the owner of a personal computer. */
export const me = (change: Partial<MeReply> = {}): MeReply => ({
  team: false,
  user: null,
  label: 'this computer',
  role: 'admin',
  home: true,
  space: 'main',
  spaces: [{ name: 'main', role: 'admin' }],
  ...change,
})

const timeline = (query: URLSearchParams): Timeline => ({
  from: Number(query.get('from')),
  to: Number(query.get('to')),
  slices: [],
  marks: [],
  marks_left_out: 0,
})

/** Serves the requests of the window around every page, as a server without any data. */
export function answerEmpty(server: FakeServer): void {
  server
    .on('GET /api/status', () => status())
    .on('GET /api/me', me())
    .on('GET /ready', { ready: true, takes_events: true, away: [] })
    .on('GET /api/agents', [])
    .on('GET /api/sessions', [])
    .on('GET /api/timeline', ({ query }) => timeline(query))
    .on('GET /api/sources', { sources: [] })
    .on('GET /api/tools', [])
    .on('GET /api/conflicts', [])
    .on('GET /api/ledger/budgets', [])
    .on('GET /api/ledger/costs', [])
}
