import { readFileSync } from 'node:fs'
import type { Agent, StoredEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentsProjection, MemoryRows, shownAgent } from '../../ledger/projections/index.ts'
import { claudeCodeHooks } from './read.ts'

type Payload = Readonly<Record<string, unknown>> & {
  hook_event_name: string
  session_id: string
  agent_id?: string
}

const recording = (name: string): readonly Payload[] =>
  readFileSync(new URL(`../../../../../fixtures/claude-code/hooks/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Payload)

/** As the daemon would: one after the other, a millisecond apart, each thing once. */
function play(payloads: readonly Payload[]): readonly Agent[] {
  const rows = new MemoryRows(agentsProjection)
  const seen = new Set<string>()
  let seq = 0
  payloads.forEach((payload, at) => {
    const read = claudeCodeHooks.read(payload)
    if ('problem' in read) throw new Error(read.problem)
    for (const { key, ...event } of read.events) {
      const identity = key ?? JSON.stringify(event)
      if (seen.has(identity)) continue
      seen.add(identity)
      agentsProjection.apply(rows, {
        v: 1,
        key: identity,
        seq: ++seq,
        ts: 1_000 + at,
        host: 'h',
        ...event,
      } as StoredEvent)
    }
  })
  return rows.entries().flatMap(([, row]) => shownAgent(row) ?? [])
}

const seen = (agents: readonly Agent[]) =>
  Object.fromEntries(
    agents.map(({ id, parent_id, subagent_type, model, state, outcome, tool_counts, errors, background }) => [
      id,
      {
        parent_id,
        subagent_type,
        model,
        state,
        outcome,
        tool_counts: { ...tool_counts },
        errors,
        background,
      },
    ]),
  )

describe('recordings', () => {
  for (const name of ['parallel', 'parallel-background', 'files', 'skill', 'failure'])
    it(name, () => {
      console.log(name, JSON.stringify(seen(play(recording(name))), null, 1))
    })

  const owner = (payload: Payload): string => payload.agent_id ?? 'main'
  const shuffled = (payloads: readonly Payload[]) =>
    fc.infiniteStream(fc.nat()).map((dice) => {
      const queues = new Map<string, Payload[]>()
      for (const p of payloads) queues.set(owner(p), [...(queues.get(owner(p)) ?? []), p])
      const out: Payload[] = []
      while (queues.size > 0) {
        const keys = [...queues.keys()]
        const key = keys[(dice.next().value as number) % keys.length] as string
        const queue = queues.get(key) as Payload[]
        out.push(queue.shift() as Payload)
        if (queue.length === 0) queues.delete(key)
      }
      return out
    })
  for (const name of ['parallel', 'parallel-background'])
    it(`${name} in any interleaving`, () => {
      const expected = seen(play(recording(name)))
      fc.assert(
        fc.property(shuffled(recording(name)), (payloads) => {
          expect(seen(play(payloads))).toEqual(expected)
        }),
        { numRuns: 200 },
      )
    })
  for (const name of ['parallel', 'parallel-background', 'failure', 'skill'])
    it(`${name} doubled`, () => {
      const expected = seen(play(recording(name)))
      expect(seen(play(recording(name).flatMap((p) => [p, p])))).toEqual(expected)
      expect(seen(play([...recording(name), ...recording(name)]))).toEqual(expected)
    })
  for (const name of ['parallel', 'parallel-background'])
    it(`${name} with a kind missing`, () => {
      const whole = seen(play(recording(name)))
      for (const kind of new Set(recording(name).map((p) => p.hook_event_name))) {
        const part = seen(play(recording(name).filter((p) => p.hook_event_name !== kind)))
        console.log(kind, JSON.stringify(part) === JSON.stringify(whole) ? 'same' : JSON.stringify(part))
      }
    })
})
