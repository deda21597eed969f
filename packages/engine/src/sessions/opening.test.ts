import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteIndex } from '@panoptes/engine/ledger'
import { createPrices } from '@panoptes/engine/models'
import type { SessionRecord, SessionSource } from '@panoptes/engine/sources'
import type { ContentBlock, Message, Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { opening } from './opening.ts'
import { readAll } from './reading.ts'
import { refresh } from './refresh.ts'
import type { Reading } from './transcript.ts'

const ONE = { source: 'made-up', id: 'one' }

let folder: string
let reading: Reading
let records: readonly SessionRecord[]
/** Records that were asked for, and whether the reading was ended. */
let given: number
let ended: boolean

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const said = (id: string, more: Partial<Message> = {}): Message => ({
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
const told = (id: string, more: Partial<Message> = {}): SessionRecord => ({
  kind: 'message',
  message: said(id, more),
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
        given += 1
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
  value(
    await refresh({
      source,
      index: reading.index,
      read: (listed) => readAll({ source, listed, prices: reading.prices }),
    }),
  )
  given = 0
  ended = false
}
const ids = async (turns: number) => (await opening(reading, { ...ONE, turns })).messages.map(({ id }) => id)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-opening-'))
  reading = {
    index: value(openSqliteIndex(join(folder, 'index.db'))),
    sources: new Map([[ONE.source, source]]),
    prices: createPrices(),
  }
})
afterEach(async () => {
  await reading.index.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('how a session began', () => {
  it('goes up to the reply that is one too many, and nothing more is read', async () => {
    const turns = Array.from({ length: 5_000 }, (_, n) => [told(`a${n}`), told(`r${n}`, { role: 'tool' })])
    await index([told('ask', { role: 'user' }), ...turns.flat()])
    expect(await ids(2)).toEqual(['ask', 'a0', 'r0', 'a1', 'r1'])
    expect(given).toBe(7)
    expect(ended).toBe(true)
    expect(await ids(0)).toEqual(['ask'])
  })

  it('is the whole of a shorter one', async () => {
    await index([told('ask', { role: 'user' }), told('a'), told('thanks', { role: 'user' })])
    const { session: of, messages } = await opening(reading, { ...ONE, turns: 30 })
    expect(messages.map(({ id }) => id)).toEqual(['ask', 'a', 'thanks'])
    expect(of).toMatchObject({ ...ONE, title: 'One', messages: 3 })
  })

  it('does not count replies that were taken back, and summaries', async () => {
    const state = (of: Message['state']) => ({ state: of })
    await index([
      told('a', state('rewound')),
      told('b', state('compacted')),
      told('c', state('summary')),
      told('d'),
      told('e'),
    ])
    expect(await ids(2)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('leaves out what its agents said, and does not read on through it', async () => {
    const helper = (id: string) => told(id, { agent_id: 'helper' })
    const long = Array.from({ length: 1_000 }, (_, n) => helper(`h${n}`))
    await index([told('a'), agent('helper'), helper('among'), told('b'), ...long])
    expect(await ids(30)).toEqual(['a', 'b'])
    expect(given).toBe(6)
  })

  it('has what came since the index was made', async () => {
    await index([told('a'), agent('helper'), told('h', { agent_id: 'helper' })])
    records = [agent('main'), told('a'), told('new'), agent('helper'), told('h', { agent_id: 'helper' })]
    expect(await ids(30)).toEqual(['a', 'new'])
  })

  it('keeps results whole, and neither pictures nor what cannot be written as JSON', async () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)
    const content: ContentBlock[] = [
      { type: 'tool_call', id: 't', tool: 'x', input: deep },
      { type: 'image', media_type: 'image/png', data: 'A'.repeat(1_000) },
      { type: 'tool_result', id: 't', ok: true, text: 'r'.repeat(200_000), duration_ms: null },
    ]
    await index([told('a', { content })])
    const { messages } = await opening(reading, { ...ONE, turns: 1 })
    const [call, image, result] = messages[0]?.content ?? []
    expect(JSON.stringify(call).length).toBeLessThan(1_000)
    expect(image).toMatchObject({ media_type: 'image/png', data: null })
    expect(result).toEqual(content[2])
  })

  it('is refused where it cannot be read, and told where only a later part cannot', async () => {
    await index([told('a'), told('b')])
    const failed: SessionRecord = {
      kind: 'failed',
      failure: { ok: false, code: 'io', message: 'It cannot be read.' },
    }
    records = [agent('main'), told('a'), told('b'), failed]
    expect(await ids(1)).toEqual(['a'])
    await expect(ids(2)).rejects.toThrow()
    await expect(opening(reading, { ...ONE, id: 'two', turns: 1 })).rejects.toThrow()
  })
})
