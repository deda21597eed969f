import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContentBlock, TranscriptReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions, type Sessions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const PARALLEL = { source: 'claude-code', id: 'ea691ccd-8a96-4a2d-838e-68211d44554b' }
const LARGE = { source: 'claude-code', id: '11111111-2222-4333-8444-555555555555' }

let folder: string
let sessions: Sessions

const row = (uuid: string, type: string, content: unknown) =>
  JSON.stringify({
    type,
    uuid,
    sessionId: LARGE.id,
    timestamp: '2026-11-15T09:00:00Z',
    message: { role: type, content, ...(type === 'assistant' ? { id: uuid, model: 'claude-opus-4-8' } : {}) },
  })

const deep = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-transcript-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  mkdirSync(join(folder, 'projects', '-large'))
  const rows = [
    row('u1', 'user', [
      { type: 'text', text: 'x'.repeat(300_000) },
      image('A'.repeat(500_000)),
      image('AAAA'),
    ]),
    row('a1', 'assistant', [
      {
        type: 'tool_use',
        id: 't1',
        name: 'Edit',
        input: { old_string: 'o'.repeat(200_000), new_string: 'n'.repeat(200_000), deep: deep(500) },
      },
    ]),
    row('u2', 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'r'.repeat(90_000) }]),
    ...Array.from({ length: 150 }, (_, i) => row(`m${i}`, 'user', `${i}`.padEnd(90_000, '.'))),
  ]
  writeFileSync(join(folder, 'projects', '-large', `${LARGE.id}.jsonl`), `${rows.join('\n')}\n`)
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env }))
  unwrap(await sessions.refresh())
})

afterEach(async () => {
  await sessions.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a transcript', () => {
  it('shows the costs of replies and agents, which add up to the session', async () => {
    const { session, agents, messages } = unwrap(
      await sessions.transcript({ ...PARALLEL, from: 0, limit: 100 }),
    )
    const ofReplies = messages.reduce((sum, { cost_micro_usd: cost }) => sum + (cost ?? 0), 0)
    const ofAgents = agents.reduce((sum, { spent }) => sum + spent.cost_micro_usd, 0)
    expect([ofReplies, ofAgents]).toEqual([session.spent.cost_micro_usd, session.spent.cost_micro_usd])
    for (const { id, spent, messages: count } of agents) {
      const own = messages.filter(({ agent_id }) => agent_id === id)
      expect(count).toBe(own.length)
      expect(spent.output).toBe(own.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0))
      expect(spent.cost_micro_usd).toBe(own.reduce((sum, { cost_micro_usd: cost }) => sum + (cost ?? 0), 0))
    }
    expect(messages.filter(({ usage }) => usage === null).map((each) => each.cost_micro_usd)).toContain(null)
  })

  it('is cut where it is large and shows how much is missing', async () => {
    const { messages } = unwrap(await sessions.transcript({ ...LARGE, from: 0, limit: 4 }))
    const [text, called, gave, short] = messages
    const blocks: readonly ContentBlock[] = text?.content ?? []
    expect(blocks.map(({ left_out }) => left_out)).toEqual([200_000, 500_000, undefined])
    expect(blocks[1]).toMatchObject({ data: null, media_type: 'image/png' })
    const input = called?.content[0]?.input as Record<string, string>
    expect(input.old_string).toMatch(/^o{12000}…$/)
    expect(input.new_string).toMatch(/^n{12000}…$/)
    expect(called?.content[0]?.left_out).toBeGreaterThan(370_000)
    expect(gave?.content[0]).toMatchObject({ left_out: 40_000 })
    expect(messages.map(({ n, cut }) => [n, cut])).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ])
    expect(short?.content[0]?.left_out).toBeUndefined()
  })

  it('provides one message as a whole', async () => {
    const message = unwrap(await sessions.message({ ...LARGE, n: 0 }))
    expect(message).toMatchObject({ n: 0, cut: false })
    expect(message.content.map((block) => JSON.stringify(block).length > 300_000)).toEqual([
      true,
      true,
      false,
    ])
    const called = unwrap(await sessions.message({ ...LARGE, n: 1 }))
    const input = called.content[0]?.input as Record<string, string>
    expect(input.new_string).toHaveLength(200_000)
    expect(await sessions.message({ ...LARGE, n: 9_999 })).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('comes in responses of bounded size that are complete together', async () => {
    const seen: number[] = []
    let replies = 0
    for (let from: number | null = 0; from !== null; ) {
      const reply: TranscriptReply = unwrap(await sessions.transcript({ ...LARGE, from, limit: 1_000 }))
      expect(JSON.stringify(reply).length).toBeLessThan(5_500_000)
      seen.push(...reply.messages.map(({ n }) => n))
      replies += 1
      from = reply.next
    }
    expect(replies).toBeGreaterThan(2)
    expect(seen).toEqual(Array.from({ length: 153 }, (_, n) => n))
  })
})
