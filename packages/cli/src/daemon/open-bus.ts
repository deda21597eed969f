import { type Bus, openBus } from '@panoptes/engine/bus'
import { type Ledger, type LedgerPlace, storeOf } from '@panoptes/engine/ledger'
import type { BusStatus, Config, HealthCheck } from '@panoptes/schema'
import { CommandFailure, orFail } from '../failure.ts'
import type { Log } from './log.ts'

interface BusWish {
  readonly bus?: string | null | undefined
  readonly place: LedgerPlace
  readonly config: Pick<Config, 'team'>
  readonly log: Log
}

/** The bus in front of a ledger, where one is named. One that does not answer yet is opened all the same. */
export async function busFor({ bus, place, config, log }: BusWish, ledger: Ledger): Promise<Bus | undefined> {
  if (!bus) return undefined
  if (place.kind !== 'postgres')
    throw new CommandFailure('A bus stands in front of a database only, and the ledger here is a file', {
      code: 'invalid',
      next: 'Name a database as well, as in: panoptes up --ledger postgres://panoptes@db/panoptes --bus nats://127.0.0.1:4222. Or leave --bus and team.bus out.',
    })
  const warn = (text: string) => log.logger.warn(text)
  const { url, space } = place
  const mostBytes = config.team.bus_max_mb * 1_048_576
  return orFail(await openBus({ url: bus, space, ledger, store: storeOf(url, space), mostBytes, warn }))
}

/** What to say of a bus that takes nothing; null where it does, or there is none. */
export function busWarning(bus: Pick<BusStatus, 'where' | 'taking' | 'problem'> | undefined): string | null {
  if (bus === undefined || (bus.taking && bus.problem === null)) return null
  const why =
    bus.problem?.replace(' Try again in a moment.', '') ??
    `The bus${bus.where === undefined ? '' : ` at ${bus.where}`} has not answered yet.`
  return bus.taking
    ? `${why} What agents send waits in the bus until it can be stored.`
    : `${why} Until it is mended nothing that agents send is taken; forwarders keep it meanwhile. Start NATS there with -js, or leave the bus out.`
}

/** What is wrong with it now; nothing where there is none. Where it is, is told only in the space of the hub's own computer. */
export function busChecks(bus: Bus | undefined, isOfHome: boolean): readonly HealthCheck[] {
  if (bus === undefined) return []
  const { problem, replicas, waiting, lagMs, refused } = bus.health()
  const id = 'bus'
  const title = 'Bus'
  if (problem !== null)
    return [
      {
        id,
        title,
        state: 'failed',
        detail: 'What agents send is not taken, or not stored; whoever sends it keeps it meanwhile.',
        cause: isOfHome
          ? problem
          : 'The bus of this hub does not do its work. Whoever runs the hub sees why.',
        next: 'Remove the cause; Panoptes tries again by itself.',
      },
    ]
  const copies = replicas === 1 ? 'kept by one server' : `kept by ${replicas} servers`
  const detail = `${copies}, ${waiting} messages wait${waiting > 0 ? `, the oldest for ${Math.ceil(lagMs / 1_000)} s` : ''}`
  if (refused === 0) return [{ id, title, state: 'ok', detail, cause: null, next: null }]
  return [
    {
      id,
      title,
      state: 'warning',
      detail: `${detail}; ${refused} events could not be stored`,
      cause: 'The ledger would not have them. The log says which, and why.',
      next: 'They are kept for 30 days in the stream that the log names.',
    },
  ]
}
