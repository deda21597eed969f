import type { DatabaseLook } from '@panoptes/engine/store'
import { plural } from '@panoptes/schema/numbers'
import { type Finding, failed, ok, warning } from '../check.ts'
import { ago, formatBytes } from './format.ts'

const OLDEST_VERSION = 140_000
const SLOW_MS = 10
const CLOCK_MS = 1_000
const LONG_MS = 300_000
/**
 * This many connections must be free for another hub: a busy hub with one space was measured to need that
 * many.
 */
const A_HUB = 26
const WAL = 4_294_967_296
const BUFFERS = 268_435_456

export function serverFinding(look: DatabaseLook): Finding {
  const detail = `PostgreSQL ${look.version}, ${look.round_trip_ms.toFixed(1)} ms away, ${formatBytes(look.bytes)}`
  if (look.in_recovery)
    return failed(
      detail,
      'It is a standby and does not accept writes',
      'Set team.ledger to its primary, or promote it.',
    )
  if (look.encoding !== 'UTF8')
    return failed(
      detail,
      `Its encoding is ${look.encoding}, not UTF8`,
      'Create a database with: createdb --encoding=UTF8 --template=template0',
    )
  if (look.version_number < OLDEST_VERSION)
    return failed(detail, 'Panoptes needs PostgreSQL 14 or newer', 'Update PostgreSQL.')
  if (!look.private)
    return warning(
      detail,
      'It is on another computer, and the connection is not encrypted',
      'Add ?sslmode=verify-full to its address (docs/team/systemd.md).',
    )
  if (look.round_trip_ms > SLOW_MS)
    return warning(
      detail,
      `A commit needs several round trips, so it takes ${Math.round(look.round_trip_ms * 6)} ms or more`,
      'Move the hubs and the database to the same data center.',
    )
  return ok(detail)
}

export function clockFinding({ clock_ahead_ms }: DatabaseLook): Finding {
  const away = Math.abs(clock_ahead_ms)
  const detail = `The database's clock is ${away} ms ${clock_ahead_ms < 0 ? 'behind' : 'ahead of'} this one`
  if (away <= CLOCK_MS) return ok(detail)
  return warning(
    detail,
    'Until the clocks agree, tokens can expire early or late, and events can appear at the wrong time',
    'Synchronize both with NTP (chrony or systemd-timesyncd).',
  )
}

export function connectionsFinding({ connections: { used, own, most } }: DatabaseLook): Finding {
  const free = most - used
  const detail = `${plural(free, 'connection')} free of ${most}; Panoptes has ${own}`
  if (free >= A_HUB) return ok(detail)
  const cause = `A busy hub needs up to ${A_HUB}, more with several spaces`
  const next = 'Raise max_connections (needs a restart), or add PgBouncer in session mode.'
  return free < 3 ? failed(detail, cause, next) : warning(detail, cause, next)
}

/** Reports settings that can lose acknowledged data or make the database slow. */
export function settingsFinding({ settings, wal_bytes, shared_buffers_bytes }: DatabaseLook): Finding {
  const { synchronous_commit, fsync, full_page_writes } = settings
  const detail = `synchronous_commit ${synchronous_commit}, max_wal_size ${settings.max_wal_size}, shared_buffers ${settings.shared_buffers}`
  if (fsync === 'off' || full_page_writes === 'off')
    return failed(
      detail,
      `${fsync === 'off' ? 'fsync' : 'full_page_writes'} is off: a power failure can damage the whole database`,
      'Turn it on in postgresql.conf, then reload.',
    )
  if (synchronous_commit === 'off')
    return warning(
      detail,
      'A database crash loses the last fraction of a second, although those events were acknowledged',
      'Set synchronous_commit = on, unless you accept this.',
    )
  const wishes = [
    ...(wal_bytes < WAL ? ['max_wal_size = 4GB (fewer checkpoints under load)'] : []),
    ...(shared_buffers_bytes < BUFFERS ? ['shared_buffers = a quarter of the memory'] : []),
  ]
  if (wishes.length === 0) return ok(detail)
  return warning(
    detail,
    'It is configured for a small machine',
    `For many events, set: ${wishes.join(', ')}.`,
  )
}

export function standbyFinding({ standbys, settings }: DatabaseLook): Finding {
  const archive = settings.archive_mode === 'off' ? 'no WAL archive' : 'WAL is archived'
  if (standbys.length === 0)
    return warning(
      `No standby is connected, ${archive}`,
      'If this machine is lost, everything since the last backup is lost',
      'Add a standby (docs/team/backup.md), or back up often.',
    )
  const shown = standbys.map(({ name, state, sync, lag_ms }) =>
    [
      name,
      state ?? 'not visible to this user',
      sync,
      lag_ms === null ? null : `${Math.round(lag_ms)} ms behind`,
    ]
      .filter((word) => word !== null)
      .join(' '),
  )
  const detail = `${shown.join('; ')}; ${archive}`
  const broken = standbys.filter(({ state }) => state !== null && state !== 'streaming')
  if (broken.length === 0) return ok(detail)
  return warning(detail, 'A standby is not following', 'Check its log; it may need a new base backup.')
}

export function transactionsFinding({ oldest, leftovers }: DatabaseLook): Finding {
  if (leftovers.length > 0)
    return warning(
      `Leftovers from a migrate or restore into ${leftovers.join(', ')}`,
      'It was interrupted, or is still running',
      'Run it again: it starts over and removes them.',
    )
  if (oldest === null) return ok('No transaction is open')
  const detail = `The oldest transaction is ${ago(oldest.ms)} old (process ${oldest.pid}, ${oldest.program || 'unnamed'})`
  if (oldest.ms < LONG_MS) return ok(detail)
  return warning(
    detail,
    'While it is open, PostgreSQL cannot clean up and tables grow',
    `See what it does, or end it: SELECT pg_terminate_backend(${oldest.pid});`,
  )
}
