import type { SpaceLook, TeamLook } from '@panoptes/engine/store'
import { plural } from '@panoptes/schema/numbers'
import { type Finding, failed, ok, warning } from '../check.ts'
import { ago, formatBytes, number } from './format.ts'

const SEEN_MS = 60_000
const SILENT_MS = 86_400_000
/** A hub elects leaders for these jobs as soon as it opens the space. */
const ALWAYS = ['judge', 'index']

export function schemaFinding(team: TeamLook, spaces: readonly SpaceLook[]): Finding {
  const versions = spaces.map(({ name, version }) => `${name} ${version}`).join(', ')
  const detail = `Team ${team.version}${versions === '' ? '' : `, spaces ${versions}`}`
  const newer = [...spaces.map(({ version, known }) => version - known), team.version - team.known]
  if (newer.some((more) => more > 0))
    return warning(
      detail,
      'A newer Panoptes used this database; this version may miss features',
      'Update the older hubs.',
    )
  if (newer.some((more) => more < 0))
    return warning(detail, `This Panoptes uses a newer version`, 'A hub upgrades it when it starts.')
  return ok(detail)
}

export const findAliveHubs = (team: TeamLook | null): TeamLook['hubs'] =>
  team?.hubs.filter(({ seen_ms_ago }) => seen_ms_ago < SEEN_MS) ?? []

export function hubsFinding(team: TeamLook): Finding {
  const { hubs } = team
  const alive = findAliveHubs(team)
  const gone = hubs.filter(({ seen_ms_ago }) => seen_ms_ago >= SEEN_MS)
  if (alive.length === 0)
    return failed(
      'No hub was active in the last minute',
      gone.length === 0
        ? 'No hub was active in the last day'
        : `The last hub was on ${gone[0]?.host}, ${ago(gone[0]?.seen_ms_ago ?? 0)} ago`,
      'Start a hub with: panoptes up --store postgres://…',
    )
  const versions = [...new Set(alive.map(({ version }) => version))]
  const detail = `${plural(alive.length, 'hub')}: ${alive.map(({ host, pid, address }) => `${host} (${pid}, ${address})`).join(', ')}`
  if (new Set(alive.map(({ bus }) => bus)).size > 1)
    return failed(detail, 'Some hubs use the bus and others do not', 'Start all of them with the same --bus.')
  if (versions.length > 1)
    return warning(
      detail,
      `The hubs run different versions: ${versions.join(', ')}`,
      'Update the older hubs.',
    )
  if (gone.length > 0)
    return warning(
      detail,
      `A hub on ${gone[0]?.host} was last seen ${ago(gone[0]?.seen_ms_ago ?? 0)} ago and did not shut down cleanly`,
      'Restart this hub, or ignore the warning if you replaced the hub.',
    )
  return ok(detail)
}

export function leadsFinding(spaces: readonly SpaceLook[], hasHubs: boolean): Finding {
  const shown = spaces.map(
    ({ name, leads }) =>
      `${name}: ${leads.length === 0 ? 'nobody' : leads.map(({ job, by }) => `${job} by ${by}`).join(', ')}`,
  )
  const detail = shown.length === 0 ? 'No space has been opened yet' : shown.join('; ')
  const idle = spaces.filter(({ leads }) => ALWAYS.some((job) => !leads.some((one) => one.job === job)))
  if (idle.length === 0 || !hasHubs) return ok(detail)
  return warning(
    detail,
    `Some jobs of ${idle.map(({ name }) => name).join(', ')} have no leader`,
    'A hub takes over within seconds. If this persists, restart a hub and check its log.',
  )
}

export function growthFinding(spaces: readonly SpaceLook[]): Finding {
  const shown = spaces.map(({ name, events, bytes, events_last_day, events_last_hour, partitions }) => {
    const each = events === 0 ? 0 : bytes / events
    return `${name}: ${plural(events, 'event')}, ${formatBytes(bytes)} in ${plural(partitions, 'partition')}; ${number(events_last_hour)} in the last hour, about ${formatBytes(each * events_last_day)} a day`
  })
  const detail = shown.join('; ') || 'Nothing is stored yet'
  const unfinished = spaces.filter((space) => space.unfinished > 0)
  if (unfinished.length === 0) return ok(detail)
  return warning(
    detail,
    `Retention was interrupted while it dropped a partition of ${unfinished.map(({ name }) => name).join(', ')}`,
    'The next retention run finishes it; hubs run it every hour.',
  )
}

/**
 * Each machine has its own token, while several machines may share a name. So the finding lists tokens, each
 * with the name it last used.
 */
export function forwardersFinding(
  { machines }: Pick<TeamLook, 'machines'>,
  spaces: readonly Pick<SpaceLook, 'hosts'>[],
  now = Date.now(),
): Finding {
  const hosts = spaces.flatMap((space) => space.hosts)
  if (machines.length === 0 && hosts.length === 0)
    return warning(
      'No machine has a token or has sent anything',
      'Nothing forwards here yet',
      'Create a token for each with: panoptes team tokens create --label NAME --file FILE. On that machine: panoptes forward --to https://HUB --token-file FILE',
    )
  const shown = machines.map(({ label, hint, last_used, host }) => {
    const same = machines.filter((other) => other.label === label).length > 1
    return `${label}${same ? ` (${hint})` : ''}${host === null ? '' : ` on ${host}`} ${last_used === null ? 'never used' : `${ago(now - last_used)} ago`}`
  })
  const tokens = `${plural(machines.length, 'token')} of machines${machines.length === 0 ? '' : `: ${formatSome(shown)}`}`
  const names = hosts.map(({ host, last_ts }) => `${host} ${ago(now - last_ts)} ago`)
  const detail = `${tokens}; ${names.length === 0 ? 'no events yet' : `events of ${formatSome(names)}`}`
  const last = [...machines.map(({ last_used }) => last_used ?? 0), ...hosts.map(({ last_ts }) => last_ts)]
  if (last.some((at) => now - at <= SILENT_MS)) return ok(detail)
  return warning(
    detail,
    'Nothing has arrived for a day',
    'On those machines, run panoptes status and panoptes doctor.',
  )
}

const MOST_SHOWN = 10
const formatSome = (shown: readonly string[]): string =>
  `${shown.slice(0, MOST_SHOWN).join(', ')}${shown.length > MOST_SHOWN ? ', …' : ''}`

export function tokensFinding({ tokens, expiring }: TeamLook): Finding {
  const detail = `${plural(tokens, 'token')} in use`
  const used = expiring.filter((token) => token.used)
  if (used.length === 0) return ok(detail)
  const shown = used.map(
    ({ label, space, hint, days }) =>
      `${label} (${hint}, ${space}) ${days < 0 ? 'has expired' : `expires in ${plural(days, 'day')}`}`,
  )
  return warning(
    detail,
    shown.slice(0, 5).join('; '),
    'Create new ones with: panoptes team tokens create, and give them to the users of the old ones.',
  )
}
