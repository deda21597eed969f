import type { Agent } from '@panoptes/schema'
import { expect } from 'vitest'
import type { Daemon } from '../daemon.ts'

/** An agent as a test expects it, named by the mark in its prompt instead of its random id. */
export interface Seen {
  readonly agent: string
  readonly under: string | null
  readonly state: string
  readonly outcome: string | null
  readonly tools: Readonly<Record<string, number>>
  readonly errors: number
  readonly background: boolean
}

/** A finished agent without calls, unless `more` says otherwise. */
export const seen = (agent: string, more: Partial<Seen> = {}): Seen => ({
  agent,
  under: agent === 'main' ? null : 'main',
  state: 'done',
  outcome: null,
  tools: {},
  errors: 0,
  background: false,
  ...more,
})

export async function agentsOf(daemon: Daemon, session?: string): Promise<readonly Agent[]> {
  const answer = await daemon.request(`/api/agents${session ? `?session=${session}` : ''}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as readonly Agent[]
}

/** The tree of a session, sorted by name. */
export function treeOf(agents: readonly Agent[]): readonly Seen[] {
  const names = new Map(agents.map((agent) => [agent.id, nameOf(agent)]))
  return agents
    .map((agent) => ({
      agent: nameOf(agent),
      under: agent.parent_id === null ? null : (names.get(agent.parent_id) ?? agent.parent_id),
      state: agent.state,
      outcome: agent.outcome,
      tools: agent.tool_counts,
      errors: agent.errors,
      background: agent.background,
    }))
    .sort((a, b) => a.agent.localeCompare(b.agent))
}

const nameOf = ({ id, prompt_preview }: Agent): string =>
  id === 'main' ? 'main' : (/\[\[([a-z0-9-]+)\]\]/.exec(prompt_preview ?? '')?.[1] ?? id)

/** Polls until the tree is as expected, then asserts it. */
export async function expectTree(daemon: Daemon, session: string, expected: readonly Seen[]): Promise<void> {
  await expect
    .poll(async () => treeOf(await agentsOf(daemon, session)), { timeout: 120_000, interval: 100 })
    .toEqual(expected)
}
