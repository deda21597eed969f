import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrices } from '@panoptes/engine/models'
import type { SessionRecord, SessionSource } from '@panoptes/engine/sources'
import { openSqliteIndex } from '@panoptes/engine/store'
import type { ContentBlock, Message } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { opening } from './opening.ts'
import { readAll } from './reading.ts'
import { refresh } from './refresh.ts'
import type { Reading } from './transcript.ts'

const ONE = { source: 'made-up', id: 'one' }

let folder: string
let reading: Reading
let records: readonly SessionRecord[]
/** The number of records read, and whether the read was ended. */
let readCount: number
let ended: boolean

const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  session_id: ONE.id,
  role: 'assistant',
  ts: 1_000,
  model: 'm',
  agent_id: 'main',
  content: [{ type: 'text', text: id }],
  usage: null,
  state: 'active',
  hidden: false,
  ...more,
})
const record = (id: string, more: Partial<Message> = {}): SessionRecord => ({
  kind: 'message',
  message: message(id, more),
})
const agent = (id: string): SessionRecord => ({
  kind: 'agent',
  agent: { id, parent_id: null, subagent_type: null, description: null, tool_use_id: null },
})
const session: SessionRecord = {
  kind: 'session',
  session: {
    ...ONE,
    parent_id: null,
    lineage: 'root',
    title: 'One',
    project: 'notes',
    cwd: null,
    git_branch: null,
    model: 'm',
    started_at: 1_000,
    last_at: 1_000,
    ended_at: null,
    fingerprint: 'f',
  },
}

const source: SessionSource = {
  name: ONE.source,
  async *list() {
    yield { kind: 'listed', id: ONE.id, fingerprint: 'f', place: '/one' }
  },
  async *read() {
    try {
      for (const record of records) {
        readCount += 1
        yield record
      }
    } finally {
      ended = true
    }
  },
  watch: () => () => undefined,
}

const index = async (of: readonly SessionRecord[]) => {
  records = [agent('main'), ...of, session]
  unwrap(
    await refresh({
      source,
      index: reading.index,
      read: (listed) => readAll({ source, listed, prices: reading.prices }),
    }),
  )
  readCount = 0
  ended = false
}
const ids = async (turns: number) => (await opening(reading, { ...ONE, turns })).messages.map(({ id }) => id)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-opening-'))
  reading = {
    index: unwrap(openSqliteIndex(join(folder, 'index.db'))),
    sources: new Map([[ONE.source, source]]),
    prices: createPrices(),
  }
})
afterEach(async () => {
  await reading.index.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the opening of a session', () => {
  it('ends before the first surplus reply, and nothing more is read', async () => {
    const turns = Array.from({ length: 5_000 }, (_, n) => [
      record(`a${n}`),
      record(`r${n}`, { role: 'tool' }),
    ])
    await index([record('ask', { role: 'user' }), ...turns.flat()])
    expect(await ids(2)).toEqual(['ask', 'a0', 'r0', 'a1', 'r1'])
    expect(readCount).toBe(7)
    expect(ended).toBe(true)
    expect(await ids(0)).toEqual(['ask'])
  })

  it('is the whole of a shorter session', async () => {
    await index([record('ask', { role: 'user' }), record('a'), record('thanks', { role: 'user' })])
    const { session: of, messages } = await opening(reading, { ...ONE, turns: 30 })
    expect(messages.map(({ id }) => id)).toEqual(['ask', 'a', 'thanks'])
    expect(of).toMatchObject({ ...ONE, title: 'One', messages: 3 })
  })

  it('does not count rewound replies and summaries', async () => {
    const state = (of: Message['state']) => ({ state: of })
    await index([
      record('a', state('rewound')),
      record('b', state('compacted')),
      record('c', state('summary')),
      record('d'),
      record('e'),
    ])
    expect(await ids(2)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('leaves out messages of agents and stops reading at them', async () => {
    const helper = (id: string) => record(id, { agent_id: 'helper' })
    const long = Array.from({ length: 1_000 }, (_, n) => helper(`h${n}`))
    await index([record('a'), agent('helper'), helper('among'), record('b'), ...long])
    expect(await ids(30)).toEqual(['a', 'b'])
    expect(readCount).toBe(6)
  })

  it('includes messages that are newer than the index', async () => {
    await index([record('a'), agent('helper'), record('h', { agent_id: 'helper' })])
    records = [
      agent('main'),
      record('a'),
      record('new'),
      agent('helper'),
      record('h', { agent_id: 'helper' }),
    ]
    expect(await ids(30)).toEqual(['a', 'new'])
  })

  it('keeps whole results but no images and nothing that JSON cannot express', async () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)
    const content: ContentBlock[] = [
      { type: 'tool_call', id: 't', tool: 'x', input: deep },
      { type: 'image', media_type: 'image/png', data: 'A'.repeat(1_000) },
      { type: 'tool_result', id: 't', ok: true, text: 'r'.repeat(200_000), duration_ms: null },
    ]
    await index([record('a', { content })])
    const { messages } = await opening(reading, { ...ONE, turns: 1 })
    const [call, image, result] = messages[0]?.content ?? []
    expect(JSON.stringify(call).length).toBeLessThan(1_000)
    expect(image).toMatchObject({ media_type: 'image/png', data: null })
    expect(result).toEqual(content[2])
  })

  it('fails for an unreadable session and succeeds when only a later part is unreadable', async () => {
    await index([record('a'), record('b')])
    const failed: SessionRecord = {
      kind: 'failed',
      failure: { ok: false, code: 'io', message: 'It cannot be read.' },
    }
    records = [agent('main'), record('a'), record('b'), failed]
    expect(await ids(1)).toEqual(['a'])
    await expect(ids(2)).rejects.toThrow()
    await expect(opening(reading, { ...ONE, id: 'two', turns: 1 })).rejects.toThrow()
  })
})
