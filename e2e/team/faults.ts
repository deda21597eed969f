import { setTimeout } from 'node:timers/promises'
import { randomFrom } from '../crash.ts'
import type { Link } from './breakable-link.ts'
import type { Fleet } from './fleet.ts'

/** A fault that was injected, with its start and end in seconds since the first. */
export interface Hurt {
  readonly what: string
  readonly from: number
  readonly to: number
}

/** A part of a fleet that faults can hit, one at a time. */
interface Target {
  readonly name: string
  /** The possible faults by name; each resolves when it is over. */
  readonly ways: Readonly<Record<string, (chance: Chance) => Promise<void>>>
}

type Chance = () => number

const DOWN_MS = 1_500
/** A silence up to this long makes some clients time out. */
const SILENT_MS = 9_000
const PAUSE_MS = 2_000

/** The number of independent loops that inject faults. */
const HURTERS = 3

/**
 * Injects faults into a fleet at random moments, several at once, until it is stopped, and returns them. The same
 * seed causes the same faults.
 */
export async function hurt(fleet: Fleet, seed: number, signal: AbortSignal): Promise<readonly Hurt[]> {
  const kinds = targetsOf(fleet)
  const busy = new Set<Target>()
  const done: Hurt[] = []
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const hurter = async (chance: Chance): Promise<void> => {
    while (!signal.aborted) {
      const target = one(one(kinds, chance), chance)
      const [name, way] = one(Object.entries(target.ways), chance)
      if (!busy.has(target)) {
        busy.add(target)
        const from = seconds()
        await way(chance)
        done.push({ what: `${target.name} ${name}`, from, to: seconds() })
        busy.delete(target)
      }
      await setTimeout(chance() * PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: HURTERS }, (_, n) => hurter(randomFrom(seed * HURTERS + n))))
  return done.sort((a, b) => a.from - b.from)
}

/** Counts the faults that overlapped with another one. */
export const together = (all: readonly Hurt[]): number =>
  all.filter((each) => all.some((other) => other !== each && other.from < each.to && each.from < other.to))
    .length

/** Groups the targets by kind, so that faults hit the single database as often as all computers together. */
function targetsOf(fleet: Fleet): readonly (readonly Target[])[] {
  const { hubs, computers, postgres, nats, toDatabase, toBus, links, balancer } = fleet
  const kinds = [
    hubs.map(({ name, kill, start }) => mortal(name, kill, start)),
    computers.map(({ name, kill, start }) => mortal(name, kill, start)),
    [mortal('database', postgres.kill, postgres.start)],
    nats === undefined ? [] : [mortal('bus', nats.kill, nats.start)],
    toDatabase.map((link, n) => breakable(`hub-${n} to database`, link)),
    toBus.map((link, n) => breakable(`hub-${n} to bus`, link)),
    links.map((link, n) => breakable(`computer-${n} to hubs`, link)),
    [breakable('viewers to hubs', balancer)],
  ]
  return kinds.filter((kind) => kind.length > 0)
}

const mortal = (name: string, kill: () => Promise<void>, start: () => Promise<void>): Target => ({
  name,
  ways: {
    killed: async (chance) => {
      await kill()
      await setTimeout(chance() * DOWN_MS)
      await start()
    },
  },
})

const breakable = (name: string, link: Link): Target => ({
  name,
  ways: {
    cut: async () => link.cut(),
    away: async (chance) => {
      link.set(false)
      await setTimeout(chance() * DOWN_MS)
      link.set(true)
    },
    'silent, then late': (chance) => silent(link, 'late', chance),
    'silent, then dead': (chance) => silent(link, 'dead', chance),
  },
})

async function silent(link: Link, then: 'late' | 'dead', chance: Chance): Promise<void> {
  const speak = link.hush()
  await setTimeout(chance() ** 2 * SILENT_MS)
  speak(then)
}

function one<T>(from: readonly T[], chance: Chance): T {
  const picked = from[Math.floor(chance() * from.length)]
  if (picked === undefined) throw new Error('there is nothing to pick')
  return picked
}
