import { appendFile } from 'node:fs/promises'

const AGENTS = 4
export const AT_ONCE = 100

/** The events of the agents on one computer; `key` identifies agent and event. */
export interface Story {
  /** Appends the next events to the file like an emitter, and returns how many are left. */
  readonly tell: () => Promise<number>
}

const PREFIX = 'story'

export function storyOf(file: string, computer: number, events: number): Story {
  let told = 0
  const line = (n: number): string => {
    const agent = n % AGENTS
    const place = Math.floor(n / AGENTS)
    return JSON.stringify({
      key: `${PREFIX}:${computer}.${agent}:${place}`,
      event: place % 2 === 0 ? 'tool_use' : 'tool_done',
      source: 'custom',
      host: `computer-${computer}`,
      session_id: `session-${computer}`,
      agent_id: agent === 0 ? undefined : `agent-${agent}`,
      id: `call-${agent}-${Math.floor(place / 2)}`,
      tool: 'Read',
      ok: true,
      ts: Date.now(),
    })
  }
  return {
    tell: async () => {
      const until = Math.min(events, told + AT_ONCE)
      const lines: string[] = []
      while (told < until) lines.push(line(told++))
      if (lines.length > 0) await appendFile(file, `${lines.join('\n')}\n`)
      return events - told
    },
  }
}

export interface Heard {
  /** Story events, counted as often as they arrived. */
  readonly events: number
  readonly faults: readonly string[]
}

/** Checks that every event of every agent arrived once and in order. */
export function checkStories(keys: readonly string[]): Heard {
  const next = new Map<string, number>()
  const faults: string[] = []
  let events = 0
  for (const key of keys) {
    const [prefix, agent, at] = key.split(':')
    if (prefix !== PREFIX || agent === undefined) continue
    events += 1
    const expected = next.get(agent) ?? 0
    if (Number(at) !== expected) faults.push(`of ${agent} came ${at} where ${expected} was next`)
    next.set(agent, Number(at) + 1)
  }
  return { events, faults }
}
