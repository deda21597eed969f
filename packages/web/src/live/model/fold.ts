import type { Agent } from '@panoptes/schema'
import { keyOf } from '../data/key.ts'
import { familyOf, nameOf } from './names.ts'

const FOLD_FROM = 4

/** Children as they are drawn: alone, or several alike as one. */
export type Folded =
  | { readonly kind: 'one'; readonly agent: Agent }
  | { readonly kind: 'many'; readonly key: string; readonly agents: readonly Agent[] }

export interface FoldOptions {
  readonly hasChildren: (agent: Agent) => boolean
  /** Agents that must be seen themselves: what is selected, what is in conflict. */
  readonly apart: (key: string) => boolean
  /** Groups that someone opened, by their key. */
  readonly open: ReadonlySet<string>
}

/** Four or more working children of one kind and model become one; whoever needs a person stays apart. */
export function fold(parentKey: string, children: readonly Agent[], options: FoldOptions): readonly Folded[] {
  if (children.length < FOLD_FROM) return children.map((agent) => ({ kind: 'one', agent }))
  const alike = new Map<string, Agent[]>()
  for (const agent of children) {
    if (agent.state !== 'working' || options.hasChildren(agent) || options.apart(keyOf(agent))) continue
    const kind = `${parentKey}~${nameOf(agent)}~${familyOf(agent.model)}`
    const group = alike.get(kind)
    if (group) group.push(agent)
    else alike.set(kind, [agent])
  }
  const groupOf = new Map<Agent, string>()
  for (const [key, agents] of alike) {
    if (agents.length < FOLD_FROM || agents[0]?.subagent_type === null || options.open.has(key)) continue
    for (const agent of agents) groupOf.set(agent, key)
  }
  const seen = new Set<string>()
  return children.flatMap((agent): Folded[] => {
    const key = groupOf.get(agent)
    if (key === undefined) return [{ kind: 'one', agent }]
    if (seen.has(key)) return []
    seen.add(key)
    return [{ kind: 'many', key, agents: alike.get(key) ?? [] }]
  })
}
