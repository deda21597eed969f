import type { Agent } from '@panoptes/schema'
import { words } from '../../words.ts'
import { waitingSince } from '../model/agent-activity.ts'
import type { GraphNode } from '../model/graph.ts'
import { claimLine, skillLabel } from '../model/markers.ts'
import type { Colors } from './colors.ts'

const w = words.live

/** A short note about the state, shown under the name. */
function stateNote(agent: Agent, now: number, brief = false): string | null {
  if (agent.state === 'waiting') return (brief && agent.wait_reason) || w.waits(agent.wait_reason)
  if (agent.state === 'stuck') return w.noSign(now - waitingSince(agent))
  if (agent.state === 'failed') return w.failed
  if (agent.state === 'done') return agent.outcome === null ? w.done : w.doneAs(agent.outcome)
  return null
}

/** Adds the skill and the claim; an agent that needs someone shows only that. */
export function labelNotes(agent: Agent, now: number, brief = false): readonly string[] {
  const note = stateNote(agent, now, brief)
  if (brief || agent.state === 'waiting' || agent.state === 'stuck') return note === null ? [] : [note]
  const first = [note, skillLabel(agent)?.text].filter((part) => part !== null && part !== undefined)
  const claim = claimLine(agent)
  return [...(first.length === 0 ? [] : [first.join(' · ')]), ...(claim === null ? [] : [claim])]
}

export function noteColor(node: GraphNode, colors: Colors): string {
  if (node.state === 'waiting') return colors.waiting
  if (node.state === 'stuck') return colors.stuck
  if (node.state === 'failed' || node.outcome === 'fail') return colors.failed
  return colors['text-3']
}
