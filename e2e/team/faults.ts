import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { Member } from './member.ts'

/** Something that happens to a fleet, and is over again when it resolves. */
type Fault = (fleet: Fleet, chance: () => number) => Promise<string>

const DOWN_MS = 1_500

const killed = async (member: Member, chance: () => number): Promise<string> => {
  await member.kill()
  await setTimeout(chance() * DOWN_MS)
  await member.start()
  return member.name
}

const one = <T>(from: readonly T[], chance: () => number): T => {
  const picked = from[Math.floor(chance() * from.length)]
  if (picked === undefined) throw new Error('there is nobody to pick')
  return picked
}

const FAULTS: Readonly<Record<string, Fault>> = {
  hub: ({ hubs }, chance) => killed(one(hubs, chance), chance),
  computer: ({ computers }, chance) => killed(one(computers, chance), chance),
  database: async ({ postgres }, chance) => {
    await postgres.kill()
    await setTimeout(chance() * DOWN_MS)
    await postgres.start()
    return 'database'
  },
  bus: async ({ nats }, chance) => {
    await nats?.kill()
    await setTimeout(chance() * DOWN_MS)
    await nats?.start()
    return 'bus'
  },
  cut: async ({ links, balancer }, chance) => {
    const link = one([...links, balancer], chance)
    link.cut()
    return 'link'
  },
  away: async ({ links, balancer }, chance) => {
    const link = one([...links, balancer], chance)
    link.set(false)
    await setTimeout(chance() * DOWN_MS)
    link.set(true)
    return 'link away'
  },
}

/** Hurts a fleet at random moments, one thing after the other, until it is told to stop; answers what it did. */
export async function hurt(
  fleet: Fleet,
  chance: () => number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const done: string[] = []
  const kinds = Object.keys(FAULTS).filter((kind) => kind !== 'bus' || fleet.nats !== undefined)
  while (!signal.aborted) {
    const fault = FAULTS[one(kinds, chance)]
    if (fault !== undefined) done.push(await fault(fleet, chance))
    await setTimeout(200 + chance() * 800)
  }
  return done
}
