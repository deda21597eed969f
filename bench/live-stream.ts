import { setTimeout as sleep } from 'node:timers/promises'
import { generateDay } from '@panoptes/engine/demo'
import { type Listener, listenTen, markedLine, openEmitter, type Target } from './live-target.ts'
import { quantile } from './statistics.ts'

const LINES_A_WRITE = 100
const LIMIT_MS = 60_000

/** Creates lines that never repeat, because duplicate events are not stored. */
export function lineSource(seed: number): (count: number) => string[] {
  const day = generateDay({ seed, events: Number.MAX_SAFE_INTEGER, start: Date.now() - 86_400_000 })
  return (count) =>
    Array.from({ length: count }, () => {
      const next = day.next()
      if (next.done) throw new Error('The day is over')
      return markedLine(next.value, '0')
    })
}

/** Returns the events per second from the first append until every client has the last event. */
export async function rate(
  target: Target,
  listeners: readonly Listener[],
  lines: readonly string[],
): Promise<number> {
  const emitter = openEmitter(target)
  const goals = listeners.map((listener) => listener.seen() + lines.length)
  const writes: string[] = []
  for (let at = 0; at < lines.length; at += LINES_A_WRITE) {
    writes.push(lines.slice(at, at + LINES_A_WRITE).join(''))
  }
  const start = performance.now()
  for (const text of writes) emitter.write(text)
  const reached = () => listeners.every((listener, n) => listener.seen() >= (goals[n] ?? 0))
  while (!reached()) {
    if (performance.now() - start > LIMIT_MS) throw new Error('Not all events were delivered within a minute')
    await sleep(1)
  }
  const seconds = (performance.now() - start) / 1_000
  emitter.close()
  return lines.length / seconds
}

export interface Delays {
  readonly p50_ms: number
  readonly p99_ms: number
  readonly all: readonly number[]
}

/** Measures the delay from each append to each of ten clients, at an even pace. */
export async function delays(target: Target, perSecond: number, seconds: number): Promise<Delays> {
  const measured: number[] = []
  const listeners = await listenTen(target, (mark) => measured.push(performance.now() - Number(mark)))
  const emitter = openEmitter(target)
  const events = generateDay({ seed: Math.floor(performance.now()), start: Date.now(), events: 1_000_000 })
  const wanted = perSecond * seconds
  const start = performance.now()
  for (let given = 0; given < wanted; ) {
    const due = Math.min(wanted, Math.floor(((performance.now() - start) * perSecond) / 1_000) + 1)
    for (; given < due; given += 1) {
      const event = { ...events.next().value, ts: Date.now() }
      emitter.write(markedLine(event, `${performance.now()}`))
    }
    await sleep(1_000 / perSecond)
  }
  const limit = performance.now() + 5_000
  while (measured.length < wanted * listeners.length && performance.now() < limit) await sleep(5)
  emitter.close()
  for (const listener of listeners) listener.close()
  return { p50_ms: quantile(measured, 0.5), p99_ms: quantile(measured, 0.99), all: measured }
}
