import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import { createHermesHooks } from './read.ts'

/** Recordings of a real Hermes, each with what really happened. */
const RECORDINGS = join(import.meta.dirname, '..', '..', '..', '..', '..', 'fixtures', 'hermes')

interface Payload {
  readonly at: number
  readonly payload: {
    readonly hook_event_name: string
    readonly session_id: string
    readonly extra: Record<string, unknown>
  }
}

interface Truth {
  readonly expected: Readonly<Record<string, Expected>>
}

interface Expected {
  /** Names the agents of the recording, for example "main > sa-0-… (session …), sa-1-… (session …)". */
  readonly tree?: string
  /** Lists failed calls, for example "failed calls: one of sa-1, one of main, …". */
  readonly terminal_exit_5?: string
  readonly tokens?: Readonly<Record<string, Readonly<Record<'input' | 'cache_read' | 'output', number>>>>
  readonly waiting?: string
}

const NAMES = readdirSync(RECORDINGS).filter((name) => name.endsWith('-hooks'))
const read = (name: string) => {
  const text = (file: string) => readFileSync(join(RECORDINGS, name, file), 'utf8')
  const payloads = text('hooks.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Payload)
  return { payloads, truth: JSON.parse(text('truth.json')) as Truth }
}

let bench: Bench
beforeEach(async () => {
  bench = await openBench()
})
afterEach(() => bench.end())

/** Sends payloads in this order, each at its own time, and returns the resulting agents. */
async function tell(payloads: readonly Payload[]): Promise<readonly Agent[]> {
  const intake = bench.intake()
  const reader = createHermesHooks()
  for (const { at, payload } of payloads)
    unwrap(await intake.append(intake.capture.hook(reader, JSON.stringify(payload), at)))
  return unwrap(await bench.store.agents({ source: 'hermes', limit: 100 })).value
}

function expectTruth(agents: readonly Agent[], truth: Truth): void {
  expect(agents.map((agent) => agent.session_id).sort()).toEqual(
    Object.entries(truth.expected)
      .flatMap(([session, { tree = 'main' }]) =>
        (tree.match(/\b(?:main|sa-[\w-]+)/g) ?? []).map(() => session),
      )
      .sort(),
  )
  for (const [session, { tree = 'main', terminal_exit_5: failed = '', tokens = {} }] of Object.entries(
    truth.expected,
  )) {
    const own = agents.filter((agent) => agent.session_id === session)
    expect(own.map(({ id }) => id).sort()).toEqual((tree.match(/\b(?:main|sa-[\w-]+)/g) ?? []).sort())
    for (const { id, parent_id, errors, usage } of own) {
      expect(parent_id, id).toBe(id === 'main' ? null : 'main')
      const name = id.replace(/^(sa-\d+)-.*/, '$1')
      expect(errors, `${id} of ${session}`).toBe(failed.split(`one of ${name}`).length - 1)
      if (tokens[name]) expect(usage, id).toMatchObject(tokens[name])
    }
  }
}

/** Returns the same numbers for the same seed on every machine. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<T>(all: readonly T[], seed: number): readonly T[] {
  const random = randomOf(seed)
  return all
    .map((each) => ({ each, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each)
}

/** Keeps the order within each session and mixes sessions randomly. */
function interleaved(payloads: readonly Payload[], seed: number): readonly Payload[] {
  const keyOf = ({ payload }: Payload) => payload.session_id || String(payload.extra.session_key)
  const queues = Map.groupBy(payloads, keyOf)
  return shuffled(payloads, seed).flatMap((each) => queues.get(keyOf(each))?.shift() ?? [])
}

const twice = (payloads: readonly Payload[]) => payloads.flatMap((each) => [each, each])
const COUNTED = ({ id, session_id, parent_id, tool_counts, tool_errors, usage }: Agent) => ({
  ...{ id, session_id, parent_id, tool_counts, tool_errors, usage },
})
const counted = (agents: readonly Agent[]) =>
  agents.map(COUNTED).toSorted((a, b) => `${a.session_id}${a.id}`.localeCompare(`${b.session_id}${b.id}`))

describe.each(NAMES)('the recording %s', (name) => {
  const { payloads, truth } = read(name)

  it.each([
    ['in the order it was made', payloads],
    ['with everything twice', twice(payloads)],
  ])('shows what really happened: %s', async (_how, told) => {
    const agents = await tell(told)
    expectTruth(agents, truth)
    expect(agents.map(({ state, outcome }) => [state, outcome])).toEqual(agents.map(() => ['done', null]))
    const sub_agents = agents.filter(({ parent_id }) => parent_id !== null).length
    expect(unwrap(await bench.store.counters()).value).toMatchObject({
      agents_spawned: sub_agents,
      agents_done: sub_agents,
      agents_failed: 0,
    })
  })

  it.each([1, 2, 3])(
    'shows what really happened when payloads are duplicated and reordered (seed %i)',
    async (seed) => {
      const agents = await tell(shuffled(twice(payloads), seed))
      expectTruth(agents, truth)
      await bench.end()
      bench = await openBench()
      expect(counted(agents)).toEqual(counted(await tell(payloads)))
    },
  )

  it.each([1, 2, 3])(
    'leaves no agent working when each session keeps its own order (seed %i)',
    async (seed) => {
      const agents = await tell(interleaved(payloads, seed))
      expectTruth(agents, truth)
      expect(agents.filter(({ state }) => state !== 'done')).toEqual([])
    },
  )

  it('never shows a main agent as done while one of its sub-agents works', async () => {
    const intake = bench.intake()
    const reader = createHermesHooks()
    let both = 0
    for (const { at, payload } of twice(payloads)) {
      unwrap(await intake.append(intake.capture.hook(reader, JSON.stringify(payload), at)))
      const { value: agents } = unwrap(await bench.store.agents({ source: 'hermes', limit: 100 }))
      const working = agents.filter(({ parent_id, state }) => parent_id === 'main' && state === 'working')
      for (const { session_id } of working) {
        const main = agents.find((agent) => agent.session_id === session_id && agent.id === 'main')
        expect(main?.state, `${payload.hook_event_name} at ${at}`).toBe('working')
        both += 1
      }
    }
    expect(both).toBeGreaterThan(0)
  })

  it('shows an approval as waiting until its answer and does not count a denied call as a failure', async () => {
    const request = payloads.findIndex(({ payload }) => payload.hook_event_name === 'pre_approval_request')
    const answered = payloads.findIndex(({ payload }) => payload.hook_event_name === 'post_approval_response')
    const session = String(payloads[request]?.payload.extra.session_key)
    const mainAt = async (end: number) => {
      const agents = await tell(payloads.slice(0, end))
      return agents.find((agent) => agent.session_id === session)
    }
    expect(truth.expected[session]?.waiting).toContain('pre_approval_request')
    expect(request).toBeGreaterThan(0)
    expect((await mainAt(request))?.state).toBe('working')
    expect(await mainAt(request + 1)).toMatchObject({
      state: 'waiting',
      wait_reason: 'allow delete in root path?',
      wait_since: payloads[request]?.at,
    })
    expect((await mainAt(answered))?.state).toBe('waiting')
    expect(await mainAt(answered + 1)).toMatchObject({ state: 'working', doing: null })
    expect(await mainAt(payloads.length)).toMatchObject({ errors: 0, tool_counts: { terminal: 1 } })
    const stats = unwrap(await bench.store.tools()).value.find(({ tool }) => tool === 'terminal')
    const failed = Object.values(truth.expected).flatMap(
      ({ terminal_exit_5: said = '' }) => said.match(/one of /g) ?? [],
    )
    expect(stats?.errors).toBe(failed.length)
  })
})
