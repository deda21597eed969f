import { unzipSync } from 'node:zlib'
import type { EventStore } from '@panoptes/engine/store'
import { success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import { redactedChange } from '../sources/uploader/redacted.ts'
import { nextBatch } from './batch.ts'

/** Creates a store in which an older version recorded events without removing secrets. */
const storeOf = (jsons: readonly string[]): Pick<EventStore, 'read' | 'head'> => ({
  head: async () => success({ last: jsons.length }) as Awaited<ReturnType<EventStore['head']>>,
  read: async () =>
    success({
      rows: jsons.map((json, at) => ({ seq: at + 1, json })),
      next: null,
    }) as Awaited<ReturnType<EventStore['read']>>,
})

const event = (seq: number, text: string) => ({
  ...{
    v: 1,
    key: `k${seq}`,
    seq,
    ts: seq,
    event: 'tool_use',
    source: 'custom',
    host: 'here',
    session_id: 's',
  },
  ...{ id: `c${seq}`, tool: 'Bash', input_preview: text },
})

const message = (text: string) => ({
  ...{
    id: 'm',
    session_id: 's',
    role: 'user',
    ts: 1,
    model: text,
    agent_id: 'main',
    usage: null,
    cost_micro_usd: null,
  },
  content: [
    { type: 'text', text },
    { type: 'tool_call', id: 'c', tool: text, input: { command: text, deep: [text] } },
    { type: 'tool_result', id: 'c', ok: true, text },
  ],
})

describe('what is sent to a hub', () => {
  it.each(Object.entries(BOUNDARIES))(
    'contains no kind of key %s, in events and transcripts',
    async (_name, write) => {
      const written = Object.values(SECRET_KINDS).map((make) => {
        const secret = make()
        return { secret, ...write(secret) }
      })
      const jsons = written.map(({ text }, at) => JSON.stringify(event(at + 1, text)))
      const batch = await nextBatch(storeOf(jsons), 0, 'transcripts', { bytes: 1e6, lines: 1_000 })
      if (!batch.ok || !('body' in batch.value)) throw new Error('nothing is sent')
      expect(batch.value.lines).toBe(written.length)
      const events = unzipSync(batch.value.body).toString()
      const change = { type: 'messages', messages: written.map(({ text }) => message(text)) }
      const transcript = JSON.stringify(redactedChange(change as Parameters<typeof redactedChange>[0]))
      for (const { secret, spelled } of written)
        for (const part of [secret, spelled, JSON.stringify(spelled).slice(1, -1)]) {
          expect(events).not.toContain(part)
          expect(transcript).not.toContain(part)
        }
    },
  )
})
