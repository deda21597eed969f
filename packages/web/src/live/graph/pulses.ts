import type { Agent, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { toAgentKey } from '../data/agent-key.ts'
import { MAIN } from '../model/names.ts'

export interface Pulse {
  readonly key: string
  readonly tool: string
}

/** The agents that an event makes pulse: those that called a tool. */
export function toPulse(event: StoredEvent): Pulse | null {
  const what = isKind(event, 'tool_use') ? event.tool : isKind(event, 'skill_use') ? event.skill : null
  if (!what) return null
  const id = typeof event.agent_id === 'string' ? event.agent_id : MAIN
  return {
    key: toAgentKey({ source: event.source, session_id: event.session_id, id }),
    tool: shortTool(what),
  }
}

/** A replay has only frames, so agents pulse that called a tool since the previous frame. */
export function pulsesBetween(before: readonly Agent[], after: readonly Agent[]): readonly Pulse[] {
  const byKey = new Map(before.map((agent) => [toAgentKey(agent), agent]))
  return after.flatMap((agent) => {
    const key = toAgentKey(agent)
    const old = byKey.get(key)
    if (!old) return []
    const tool = Object.keys(agent.tool_counts).find(
      (name) => (agent.tool_counts[name] ?? 0) > (old.tool_counts[name] ?? 0),
    )
    return tool === undefined ? [] : [{ key, tool: shortTool(tool) }]
  })
}

/** Shortens `mcp__server__tool` to its last part. */
const shortTool = (tool: string): string => (tool.split('__').at(-1) ?? tool).slice(0, 18)
