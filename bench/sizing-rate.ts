import { gzipSync } from 'node:zlib'
import { generateNewEvents } from '@panoptes/engine/demo'
import { readAgentId } from '@panoptes/schema'

export interface AgentRate {
  readonly events: number
  readonly agents: number
  /** Events per second of an agent while it is running. */
  readonly per_agent: number
  readonly bytes_per_event: number
  /** Bytes per event as forwarders send them, 500 at a time. */
  readonly wire_bytes_per_event: number
}

const TOGETHER = 500

/** Computes the event rate of agents in a simulated day, from the first to the last event of each. */
export function agentRate(count: number): AgentRate {
  const lives = new Map<string, { first: number; last: number; events: number }>()
  const lines: string[] = []
  for (const event of generateNewEvents({ seed: 11, events: count })) {
    lines.push(JSON.stringify(event))
    const key = JSON.stringify([event.source, event.session_id, readAgentId(event) ?? 'main'])
    const life = lives.get(key) ?? { first: event.ts, last: event.ts, events: 0 }
    life.last = Math.max(life.last, event.ts)
    life.events += 1
    lives.set(key, life)
  }
  const alive = [...lives.values()].filter(({ first, last }) => last > first)
  const seconds = alive.reduce((sum, { first, last }) => sum + (last - first) / 1_000, 0)
  const told = alive.reduce((sum, { events }) => sum + events, 0)
  let wire = 0
  for (let at = 0; at < lines.length; at += TOGETHER)
    wire += gzipSync(lines.slice(at, at + TOGETHER).join('\n')).length
  return {
    events: count,
    agents: alive.length,
    per_agent: told / seconds,
    bytes_per_event: Buffer.byteLength(lines.join('\n')) / lines.length,
    wire_bytes_per_event: wire / lines.length,
  }
}
