import type { Bus } from '@panoptes/engine/bus'
import { type EventStore, type StoreLocation, storeIdReader } from '@panoptes/engine/store'
import type { BusStatus, Config, HealthCheck } from '@panoptes/schema'
import { CommandFailure, orFail } from '../failure.ts'
import { plural } from '../terminal/format.ts'
import type { Log } from './log.ts'

interface BusWish {
  readonly bus?: string | null | undefined
  readonly place: StoreLocation
  readonly config: Pick<Config, 'team'>
  readonly log: Log
}

/** Opens the configured bus in front of a store, even if it does not answer yet. */
export async function busFor(
  { bus, place, config, log }: BusWish,
  store: EventStore,
): Promise<Bus | undefined> {
  if (!bus) return undefined
  if (place.kind !== 'postgres')
    throw new CommandFailure('A bus needs a database, but the store here is a file', {
      code: 'invalid',
      next: 'Also set a database, for example: panoptes up --store postgres://panoptes@db/panoptes --bus nats://127.0.0.1:4222. Or remove --bus and team.bus.',
    })
  // Most homes have no bus and need not load its client.
  const { openBus } = await import('@panoptes/engine/bus')
  const warn = (text: string) => log.logger.warn(text)
  const { url, space } = place
  const mostBytes = config.team.bus_max_mb * 1_048_576
  return orFail(
    await openBus({ url: bus, space, store, readStoreId: storeIdReader(url, space), mostBytes, warn }),
  )
}

/** Warns about a bus that does not work; null if it works or there is none. */
export function busWarning(bus: Pick<BusStatus, 'where' | 'taking' | 'problem'> | undefined): string | null {
  if (bus === undefined || (bus.taking && bus.problem === null)) return null
  const why =
    bus.problem?.replace(' Try again in a moment.', '') ??
    `The bus${bus.where === undefined ? '' : ` at ${bus.where}`} has not answered yet.`
  return bus.taking
    ? `${why} Events wait in the bus until they can be stored.`
    : `${why} Until you fix this, the hub accepts no events and forwarders keep their events. Start NATS there with -js, or remove the bus.`
}

/** Checks the bus, if there is one. Only the space of the hub's own computer learns its address. */
export function busChecks(bus: Pick<Bus, 'health'> | undefined, isOfHome: boolean): readonly HealthCheck[] {
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
        detail: 'The hub cannot accept or store events. Forwarders keep their events until it can.',
        cause: isOfHome ? problem : 'The bus of this hub does not work. The operator of the hub can see why.',
        next: 'Fix the cause; Panoptes retries automatically.',
      },
    ]
  const copies = replicas === 1 ? 'stored on one server' : `stored on ${replicas} servers`
  const detail = `${copies}, ${waiting === 0 ? 'nothing is waiting' : `${plural(waiting, 'message')} waiting, the oldest for ${Math.ceil(lagMs / 1_000)} s`}`
  if (refused === 0) return [{ id, title, state: 'ok', detail, cause: null, next: null }]
  return [
    {
      id,
      title,
      state: 'warning',
      detail: `${detail}; ${plural(refused, 'event')} could not be stored`,
      cause: 'The store rejected them. The log lists them with the reason.',
      next: 'They stay for 30 days in the stream named in the log.',
    },
  ]
}
