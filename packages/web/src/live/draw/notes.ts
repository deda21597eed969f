import type { Agent } from '@panoptes/schema'
import { words } from '../../words.ts'
import type { GraphNode } from '../model/graph.ts'
import { sinceOf } from '../model/needs-you.ts'
import { statedLine } from '../model/stated.ts'
import type { Colors } from './colors.ts'

const w = words.live

/** What a state says in one short line, under the name. */
function noteOf(agent: Agent, now: number, brief = false): string | null {
  if (agent.state === 'waiting') return (brief && agent.wait_reason) || w.waits(agent.wait_reason)
  if (agent.state === 'stuck') return w.noSign(now - sinceOf(agent))
  if (agent.state === 'failed') return w.failed
  if (agent.state === 'done') return agent.outcome === null ? w.done : w.doneAs(agent.outcome)
  return null
}

/** The same with the skill and the claim; who needs someone says that alone. */
export function labelNote(agent: Agent, now: number, brief = false): string | null {
  const note = noteOf(agent, now, brief)
  if (brief || agent.state === 'waiting' || agent.state === 'stuck') return note
  const parts = [note, statedLine(agent)].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' · ')
}

export function noteColor(node: GraphNode, colors: Colors): string {
  if (node.state === 'waiting') return colors.waiting
  if (node.state === 'stuck') return colors.stuck
  if (node.state === 'failed' || node.outcome === 'fail') return colors.failed
  return colors['text-3']
}
