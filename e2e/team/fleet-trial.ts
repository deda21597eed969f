import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openStore } from '@panoptes/engine/store'
import { type Hurt, hurt } from './faults.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { openViewer, type Sight, type Viewer } from './page.ts'
import { type Screen, watchScreen } from './stream-watcher.ts'
import { AT_ONCE, checkStories, storyOf } from './workload.ts'

export interface TrialOptions extends FleetOptions {
  readonly events: number
  readonly seed: number
  /** How long everything may take to arrive after the last fault. */
  readonly patienceMs: number
}

export interface TrialSummary {
  /** Story events in each store and on each screen. */
  readonly told: number
  readonly screens: readonly { readonly events: number; readonly faults: readonly string[] }[]
  /** How many events the store has, with those of Panoptes itself. */
  readonly stored: number
  /** The page of a viewer who had it open during the whole trial. */
  readonly page: Sight & { readonly faults: readonly string[] }
  /** Processes that ended without being killed. */
  readonly deaths: readonly string[]
  readonly hurt: readonly Hurt[]
  readonly seconds: number
}

/** Events per second in total, spread over time. */
const PACE = 3_000
const LEAST_MS = 30_000

/**
 * Lets agents on many computers send events while hubs, computers, the database, the bus and the connections
 * between them are killed and cut at random, several at once. In the end every viewer must have seen every event.
 */
export async function tryFleet(options: TrialOptions): Promise<TrialSummary> {
  const { events, seed, computers, hubs, patienceMs } = options
  const began = performance.now()
  const fleet = await startFleet(options)
  const screens: Screen[] = []
  let viewer: Viewer | undefined
  const stop = new AbortController()
  try {
    viewer = await openViewer(fleet.balancer.address, fleet.viewer)
    for (let n = 0; n < hubs; n += 1) screens.push(watchScreen(() => fleet.balancer.address, fleet.viewer))
    const each = Math.floor(events / computers)
    const stories = fleet.computers.map(({ home }, n) =>
      storyOf(join(home.panoptes, 'events.jsonl'), n, each),
    )
    const between = Math.max(LEAST_MS, (events / PACE) * 1_000) / Math.ceil(each / AT_ONCE)
    const telling = Promise.all(
      stories.map(async ({ tell }) => {
        while ((await tell()) > 0) await setTimeout(between)
      }),
    )
    const [done] = await Promise.all([hurt(fleet, seed, stop.signal), telling.finally(() => stop.abort())])
    const told = each * computers
    const end = performance.now() + patienceMs
    await until(end, () => screens.every((screen) => isSeen(screen, told)))
    const { stored, sight } = await lookTogether(end, fleet, viewer)
    return {
      told,
      stored,
      hurt: done,
      deaths: [...fleet.hubs, ...fleet.computers].flatMap((member) => member.deaths()),
      screens: screens.map((screen) => {
        const heard = checkStories(screen.keys())
        return { events: heard.events, faults: [...screen.faults(), ...heard.faults] }
      }),
      page: { ...sight, faults: viewer.faults() },
      seconds: (performance.now() - began) / 1_000,
    }
  } finally {
    stop.abort()
    for (const screen of screens) screen.close()
    await viewer?.close()
    await fleet.close()
  }
}

const isSeen = (screen: Screen, told: number): boolean =>
  screen.seen() >= told && checkStories(screen.keys()).events >= told

async function until(end: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (performance.now() < end && !(await isSo())) await setTimeout(500)
}

/** Polls until the page agrees with the store, to which Panoptes itself may still add events. */
async function lookTogether(
  end: number,
  fleet: Fleet,
  viewer: Viewer,
): Promise<{ readonly stored: number; readonly sight: Sight }> {
  const opened = await openStore({ kind: 'postgres', url: fleet.postgres.url, space: 'main' })
  if (!opened.ok) throw new Error(opened.message)
  const look = async () => {
    const sight = await viewer.sees()
    const head = await opened.value.head()
    if (!head.ok) throw new Error(head.message)
    return { stored: head.value.last, sight }
  }
  try {
    let seen = await look()
    await until(end, async () => {
      seen = await look()
      return isWhole(seen.sight, seen.stored)
    })
    return seen
  } finally {
    await opened.value.close()
  }
}

const isWhole = ({ stored, listed, newest, empty }: Sight, events: number): boolean =>
  stored === events && listed === events && newest === events && empty === 0
