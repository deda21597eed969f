import { readFileSync } from 'node:fs'
import type { Agent, StoredEvent } from '@panoptes/schema'
import { success } from '@panoptes/schema'
import { agentsProjection, MemoryRows, toAgent } from '../../store/projections/index.ts'
import { createCapture } from '../capture.ts'
import type { KeyedEvent } from '../hook.ts'
import { createClaudeCodeHooks } from './read.ts'

export type Payload = Readonly<Record<string, unknown>> & {
  readonly hook_event_name: string
  readonly session_id: string
  readonly agent_id?: string
  readonly tool_name?: string
  readonly tool_use_id?: string
}

export type Recording = 'parallel' | 'parallel-background' | 'files' | 'skill' | 'failure'

export const recording = (name: Recording): readonly Payload[] =>
  readFileSync(new URL(`../../../../../fixtures/claude-code/hooks/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Payload)

/** Derived events by the index of the payload they follow. */
export type Found = ReadonlyMap<number, readonly KeyedEvent[]>

/**
 * Processes payloads as the daemon does: captures each on arrival, `step` milliseconds apart, and drops keys
 * that are already stored.
 */
export function play(payloads: readonly Payload[], step = 1, found: Found = new Map()): Shown {
  const reader = createClaudeCodeHooks()
  const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()) })
  const rows = new MemoryRows(agentsProjection)
  const known = new Set<string>()
  let seq = 0
  payloads.forEach((payload, at) => {
    const captured = capture.hook(reader, JSON.stringify(payload), 1_000 + at * step)
    for (const event of [...captured, ...capture.found(found.get(at) ?? [])]) {
      if (known.has(event.key)) continue
      known.add(event.key)
      seq += 1
      agentsProjection.apply(rows, { ...event, seq } as StoredEvent)
    }
  })
  return shown(rows.entries().flatMap(([, row]) => toAgent(row) ?? []))
}

export type Shown = Readonly<Record<string, ReturnType<typeof face>>>

const face = (agent: Agent) => ({
  parent: agent.parent_id,
  type: agent.subagent_type,
  model: agent.model,
  state: agent.state,
  outcome: agent.outcome,
  tools: { ...agent.tool_counts },
  errors: agent.errors,
  background: agent.background,
})

const shown = (agents: readonly Agent[]): Shown =>
  Object.fromEntries(agents.map((agent) => [agent.id, face(agent)]))

const child = {
  parent: 'main',
  type: 'general-purpose',
  model: 'claude-opus-4-8[1m]',
  state: 'done',
  outcome: null,
  errors: 0,
  background: false,
} as const

const main = { ...child, parent: null, type: null, model: null }
const later = { ...child, model: 'claude-opus-5-5', background: true }

/** Describes what really happened in each recording. */
export const truth: Readonly<Record<Recording, Shown>> = {
  parallel: {
    main: { ...main, tools: { Agent: 3, Bash: 1 } },
    a74ba0b63b86e7795: { ...child, outcome: 'functional', tools: { Bash: 1, Read: 1 } },
    abc9b853760c2928d: { ...child, outcome: 'partial', tools: { Bash: 2 } },
    a24c5c34e7c1e50c6: {
      ...child,
      type: 'Explore',
      model: 'claude-haiku-4-5-20251001',
      tools: { Read: 1 },
      errors: 1,
    },
  },
  'parallel-background': {
    main: { ...main, tools: { Agent: 3, Bash: 1 } },
    aa1a62ca35682ff63: { ...later, outcome: 'functional', tools: { Bash: 1, Read: 1 } },
    ad93186ab38ab9d9f: { ...later, outcome: 'partial', tools: { Bash: 2 } },
    a71cbd041c2451fae: { ...later, type: 'Explore', tools: { Read: 1 }, errors: 1 },
  },
  files: { main: { ...main, tools: { Read: 1, Edit: 1, Write: 1 } } },
  skill: { main: { ...main, tools: { Skill: 1, Bash: 1 } } },
  failure: { main: { ...main, tools: { Bash: 1, Read: 1 }, errors: 2 } },
}
