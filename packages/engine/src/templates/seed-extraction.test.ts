import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSources, type SessionSource } from '@panoptes/engine/sources'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateHermesState } from '../../../../fixtures/hermes/generator/index.ts'
import { make, openingsOf, tempFolder, unwrap } from './make.test-kit.ts'
import { meantExamples, type SeedExample, type SeedRow, seedExamples } from './seed-rules.test-kit.ts'
import type { Opening } from './session-history.ts'

const MEANT = { paired: true, worked: true, turns: true, stayed: true }
const MOST = 10
const removals: (() => void)[] = []

interface Generated {
  readonly opening: Opening
  readonly rows: readonly SeedRow[]
}

function hermesIn(home: string): SessionSource {
  const source = openSources({ HERMES_HOME: home }).find(({ name }) => name === 'hermes')
  if (source === undefined) throw new Error('there is no Hermes')
  return source
}

async function generated(seed: number): Promise<readonly Generated[]> {
  const home = tempFolder((remove) => removals.push(remove))
  const state = join(home, 'state.db')
  generateHermesState({ file: state, sessions: 60, messages: 45, seed, textScale: 0.4, hasEdgeCases: false })
  const db = new DatabaseSync(state, { readOnly: true })
  const rowsOf = db.prepare(
    `SELECT role, content, tool_calls, tool_call_id, active = 0 AND compacted = 0 AS rewound FROM messages
     WHERE session_id = ? ORDER BY timestamp`,
  )
  const openings = await openingsOf(hermesIn(home))
  const all = openings.map((opening) => ({
    opening,
    rows: rowsOf.all(opening.session.id) as unknown as readonly SeedRow[],
  }))
  db.close()
  return all
}

const ours = ({ opening }: Generated): readonly SeedExample[] => {
  const made = make(opening.messages, { maxExamples: MOST, home: '/home/dev' }, opening.session)
  return made.ok ? made.value.template.examples.map(({ success: _, ...example }) => example) : []
}

/** Replaces the home folders that the generator writes. */
const general = (text: string): string => text.replace(/\/home\/dev\/|\/Users\/sam\//g, '~/')
const generally = (example: SeedExample): SeedExample => JSON.parse(general(JSON.stringify(example)))
const isShort = ({ arguments: given, result }: SeedExample): boolean =>
  result.length <= 1_000 &&
  JSON.stringify(given).length <= 1_500 &&
  Object.values(given as object).every((value) => String(value).length <= 500)

/** Expects the same examples, except that long ones are cut. */
function expectSame(kept: readonly SeedExample[], whole: readonly SeedExample[]): void {
  expect(kept.map(({ tool_name }) => tool_name)).toEqual(whole.map(({ tool_name }) => tool_name))
  kept.forEach((example, at) => {
    const expected = generally(whole[at] as SeedExample)
    if (isShort(expected)) expect(example).toEqual(expected)
    else if (expected.result.length > 1_000) {
      const head = example.result.replace(/\n?… [\d,]+ (?:lines?|characters?) cut$/, '')
      expect(example.result.length).toBeLessThanOrEqual(1_000)
      expect(expected.result.startsWith(head)).toBe(true)
    }
  })
}

afterAll(() => {
  for (const remove of removals) remove()
})

describe('generated histories of Hermes', () => {
  let all: readonly Generated[] = []
  beforeAll(async () => {
    all = [...(await generated(1)), ...(await generated(7))]
  }, 180_000)

  it('give the same examples as Hermes if no difference applies', () => {
    const plain = all.filter(({ rows }) => {
      const calls = rows.flatMap(({ tool_calls }) => (tool_calls ? JSON.parse(tool_calls) : []))
      const replies = rows.filter(({ role }) => role === 'assistant')
      const single = rows.every(({ tool_calls }) => !tool_calls || JSON.parse(tool_calls).length === 1)
      const none = meantExamples(rows, { ...MEANT, worked: false }, 1_000).length
      const worked = meantExamples(rows, MEANT, 1_000).length
      return (
        single &&
        rows.every(({ rewound }) => !rewound) &&
        none === worked &&
        calls.length < MOST &&
        replies.length <= 30 &&
        rows.length <= 100
      )
    })
    expect(plain.some(({ rows }) => seedExamples(rows).length > 2)).toBe(true)
    for (const each of plain) expectSame(ours(each), seedExamples(each.rows))
  })

  it('give what Hermes would with the intended differences, for every session', () => {
    for (const each of all) expectSame(ours(each), meantExamples(each.rows, MEANT))
    expect(all.filter((each) => ours(each).length === MOST).length).toBeGreaterThan(10)
  })

  it.each(['paired', 'worked', 'turns', 'stayed'] as const)(
    'give other examples without the difference "%s"',
    (difference) => {
      const changed = all.filter(({ rows }) => {
        const without = meantExamples(rows, { ...MEANT, [difference]: false }, 1_000)
        return JSON.stringify(without) !== JSON.stringify(meantExamples(rows, MEANT, 1_000))
      })
      expect(changed.length).toBeGreaterThan(0)
    },
  )

  it('are classified by all calls of thirty turns', () => {
    for (const { opening, rows } of all) {
      const made = make(opening.messages, {}, opening.session)
      if (!made.ok) continue
      const every = meantExamples(rows, { ...MEANT, worked: false }, 10_000)
      expect(made.value.calls).toBe(every.length)
      expect(made.value.turns).toBe(
        Math.min(30, rows.filter(({ role, rewound }) => role === 'assistant' && !rewound).length),
      )
      const terminal = every.filter(({ tool_name }) => tool_name === 'terminal').length
      expect(made.value.by_type.terminal).toBe(terminal)
      expect(made.value.template.task_type === 'terminal').toBe(terminal / every.length > 0.6)
    }
  })
})

it('skips odd rows for which Hermes would give up the session', async () => {
  const home = tempFolder()
  const state = join(home, 'state.db')
  generateHermesState({ file: state, sessions: 1, messages: 2, seed: 3 })
  const db = new DatabaseSync(state)
  const add = db.prepare(
    "INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, timestamp) VALUES ('edge_03', ?, ?, ?, ?, 4e9)",
  )
  const good = {
    id: 'good',
    type: 'function',
    function: { name: 'terminal', arguments: '{"command": "ls"}' },
  }
  add.run('assistant', null, JSON.stringify([good]), null)
  add.run('tool', 'a b', null, 'good')
  db.close()
  const odd = (await openingsOf(hermesIn(home))).find(({ session }) => session.id === 'edge_03')
  expect(unwrap(make(odd?.messages ?? [])).template.examples).toEqual([
    { tool_name: 'terminal', arguments: { command: 'ls' }, result: 'a b', success: true },
  ])
})
