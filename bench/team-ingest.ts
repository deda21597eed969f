import { setTimeout } from 'node:timers/promises'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import type { Row } from './report.ts'
import { interleaved, round } from './statistics.ts'
import { appended, floor } from './team-baseline.ts'
import { startTeam, type Team, type Under } from './team-hubs.ts'

const BATCH = 1_000
/** The number of computers that forward at the same time, each with one batch in flight. */
const SENDERS = 4

export interface Ingested {
  readonly rows: readonly Row[]
  /** The append rate of the store as a share of the floor. */
  readonly share: number
  /** Events per second over HTTP, without and with the bus. */
  readonly posted: { readonly alone: number; readonly bus: number }
}

/** Measures how many events per second are stored, compared with the floor. */
export async function ingest(under: Under, quick: boolean): Promise<Ingested> {
  const count = quick ? 2_000 : 30_000
  const events = [...generateNewEvents({ seed: 3, events: count })]
  const alone = await startTeam(under, 1, false)
  const bus = await startTeam(under, 1, true)
  try {
    const seconds = await interleaved(quick ? 1 : 5, {
      floor: () => floor(under.postgres, events, BATCH),
      ledger: () => appended(under.postgres, events, BATCH),
      alone: () => posted(alone, events),
      bus: () => posted(bus, events),
    })
    const row = (what: string, took: number): Row => ({
      what,
      'events/s': Math.round(count / took),
      'of the floor': round(seconds.floor / took),
    })
    return {
      rows: [
        row('floor: COPY and one upsert, the same tables and indexes', seconds.floor),
        row('ledger.append', seconds.ledger),
        row('POST /events to one hub', seconds.alone),
        row('POST /events to one hub with a bus, until it is in the ledger', seconds.bus),
      ],
      share: round(seconds.floor / seconds.ledger),
      posted: { alone: Math.round(count / seconds.alone), bus: Math.round(count / seconds.bus) },
    }
  } finally {
    await Promise.all([alone.stop(), bus.stop()])
  }
}

let turns = 0

/** Returns the seconds until all events are in the store. */
async function posted(team: Team, events: readonly NewEvent[]): Promise<number> {
  const [hub] = team.hubs
  if (hub === undefined) throw new Error('there is no hub')
  turns += 1
  const bodies: string[] = []
  for (let at = 0; at < events.length; at += BATCH)
    bodies.push(
      events
        .slice(at, at + BATCH)
        .map((event) => JSON.stringify({ ...event, key: `${event.key}#${turns}` }))
        .join('\n'),
    )
  const end = (await team.head()) + events.length
  const start = performance.now()
  const send = async () => {
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) await hub.post(body)
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  while ((await team.head()) < end) await setTimeout(5)
  return (performance.now() - start) / 1_000
}
