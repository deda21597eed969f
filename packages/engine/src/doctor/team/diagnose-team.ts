import { connect, type DetailedPeerCertificate } from 'node:tls'
import { isLoopback } from '@panoptes/engine/home'
import { inspectDatabaseAt } from '@panoptes/engine/store'
import type { HealthCheck, Result } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { type Finding, failed, ok, warning } from '../check.ts'
import {
  clockFinding,
  connectionsFinding,
  serverFinding,
  settingsFinding,
  standbyFinding,
  transactionsFinding,
} from './database.ts'
import { ago, formatBytes, number } from './format.ts'
import {
  findAliveHubs,
  forwardersFinding,
  growthFinding,
  hubsFinding,
  leadsFinding,
  schemaFinding,
  tokensFinding,
} from './spaces.ts'

export interface TeamPatient {
  readonly url: string
  /** This is null where no bus is configured. */
  readonly bus: (() => Promise<Result<BusSeen>>) | null
  readonly publicUrl: string | null
}

/** Checks everything a team depends on, from this computer. It never throws and changes nothing. */
export async function diagnoseTeam({ url, bus, publicUrl }: TeamPatient): Promise<readonly HealthCheck[]> {
  const looking = inspectDatabaseAt(url)
  const [look, seen, address] = await Promise.all([
    looking,
    bus === null ? null : bus(),
    looking.then((found) =>
      publicUrlFinding(
        publicUrl,
        found.ok ? findAliveHubs(found.value.team).map(({ address }) => address) : [],
      ),
    ),
  ])
  const around: HealthCheck[] = [
    ...(seen === null ? [] : [check('bus', 'Bus', busFinding(seen))]),
    check('public_url', 'Public address', address),
  ]
  if (!look.ok)
    return [
      check(
        'database',
        'Database',
        look.code === 'denied'
          ? failed('The database refused the connection', look.message, 'Fix this, then run the check again.')
          : failed('The database does not answer', look.message, 'Start it, or fix its address.'),
      ),
      ...around,
    ]
  const { database, team, spaces } = look.value
  const checks = [
    check('database', 'Database', serverFinding(database)),
    check('database_clock', 'Clock', clockFinding(database)),
    check('connections', 'Connections', connectionsFinding(database)),
    check('settings', 'Settings', settingsFinding(database)),
    check('standby', 'Standby', standbyFinding(database)),
    check('transactions', 'Transactions', transactionsFinding(database)),
  ]
  if (team === null)
    return [
      ...checks,
      check(
        'team',
        'Team',
        failed(
          'There is no team in this database yet',
          'No team was created',
          'Create it with: panoptes team init --email YOU@EXAMPLE.ORG',
        ),
      ),
      ...around,
    ]
  return [
    ...checks,
    check('team', 'Team', ok(teamWords(team.people, spaces.length))),
    check('schema', 'Schema', schemaFinding(team, spaces)),
    check('growth', 'Size and growth', growthFinding(spaces)),
    check('hubs', 'Hubs', hubsFinding(team)),
    check('leads', 'Who leads', leadsFinding(spaces, findAliveHubs(team).length > 0)),
    check('forwarders', 'Forwarders', forwardersFinding(team, spaces)),
    check('team_tokens', 'Tokens', tokensFinding(team)),
    ...around,
  ]
}

const teamWords = (people: number, spaces: number): string =>
  `${people === 1 ? '1 person' : `${people} people`}, ${plural(spaces, 'space')} opened`

const check = (id: string, title: string, finding: Finding): HealthCheck => ({ id, title, ...finding })

/**
 * Describes what the bus module reports. The doctor does not import the bus module, so it names the fields
 * itself.
 */
export interface BusSeen {
  readonly where: string
  readonly version: string
  readonly round_trip_ms: number
  readonly streams: readonly {
    readonly space: string
    readonly waiting: number
    readonly waiting_bytes: number
    readonly most_bytes: number
    readonly lag_ms: number
    readonly replicas: number
    readonly behind: number
    readonly written: boolean
    readonly refused: number
  }[]
}

const LATE_MS = 30_000

export function busFinding(seen: Result<BusSeen>): Finding {
  if (!seen.ok)
    return failed(
      'The bus does not answer',
      seen.message,
      'Start NATS, or fix --bus. Until then, hubs accept no events and forwarders keep their events.',
    )
  const { where, version, round_trip_ms, streams } = seen.value
  const shown = streams.map(
    ({ space, waiting, lag_ms, replicas }) =>
      `${space}: ${number(waiting)} waiting${waiting > 0 ? `, the oldest for ${ago(lag_ms)}` : ''}, ${replicas === 1 ? 'one copy' : `${replicas} copies`}`,
  )
  const detail = `NATS ${version} at ${where}, ${round_trip_ms} ms away; ${shown.join('; ') || 'no stream yet'}`
  const full = streams.find(({ waiting_bytes, most_bytes }) => waiting_bytes > most_bytes * 0.8)
  if (full)
    return failed(
      detail,
      `The stream of ${full.space} is nearly full: ${formatBytes(full.waiting_bytes)} of ${formatBytes(full.most_bytes)}`,
      'Check the database: it limits how fast the queue drains.',
    )
  const late = streams.find(({ waiting, lag_ms, written }) => waiting > 0 && (lag_ms > LATE_MS || !written))
  if (late)
    return warning(
      detail,
      late.written
        ? `Events from ${ago(late.lag_ms)} ago are not in the store yet`
        : `No hub processes the stream of ${late.space}`,
      late.written
        ? 'The database is too slow or was unavailable. Check it.'
        : 'Make sure that a hub of this space runs with this bus.',
    )
  const behind = streams.find((stream) => stream.behind > 0)
  if (behind) return warning(detail, 'A server of the cluster is behind or down', 'Restart it.')
  const refused = streams.find((stream) => stream.refused > 0)
  if (refused)
    return warning(
      detail,
      `The store rejected ${plural(refused.refused, 'event')} of ${refused.space}`,
      'They stay for 30 days in the stream that ends in _refused. The log of the hub gives the reason.',
    )
  if (streams.some(({ replicas }) => replicas < 3))
    return warning(
      detail,
      'There is only one copy: if that server is lost, so are the waiting events',
      'Use a cluster of three servers.',
    )
  return ok(detail)
}

const TIMEOUT_MS = 5_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14

/**
 * Checks whether people reach a hub under its public address and whether that connection is encrypted. `hubs`
 * are the addresses that running hubs listen on.
 */
export async function publicUrlFinding(address: string | null, hubs: readonly string[]): Promise<Finding> {
  if (address === null) return noAddressFinding(hubs)
  const url = new URL(address)
  const answered = await ready(url)
  if (answered !== null)
    return failed(
      `${url.origin} is not a hub`,
      answered,
      'Check the proxy: it must forward /ready, the WebSocket /stream and the Host header.',
    )
  if (url.protocol === 'http:')
    return isLoopback(nameIn(address))
      ? ok(`${url.origin}, on this computer only`)
      : failed(
          `${url.origin} is not encrypted`,
          'Tokens and content can be read in transit',
          'Add a proxy with TLS (docs/team.md).',
        )
  const certificate = await readCertificate(url)
  if (typeof certificate === 'string')
    return failed(
      `${url.origin}`,
      `Its certificate is invalid: ${certificate}`,
      'Renew it; Caddy does so automatically.',
    )
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS)
  const detail = `${url.origin}, certificate of ${String(certificate.issuer?.O ?? certificate.issuer?.CN ?? 'unknown')}, valid for ${plural(days, 'day')}`
  if (days > SOON_DAYS) return ok(detail)
  return warning(detail, 'It expires soon and was not renewed', 'Find out why the proxy does not renew it.')
}

function noAddressFinding(hubs: readonly string[]): Finding {
  const open = hubs.filter((hub) => !isLoopback(nameIn(hub)))
  if (open.length === 0) return ok('No public address is set: people use the addresses of the hubs')
  return warning(
    `No public address is set, and other computers can reach ${open.join(', ')}`,
    'Tokens and content sent that way can be read in transit',
    'Add a proxy with TLS, and set team.public_url to its address (docs/team-people.md).',
  )
}

const nameIn = (address: string): string => (URL.parse(address)?.hostname ?? '').replace(/^\[|\]$/g, '')

async function ready(url: URL): Promise<string | null> {
  try {
    const response = await fetch(new URL('/ready', url), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return response.ok ? null : `/ready answers ${response.status}`
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const readCertificate = (url: URL): Promise<DetailedPeerCertificate | string> =>
  new Promise((resolve) => {
    const socket = connect(
      { host: url.hostname, port: Number(url.port || 443), servername: url.hostname },
      () => {
        resolve(socket.getPeerCertificate(true))
        socket.end()
      },
    )
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')))
    socket.on('error', (error) => resolve(error.message))
  })
