import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { NewEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { type Deed, day, openLab, refuse, startHub, until } from './forward.test-kit.ts'

const CHILD = fileURLToPath(new URL('./crash.child.ts', import.meta.url))
const EVENTS = 12_000
const SEED = 20_261_116
const KILLS = 5

/** Creates a small seeded generator, so that a run can be repeated. */
function chanceFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

it(`forwards every event in order with its own key, wherever the forwarder was killed (seed ${SEED})`, async () => {
  const chance = chanceFrom(SEED)
  const lab = await openLab()
  await lab.store.close()
  const hub = await startHub()
  // A hub that is busy, drops the connection, or drops it after it accepted everything.
  const moody: Deed = ({ lines }, answer) => {
    const mood = chance()
    if (mood < 0.1) return refuse(answer, 503, 'busy')
    if (mood < 0.2) return answer.destroy()
    if (mood > 0.3) return 'take'
    hub.taken.push(...lines.map((line) => JSON.parse(line) as NewEvent))
    return answer.destroy()
  }
  hub.always = moody
  const live = async () => {
    const child = spawn(process.execPath, [CHILD, lab.file, hub.to, String(EVENTS), '5'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), ended])
    return async () => {
      child.kill('SIGKILL')
      await ended
    }
  }
  for (let number = 0; number < KILLS; number += 1) {
    const kill = await live()
    const { length } = hub.requests
    const many = chance() * 4
    await until(() => hub.requests.length >= length + many, 'some requests')
    await sleep(chance() * 20)
    await kill()
  }
  const events = day(EVENTS, 5)
  const before = hub.keys().length
  const kill = await live()
  await until(() => hub.keys().length >= EVENTS, 'every event', 150_000)
  await kill()
  expect(before).toBeGreaterThan(0)
  // Each key first arrived in log order, and every repetition was identical.
  expect(hub.keys()).toEqual(events.map(({ key }) => key))
  const first = new Map<string, string>()
  for (const each of hub.taken) {
    const text = JSON.stringify(each)
    expect(first.get(each.key) ?? text).toBe(text)
    first.set(each.key, text)
  }
  await hub.close()
  await lab.end()
})
