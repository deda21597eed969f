import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { conversationRowsIn, openTranscripts } from '@panoptes/engine/store'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { describeSource } from '../conformance/describe-source.ts'
import { find, listed, messagesOf, read } from '../conformance/records.ts'
import { startWriter } from '../conformance/writer.ts'
import { conversationSource } from './index.ts'
import { headOf } from './panoptes.test-kit.ts'

const WRITER = fileURLToPath(new URL('./postgres-writer.child.ts', import.meta.url))

const url = usePostgres()
const schema = `conversations_${randomUUID().replaceAll('-', '')}`
const client = new Client({ connectionString: url, options: `-c search_path=${schema}` })

beforeAll(async () => {
  const opened = await openTranscripts({ url, schema })
  if (!opened.ok) throw new Error(opened.message)
  await opened.value.close()
  await client.connect()
})
afterAll(async () => {
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

let count = 0

const conversations = (heads: readonly ReturnType<typeof headOf>[]) =>
  client.query(
    `INSERT INTO conversations (id, updated_at, state_revision, doc, state)
     SELECT id, 1, 0, doc, '{}' FROM unnest($1::text[], $2::text[]) AS made (id, doc)`,
    [heads.map(({ id }) => id), heads.map((head) => JSON.stringify(head))],
  )
const messages = (rows: readonly (readonly [conversation: string, doc: string])[]) =>
  client.query(
    'INSERT INTO chat_messages (id, conversation, doc) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])',
    [rows.map(() => `m${++count}`), rows.map(([id]) => id), rows.map(([, doc]) => doc)],
  )
const messageOf = (content: string): string =>
  JSON.stringify({ id: `m${count + 1}-${content.length}`, role: 'user', content, ts: ++count })
const source = () => conversationSource(conversationRowsIn({ url, schema }))

beforeEach(() => client.query('TRUNCATE conversations, chat_messages, chat_replaced'))

describeSource('panoptes on PostgreSQL', {
  open: () => {
    const writers: (() => void)[] = []
    return {
      source: source(),
      make: async (sessions) => {
        const made = [...sessions]
        await conversations(made.map(([id]) => headOf(id)))
        await messages(made.flatMap(([id, texts]) => texts.map((text) => [id, messageOf(text)] as const)))
      },
      append: async (id, text) => {
        await messages([[id, messageOf(text)]])
        await client.query('UPDATE conversations SET updated_at = updated_at + 1 WHERE id = $1', [id])
      },
      // A transaction never leaves a part behind.
      cut: () => undefined,
      garble: (id, after) =>
        messages([
          [id, '{"id":"odd","role":"user","content":"\ufffd'],
          [id, messageOf(after)],
        ]),
      remove: (id) => client.query('DELETE FROM conversations WHERE id = $1', [id]),
      write: async (id) => {
        const { stop, kill } = await startWriter(process.execPath, [WRITER, url, schema, id])
        writers.push(kill)
        return async () => Number(await stop())
      },
      close: () => {
        for (const kill of writers) kill()
      },
    }
  },
})

describe('conversations on a hub', () => {
  it('are visible to everybody only if they are shared or have no owner', async () => {
    const own = { owner: 'somebody' }
    await conversations([
      headOf('everybody'),
      { ...headOf('own'), ...own },
      { ...headOf('shared'), ...own, shared: true },
    ])
    await messages([
      ['own', messageOf('mine')],
      ['shared', messageOf('ours')],
    ])
    const all = await listed(source())
    expect(all.map(({ id }) => id).sort()).toEqual(['everybody', 'shared'])
    const hidden = { id: 'own', fingerprint: '', place: 'x' }
    expect(await read(source(), hidden)).toMatchObject([{ kind: 'failed', failure: { code: 'not_found' } }])
    expect(await source().find?.(hidden, ['m1', 'm2', 'm3', 'm4'])).toEqual([])
  })

  it('include replaced messages and are found by message ids', async () => {
    await conversations([headOf('c')])
    await messages([
      ['c', '{"id":"a","role":"user","content":"one"}'],
      ['c', '{"id":"b","role":"user","content":"two\\u0000"}'],
    ])
    await client.query(
      `INSERT INTO chat_replaced (id, conversation, at, doc)
       SELECT 'old', 'c', max(number), '{"id":"old","role":"user","content":"before"}' FROM chat_messages`,
    )
    await client.query(`UPDATE chat_messages SET id = doc::jsonb ->> 'id' WHERE doc NOT LIKE '%u0000%'`)
    const one = await find(source(), 'c')
    const allMessages = messagesOf(await read(source(), one))
    expect(allMessages.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'active'],
      ['old', 'rewound'],
      ['b', 'active'],
    ])
    expect(allMessages.at(-1)?.content).toEqual([{ type: 'text', text: 'two\0' }])
    const found = await source().find?.(one, ['old', 'none', 'a'])
    expect(found?.map(({ id, state }) => [id, state])).toEqual([
      ['old', 'rewound'],
      ['a', 'active'],
    ])
  })

  it('report a change made by anyone', async () => {
    await conversations([headOf('c')])
    const changed = vi.fn()
    const end = source().watch(changed)
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 30_000)
    changed.mockClear()
    await client.query(`UPDATE conversations SET doc = doc WHERE id = 'c'`)
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), 30_000)
    end()
  })
})
