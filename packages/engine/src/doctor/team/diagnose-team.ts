import { lookAt } from '@panoptes/engine/ledger'
import type { HealthCheck, Result } from '@panoptes/schema'
import { type Finding, failed, ok } from '../check.ts'
import { type BusSeen, busFinding } from './bus.ts'
import {
  clockFinding,
  connectionsFinding,
  serverFinding,
  settingsFinding,
  standbyFinding,
  transactionsFinding,
} from './database.ts'
import { publicUrlFinding } from './public-url.ts'
import { plural } from './size.ts'
import {
  aliveOf,
  forwardersFinding,
  growthFinding,
  hubsFinding,
  leadsFinding,
  schemaFinding,
  tokensFinding,
} from './spaces.ts'

export interface TeamPatient {
  readonly url: string
  /** Null where there is no bus. */
  readonly bus: (() => Promise<Result<BusSeen>>) | null
  readonly publicUrl: string | null
}

/** Everything that a team stands on, looked at from this computer. Never throws, and changes nothing. */
export async function diagnoseTeam({ url, bus, publicUrl }: TeamPatient): Promise<readonly HealthCheck[]> {
  const looking = lookAt(url)
  const [look, seen, address] = await Promise.all([
    looking,
    bus === null ? null : bus(),
    looking.then((found) =>
      publicUrlFinding(publicUrl, found.ok ? aliveOf(found.value.team).map(({ address }) => address) : []),
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
          ? failed('The database refuses', look.message, 'Correct that, then look again.')
          : failed('The database does not answer', look.message, 'Start it, or correct its address.'),
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
          'Nobody made one',
          'Make it with: panoptes team init --email YOU@EXAMPLE.ORG',
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
    check('leads', 'Who leads', leadsFinding(spaces, aliveOf(team).length > 0)),
    check('forwarders', 'Forwarders', forwardersFinding(team, spaces)),
    check('team_tokens', 'Tokens', tokensFinding(team)),
    ...around,
  ]
}

const teamWords = (people: number, spaces: number): string =>
  `${people === 1 ? '1 person' : `${people} people`}, ${plural(spaces, 'space')} opened`

const check = (id: string, title: string, finding: Finding): HealthCheck => ({ id, title, ...finding })
