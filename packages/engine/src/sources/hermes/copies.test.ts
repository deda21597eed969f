import type { SQLInputValue } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { messagesOf } from '../conformance/records.ts'
import { makeState, readOne, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

type Row = Readonly<Record<string, SQLInputValue>>

/** Returns the id and state of each message read from these rows. */
async function read(rows: readonly Row[], more?: (db: ReturnType<typeof makeState>['db']) => void) {
  const home = tempHome()
  const state = makeState(home)
  state.session({ id: 's1' })
  state.db.exec('BEGIN')
  for (const row of rows) state.message({ session_id: 's1', ...row })
  state.db.exec('COMMIT')
  more?.(state.db)
  const messages = messagesOf(await readOne(hermesSource(home), 's1'))
  return messages.map((message) => `${message.id} ${message.state}`)
}

const LIVE = { active: 1, compacted: 0 }
const ARCHIVED = { active: 0, compacted: 1 }
const REWOUND = { active: 0, compacted: 0 }
const at = (seconds: number) => ({ timestamp: 1_790_000_000 + seconds })
const call = (id: string, space = '') => ({
  role: 'assistant',
  content: null,
  tool_calls: `[{"id":${space}"${id}","function":${space}{"name":"terminal","arguments":"{}"}}]`,
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{"exit_code": 1}' })

describe('a message that compaction carried over', () => {
  it('counts once across all generations', async () => {
    const turn = (state: Row) => [
      { ...call('c1'), ...at(1), ...state },
      { ...result('c1'), ...at(2), ...state },
    ]
    expect(await read([ARCHIVED, REWOUND, LIVE].flatMap(turn))).toEqual(['5 active', '6 active'])
    expect(await read([LIVE, ARCHIVED, REWOUND].flatMap(turn))).toEqual(['1 active', '2 active'])
    expect(await read([REWOUND, ARCHIVED, ARCHIVED].flatMap(turn))).toEqual(['3 compacted', '4 compacted'])
    expect(await read([REWOUND, REWOUND].flatMap(turn))).toEqual(['1 rewound', '2 rewound'])
  })

  it('is recognised by its calls in any notation', async () => {
    expect(
      await read([
        { ...call('c1'), ...ARCHIVED },
        { ...call('c1', ' '), ...LIVE },
      ]),
    ).toEqual(['2 active'])
  })

  it('is found with or without an ordering index', async () => {
    const rows = [ARCHIVED, LIVE].map((state) => ({ content: 'again', ...state }))
    const noIndex = 'DROP INDEX idx_messages_session_active; DROP INDEX idx_messages_session_id'
    expect(await read(rows, (db) => db.exec(noIndex))).toEqual(['2 active'])
  })

  it('is found in a long session that is read in parts', async () => {
    const rows = [ARCHIVED, LIVE].flatMap((state) =>
      Array.from({ length: 1_500 }, (_, n) => ({ content: 'go on', ...at(n), ...state })),
    )
    const states = await read(rows)
    expect(states).toHaveLength(1_500)
    expect(states[0]).toBe('1501 active')
  })
})

describe('a distinct message', () => {
  it('stays when it only partly resembles another', async () => {
    const rows = [
      { content: 'yes', ...at(1), ...ARCHIVED },
      { content: 'yes', ...at(2), ...LIVE },
      { content: 'no', ...at(2), ...REWOUND },
      { ...call('c1'), ...at(3), ...ARCHIVED },
      { ...call('c2'), ...at(3), ...LIVE },
      { ...result('c1'), ...at(4), ...ARCHIVED },
      { ...result('c2'), ...at(4), ...LIVE },
      { role: 'user', content: 'so', ...at(5), ...ARCHIVED },
      { role: 'assistant', content: 'so', ...at(5), ...LIVE },
    ]
    expect(await read(rows)).toHaveLength(rows.length)
  })

  it('stays while it is active although another has the same text', async () => {
    expect(await read([LIVE, LIVE, ARCHIVED].map((state) => ({ content: 'twice', ...state })))).toEqual([
      '1 active',
      '2 active',
    ])
  })
})
