import type { Agent } from '@panoptes/schema'
import type { Choice } from '../design/chip.tsx'
import * as f from '../format.ts'

const MOST = 40

/** Options by count, highest first; selected ones are always included. */
export function countChoices(
  counts: Readonly<Record<string, number>>,
  chosen: readonly string[] | string | undefined = [],
): readonly Choice[] {
  const choices = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a, first], [b, second]) => second - first || a.localeCompare(b))
    .map(([value, count]): Choice => ({ value, label: value, note: f.shortCount(count) }))
  return addMissingChoices(choices, chosen)
}

/** The sessions of known agents, latest first. */
export function sessionChoices(agents: readonly Agent[], chosen: string | undefined): readonly Choice[] {
  const sessions = new Map<string, Agent>()
  for (const agent of sortNewestFirst(agents)) {
    if (!sessions.has(agent.session_id)) sessions.set(agent.session_id, agent)
  }
  const choices = [...sessions.values()]
    .slice(0, MOST)
    .map((agent): Choice => ({ value: agent.session_id, label: agent.session_id, note: agent.source }))
  return addMissingChoices(choices, chosen === undefined ? [] : [chosen])
}

/** The agents of the chosen session, or of all, each name once, latest first. */
export function agentChoices(
  agents: readonly Agent[],
  session: string | undefined,
  chosen: string | undefined,
): readonly Choice[] {
  const own = agents.filter((agent) => session === undefined || agent.session_id === session)
  const names = new Map(sortNewestFirst(own).map((agent) => [agent.id, agent]))
  const choices = [...names.values()].slice(0, MOST).map((agent): Choice => {
    const note = agent.subagent_type
    return { value: agent.id, label: agent.id, ...(note === null ? {} : { note }) }
  })
  return addMissingChoices(choices, chosen === undefined ? [] : [chosen])
}

const sortNewestFirst = (agents: readonly Agent[]): readonly Agent[] =>
  [...agents].sort((a, b) => b.last_at - a.last_at)

function addMissingChoices(
  choices: readonly Choice[],
  chosen: readonly string[] | string,
): readonly Choice[] {
  const wanted = typeof chosen === 'string' ? [chosen] : chosen
  const missing = wanted.filter((value) => !choices.some((choice) => choice.value === value))
  return [...missing.map((value) => ({ value, label: value })), ...choices]
}
