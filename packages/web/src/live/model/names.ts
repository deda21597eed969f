import type { Agent, SessionSummary } from '@panoptes/schema'

export type Family = 'haiku' | 'sonnet' | 'opus' | 'other'
export const FAMILIES = ['haiku', 'sonnet', 'opus', 'other'] as const

export const MAIN = 'main'

export const isMain = (agent: { readonly id: string; readonly parent_id: string | null }): boolean =>
  agent.id === MAIN

/** The family of a model, by its name; `other` if unknown. */
export function modelFamily(model: string | null): Family {
  if (model === null) return 'other'
  return FAMILIES.find((family) => model.includes(family)) ?? 'other'
}

/** The display name of an agent: its type, or the end of its id. */
export function agentName(agent: Pick<Agent, 'id' | 'parent_id' | 'subagent_type'>): string {
  if (isMain(agent)) return MAIN
  return agent.subagent_type ?? (agent.id.length > 14 ? `…${agent.id.slice(-8)}` : agent.id)
}

/** The display name of a session: its title, else its folder, else the start of its id. */
export const sessionTitle = (session: Pick<SessionSummary, 'title' | 'project' | 'session_id'>): string =>
  session.title ?? session.project ?? session.session_id.slice(0, 8)
