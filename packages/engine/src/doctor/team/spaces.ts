import type { SpaceLook, TeamLook } from '@panoptes/engine/ledger'
import { type Finding, failed, ok, warning } from '../check.ts'
import { ago, number, plural, sized } from './size.ts'

const SEEN_MS = 60_000
const SILENT_MS = 86_400_000
/** Who leads these is decided as soon as a hub has the space open. */
const ALWAYS = ['judge', 'index', 'review']

export function schemaFinding(team: TeamLook, spaces: readonly SpaceLook[]): Finding {
  const versions = spaces.map(({ name, version }) => `${name} ${version}`).join(', ')
  const detail = `Team ${team.version}${versions === '' ? '' : `, spaces ${versions}`}`
  const newer = [...spaces.map(({ version, known }) => version - known), team.version - team.known]
  if (newer.some((more) => more > 0))
    return warning(
      detail,
      'A newer Panoptes has been here; this one goes on as it can',
      'Update the hubs that are older.',
    )
  if (newer.some((more) => more < 0))
    return warning(
      detail,
      `This Panoptes knows a newer version`,
      'A hub brings it up to date when it starts.',
    )
  return ok(detail)
}

export const aliveOf = (team: TeamLook | null): TeamLook['hubs'] =>
  team?.hubs.filter(({ seen_ms_ago }) => seen_ms_ago < SEEN_MS) ?? []

export function hubsFinding(team: TeamLook): Finding {
  const { hubs } = team
  const alive = aliveOf(team)
  const gone = hubs.filter(({ seen_ms_ago }) => seen_ms_ago >= SEEN_MS)
  if (alive.length === 0)
    return failed(
      'No hub was seen in the last minute',
      gone.length === 0
        ? 'None was here in the last day'
        : `The last one was on ${gone[0]?.host}, ${ago(gone[0]?.seen_ms_ago ?? 0)} ago`,
      'Start one with: panoptes up --ledger postgres://…',
    )
  const versions = [...new Set(alive.map(({ version }) => version))]
  const detail = `${plural(alive.length, 'hub')}: ${alive.map(({ host, pid, address }) => `${host} (${pid}, ${address})`).join(', ')}`
  if (new Set(alive.map(({ bus }) => bus)).size > 1)
    return failed(detail, 'Some hubs use the bus and others do not', 'Give all of them the same --bus.')
  if (versions.length > 1)
    return warning(detail, `They are of several versions: ${versions.join(', ')}`, 'Update the older ones.')
  if (gone.length > 0)
    return warning(
      detail,
      `One on ${gone[0]?.host} was last seen ${ago(gone[0]?.seen_ms_ago ?? 0)} ago and did not say that it stops`,
      'Start it again, or take no notice if it was replaced.',
    )
  return ok(detail)
}

export function leadsFinding(spaces: readonly SpaceLook[], hasHubs: boolean): Finding {
  const shown = spaces.map(
    ({ name, leads }) =>
      `${name}: ${leads.length === 0 ? 'nobody' : leads.map(({ job, by }) => `${job} by ${by}`).join(', ')}`,
  )
  const detail = shown.length === 0 ? 'No space was opened yet' : shown.join('; ')
  const idle = spaces.filter(({ leads }) => ALWAYS.some((job) => !leads.some((one) => one.job === job)))
  if (idle.length === 0 || !hasHubs) return ok(detail)
  return warning(
    detail,
    `Nobody does all the work of ${idle.map(({ name }) => name).join(', ')}`,
    'Wait a moment: a hub takes over within seconds. If this stays, start a hub again and read its log.',
  )
}

export function growthFinding(spaces: readonly SpaceLook[]): Finding {
  const shown = spaces.map(({ name, events, bytes, events_last_day, events_last_hour, partitions }) => {
    const each = events === 0 ? 0 : bytes / events
    return `${name}: ${number(events)} events, ${sized(bytes)} in ${plural(partitions, 'partition')}; ${number(events_last_hour)} in the last hour, about ${sized(each * events_last_day)} a day`
  })
  const detail = shown.join('; ') || 'Nothing is kept yet'
  const unfinished = spaces.filter((space) => space.unfinished > 0)
  if (unfinished.length === 0) return ok(detail)
  return warning(
    detail,
    `Retention was ended while it dropped a partition of ${unfinished.map(({ name }) => name).join(', ')}`,
    'The next run of retention finishes it; hubs run it every hour.',
  )
}

/** Each machine has a token of its own, while several may have the same name: so it is tokens that are told, each with the name it last sent as. */
export function forwardersFinding(
  { machines }: Pick<TeamLook, 'machines'>,
  spaces: readonly Pick<SpaceLook, 'hosts'>[],
  now = Date.now(),
): Finding {
  const hosts = spaces.flatMap((space) => space.hosts)
  if (machines.length === 0 && hosts.length === 0)
    return warning(
      'No machine has a token, and none has sent anything',
      'Nothing forwards here yet',
      'Make a token for each with: panoptes team tokens create --label NAME --file FILE. On that machine: panoptes forward --to https://HUB --token-file FILE',
    )
  const shown = machines.map(({ label, hint, last_used, host }) => {
    const same = machines.filter((other) => other.label === label).length > 1
    return `${label}${same ? ` (${hint})` : ''}${host === null ? '' : ` on ${host}`} ${last_used === null ? 'never used' : `${ago(now - last_used)} ago`}`
  })
  const tokens = `${plural(machines.length, 'token')} of machines${machines.length === 0 ? '' : `: ${some(shown)}`}`
  const names = hosts.map(({ host, last_ts }) => `${host} ${ago(now - last_ts)} ago`)
  const detail = `${tokens}; ${names.length === 0 ? 'no events yet' : `events of ${some(names)}`}`
  const last = [...machines.map(({ last_used }) => last_used ?? 0), ...hosts.map(({ last_ts }) => last_ts)]
  if (last.some((at) => now - at <= SILENT_MS)) return ok(detail)
  return warning(detail, 'Nothing came for a day', 'On those machines: panoptes status, and panoptes doctor.')
}

const MOST_SHOWN = 10
const some = (shown: readonly string[]): string =>
  `${shown.slice(0, MOST_SHOWN).join(', ')}${shown.length > MOST_SHOWN ? ', …' : ''}`

export function tokensFinding({ tokens, expiring }: TeamLook): Finding {
  const detail = `${plural(tokens, 'token')} in use`
  const used = expiring.filter((token) => token.used)
  if (used.length === 0) return ok(detail)
  const shown = used.map(
    ({ label, space, hint, days }) =>
      `${label} (${hint}, ${space}) ${days < 0 ? 'has ended' : `ends in ${plural(days, 'day')}`}`,
  )
  return warning(
    detail,
    shown.slice(0, 5).join('; '),
    'Make new ones with: panoptes team tokens create, and give them to whoever uses the old.',
  )
}
