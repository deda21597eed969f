import type { Agent, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { keyOf } from '../data/key.ts'
import { MAIN } from '../model/names.ts'

export interface Pulse {
  readonly key: string
  readonly tool: string
}

/** What an event makes pulse: the agent that called a tool. */
export function pulseOf(event: StoredEvent): Pulse | null {
  const what = isKind(event, 'tool_use') ? event.tool : isKind(event, 'skill_use') ? event.skill : null
  if (!what) return null
  const id = typeof event.agent_id === 'string' ? event.agent_id : MAIN
  return { key: keyOf({ source: event.source, session_id: event.session_id, id }), tool: shortTool(what) }
}

/** In a replay there are only frames: whoever called something since the one before pulses. */
export function pulsesBetween(before: readonly Agent[], after: readonly Agent[]): readonly Pulse[] {
  const known = new Map(before.map((agent) => [keyOf(agent), agent]))
  return after.flatMap((agent) => {
    const key = keyOf(agent)
    const old = known.get(key)
    if (!old) return []
    const tool = Object.keys(agent.tool_counts).find(
      (name) => (agent.tool_counts[name] ?? 0) > (old.tool_counts[name] ?? 0),
    )
    return tool === undefined ? [] : [{ key, tool: shortTool(tool) }]
  })
}

/** `mcp__server__tool` is its last part. */
const shortTool = (tool: string): string => (tool.split('__').at(-1) ?? tool).slice(0, 18)
