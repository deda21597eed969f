import { describe, expect, it } from 'vitest'
import type { KeyedEvent } from '../hook.ts'
import { type Payload, play, recording, truth } from './recordings.test-kit.ts'

interface Made {
  readonly agent: string
  readonly link: KeyedEvent
}

/** Returns the sidecars the client wrote next to the transcript of each agent. */
const madeIn = (payloads: readonly Payload[]): readonly Made[] =>
  payloads.flatMap(({ session_id, tool_use_id, tool_response }) => {
    const { agentId: agent } = (tool_response ?? {}) as { readonly agentId?: string }
    if (agent === undefined || tool_use_id === undefined) return []
    const link = {
      event: 'agent_link',
      source: 'claude-code',
      session_id,
      key: `sidecar of ${agent}`,
      ts: 1_000,
      id: agent,
      parent_id: 'main',
      tool_use_id,
    }
    return [{ agent, link }]
  })

describe.each(['parallel', 'parallel-background'] as const)('%s', (name) => {
  it.each([true, false])(
    'has the same result whenever the parent of an agent becomes known (ended: %s)',
    (ends) => {
      const payloads = recording(name).filter(({ hook_event_name: kind }) => ends || kind !== 'SessionEnd')
      const made = madeIn(payloads)
      expect(made).toHaveLength(3)
      for (const { agent, link } of made) {
        const first = payloads.findIndex(({ agent_id }) => agent_id === agent)
        for (let at = first; at < payloads.length; at += 1) {
          expect(play(payloads, 1, new Map([[at, [link]]])), `after ${at}`).toEqual(truth[name])
        }
      }
    },
  )
})
