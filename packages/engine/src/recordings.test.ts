import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accounted,
  type BySession,
  type Deeds,
  openRecording,
  ordersOf,
  play,
  type Recording,
  recordings,
  truthOf,
} from './recordings.test-kit.ts'

/**
 * Holds facts that `truth.json` states only in prose, or that the client wrote to no file. Agents without an
 * entry ended on their own.
 */
interface Prose {
  /** Maps agents to how they ended. `alive` lists those that still work when the recording ends. */
  readonly outcomes?: Readonly<Record<string, string>>
  readonly alive?: readonly string[]
  /** Maps each fork to the session that it was forked from. */
  readonly forks?: Readonly<Record<string, string>>
  /** Replies that the client requested in the name of an agent and that no transcript contains. */
  readonly unwritten?: Readonly<Record<string, Omit<Deeds, 'calls'>>>
  /**
   * Failed calls by agent and tool. `refused` contains those that the client refused, which no hook reports.
   */
  readonly failed?: CallsByAgent
  readonly refused?: CallsByAgent
}
type Calls = Readonly<Record<string, number>>
type CallsByAgent = Readonly<Record<string, Calls>>

const PROSE: Readonly<Record<string, Prose>> = {
  'agent-resumed-twice-327': {
    outcomes: { a7d457e954882800b: 'functional' },
    failed: { a7d457e954882800b: { Bash: 1 } },
  },
  // A rule, a hook and a person each deny a call. Then the client refuses two calls, one call fails and one
  // succeeds.
  'denials-327': {
    failed: { main: { Nope: 1, Read: 1, Bash: 1 } },
    refused: { main: { Nope: 1, Read: 1 } },
  },
  'fork-during-a-call-327': {
    forks: { '3199a59b-99da-4a1f-8ebc-37938c95a5b0': '2d480f6d-278c-49e8-a65d-a064fa382f25' },
  },
  'fork-of-a-fork-327': {
    forks: {
      '014c78fe-12fc-48cb-96c4-aba08e24177c': '4e9372e7-dcb1-46c9-9e61-854bbbb9482d',
      '8a0947a8-6891-4ce1-9381-c55b58ab3857': '4e9372e7-dcb1-46c9-9e61-854bbbb9482d',
      'c8d2ae95-f064-480b-a4cf-c001fd1c0c65': '014c78fe-12fc-48cb-96c4-aba08e24177c',
    },
  },
  'fork-within-a-minute-326': {
    forks: { '500eb7d0-16fe-4c8d-9c99-ad5fc220cbd6': '0d4e9666-236c-44cf-b0e9-ab1f92a4cc65' },
  },
  'interrupts-326': { outcomes: { a2bbbbae7a38ca9c4: 'stopped' } },
  'plan-and-resumed-agent-326': { outcomes: { a3113f65b66cddb88: 'functional' } },
  'summariser-stop-failure-326': {
    alive: ['main', 'aaa9d82a493c25657'],
    unwritten: {
      a350b32a000d6d06f: {
        tokens: { input: 2_002, output: 22, cache_read: 200, cache_write: 6 },
        micro_usd: 8_530,
      },
    },
  },
}

const SEEDS = 4
const NO_TOKENS = { input: 0, output: 0, cache_read: 0, cache_write: 0 }

describe.each(recordings())('%s', (name) => {
  const truth = truthOf(name)
  const {
    outcomes = {},
    alive = [],
    forks = {},
    unwritten = {},
    failed = {},
    refused = {},
  } = PROSE[name] ?? {}
  let recording: Recording
  beforeAll(async () => {
    recording = await openRecording(name)
  })
  afterAll(() => expect(Object.keys(PROSE)).toEqual(recordings()))

  /** Returns what every module has to show of every agent. */
  const expected = (tell: (deeds: Deeds, id: string) => object): BySession<object> =>
    each(truth, (agents) =>
      each(agents, (deeds, id) => ({
        parent: id === 'main' ? null : 'main',
        calls: deeds.calls,
        errors: total(failed[id] ?? {}),
        ...tell(deeds, id),
      })),
    )
  const written = ({ tokens }: Deeds, id: string) => less(tokens, unwritten[id]?.tokens ?? NO_TOKENS)
  const money = ({ micro_usd }: Deeds, id: string) => micro_usd - (unwritten[id]?.micro_usd ?? 0)
  /**
   * Sessions shows only forced ends, because a marker is part of an agent's text there and is not evaluated.
   */
  const forced = (id: string) => (outcomes[id] === 'stopped' ? 'stopped' : null)

  it('shows in Sessions what really happened', () => {
    expect(recording.sessions).toEqual(
      expected((deeds, id) => ({
        tokens: written(deeds, id),
        micro_usd: expect.anything(),
        outcome: forced(id),
      })),
    )
    expect(recording.parents).toEqual(each(truth, (_, session) => forks[session] ?? null))
  })

  it('shows in the Ledger what really happened, to the micro-dollar', () => {
    const accounts = Object.fromEntries(recording.accounts.map((one) => [one.session_id, accounted(one)]))
    expect(accounts).toEqual(
      expected((deeds, id) => ({
        tokens: written(deeds, id),
        micro_usd: money(deeds, id),
        outcome: outcomes[id] ?? null,
      })),
    )
  })

  it('shows what really happened on Live, in the Ledger and in the stats, in any order of reports', () => {
    const states = each(truth, (agents) => each(agents, (_, id) => (alive.includes(id) ? 'working' : 'done')))
    for (const [order, tellings] of Object.entries(ordersOf(recording, SEEDS))) {
      const isWritten = !order.startsWith('hooks alone') && !order.startsWith('hooks shuffled')
      const paid = isWritten ? money : () => null
      const told = expected((deeds, id) => ({
        tokens: isWritten ? written(deeds, id) : NO_TOKENS,
        micro_usd: paid(deeds, id),
        outcome: outcomes[id] ?? null,
        ...(isWritten ? {} : heardBy(deeds, id)),
      }))
      const { live, states: seen, log, tools, counters } = play(tellings)
      expect(live, `Live by ${order}`).toEqual(told)
      expect(seen, `states by ${order}`).toEqual(states)
      expect(log, `the Ledger by ${order}`).toEqual(told)
      const untold = isWritten ? {} : sumOf(Object.values(refused))
      const calls = without(callsIn(truth), untold)
      const errors = without(sumOf(Object.values(failed)), untold)
      expect(tools, `stats by ${order}`).toEqual(
        each(calls, (count, tool) => ({ calls: count, errors: errors[tool] ?? 0 })),
      )
      expect(counters, `counters by ${order}`).toEqual({ calls: total(calls), errors: total(errors) })
    }
  })

  it('shows no agent as stopped that was not, in whatever order single hooks arrive', () => {
    const hooks = [...recording.hooks, ...recording.hooks]
    const apart = hooks.map((each, at) => ({ ...each, queue: `${at}` }))
    for (const [order, tellings] of Object.entries(ordersOf({ hooks: apart, transcripts: [] }, SEEDS))) {
      const stopped = Object.values(play(tellings).live).flatMap((agents) =>
        Object.entries(agents).flatMap(([id, { outcome }]) => (outcome === 'stopped' ? [id] : [])),
      )
      for (const id of stopped) expect(outcomes[id], `${id} by ${order}`).toBe('stopped')
    }
  })

  it('never shows a main agent as done while one of its sub-agents works', () => {
    const { hooks, transcripts } = recording
    const byTime = [...hooks, ...transcripts].toSorted((a, b) => a.ts - b.ts)
    for (const order of [hooks, byTime, transcripts.toSorted((a, b) => a.ts - b.ts)]) {
      play(order, (states, told) => {
        for (const { main, ...others } of Object.values(states))
          if (main === 'done') expect(Object.values(others), `after ${told}`).not.toContain('working')
      })
    }
  })

  /** Returns the calls and failures of an agent that hooks alone report. */
  function heardBy({ calls }: Deeds, id: string): object {
    const untold = refused[id] ?? {}
    return { calls: without(calls, untold), errors: total(without(failed[id] ?? {}, untold)) }
  }
})

const each = <T, R>(
  of: Readonly<Record<string, T>>,
  tell: (value: T, name: string) => R,
): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, tell(value, name)]))

const less = (one: Deeds['tokens'], other: Deeds['tokens']): Deeds['tokens'] => ({
  input: one.input - other.input,
  output: one.output - other.output,
  cache_read: one.cache_read - other.cache_read,
  cache_write: one.cache_write - other.cache_write,
})

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const callsIn = (truth: BySession<Deeds>): Calls =>
  sumOf(Object.values(truth).flatMap((agents) => Object.values(agents).map(({ calls }) => calls)))

function sumOf(all: readonly Calls[]): Calls {
  const sum: Record<string, number> = {}
  for (const calls of all)
    for (const [tool, count] of Object.entries(calls)) sum[tool] = (sum[tool] ?? 0) + count
  return sum
}

/** Subtracts calls and drops tools for which none are left. */
const without = (calls: Calls, others: Calls): Calls =>
  Object.fromEntries(
    Object.entries(calls)
      .map(([tool, count]) => [tool, count - (others[tool] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  )
