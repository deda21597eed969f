import { describe, expect, it } from 'vitest'
import { countAlive, createSlices, MarkChoice, type MarkRow } from './marks.ts'

const markRow = (event: string, seq: number, more: MarkRow = {}): MarkRow => ({
  event,
  seq,
  ts: seq,
  source: 'hermes',
  session_id: 's',
  agent_id: `a${seq}`,
  ...more,
})
const chooseMarks = (rows: readonly MarkRow[], left = 0) => {
  const choice = new MarkChoice()
  for (const row of rows) choice.add(row)
  choice.leave(left)
  return choice.marks(() => ({ T: 'made' }))
}

describe('timeline marks', () => {
  it('say what each event means', () => {
    const kinds = ['agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost']
    const { marks } = chooseMarks([
      ...kinds.map((event, n) => markRow(event, n)),
      markRow('agent_done', 9, { failed: 1 }),
      markRow('agent_done', 8, { failed: true }),
    ])
    expect(marks.map(({ kind }) => kind)).toEqual([
      'spawn',
      'wait',
      'stuck',
      'done',
      'done',
      'failure',
      'failure',
    ])
  })

  it('are at most three hundred, in order of time, with the number of further ones', () => {
    const rows = Array.from({ length: 400 }, (_, n) => markRow('agent_done', 400 - n))
    const { marks, marks_left_out } = chooseMarks([...rows, markRow('agent_wait', 1_000)], 7)
    expect(marks).toHaveLength(300)
    expect(marks.map(({ seq }) => seq)).toEqual(marks.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(marks.at(-1)).toMatchObject({ kind: 'wait', seq: 1_000 })
    expect(marks_left_out).toBe(401 + 7 - 300)
  })

  it('name the agent that a failed call made, or else the one that made the call', () => {
    const call = (seq: number, fields: object) =>
      markRow('agent_link', seq, { failed: 1, agent_id: null, body: JSON.stringify(fields) })
    const { marks } = chooseMarks([
      call(1, { tool_use_id: 'T', parent_id: 'p' }),
      call(2, { tool_use_id: 'U', parent_id: 'p' }),
      call(3, { tool_use_id: 'constructor' }),
      markRow('agent_link', 4, { failed: 1, agent_id: null }),
    ])
    expect(marks.map(({ agent_id }) => agent_id)).toEqual(['made', 'p', 'main', 'main'])
  })
})

describe('line of living agents', () => {
  const alive = (lives: readonly (readonly [number, number | null])[]) => {
    const query = { from: 100, to: 200, slices: 4 }
    const slices = createSlices(query)
    countAlive(
      slices,
      query,
      lives.map(([started, ended]) => ({ started, ended })),
    )
    return slices.slices.map((slice) => slice.alive)
  }

  it('counts who is alive at the end of each slice', () => {
    expect(alive([[100, 150]])).toEqual([1, 1, 0, 0])
    expect(alive([[0, null]])).toEqual([1, 1, 1, 1])
    expect(alive([[0, 500]])).toEqual([1, 1, 1, 1])
    expect(alive([[0, 50]])).toEqual([0, 0, 0, 0])
    expect(alive([[199, null]])).toEqual([0, 0, 0, 1])
    expect(alive([[200, null]])).toEqual([0, 0, 0, 0])
  })

  it('has slices of equal length that cover the span', () => {
    expect(createSlices({ from: 0, to: 10, slices: 4 })).toMatchObject({ width: 3, slices: { length: 4 } })
    expect(createSlices({ from: 0, to: 9, slices: 4 })).toMatchObject({ width: 3, slices: { length: 3 } })
    expect(createSlices({ from: 5, to: 5, slices: 0 })).toMatchObject({ width: 1, slices: [{ ts: 5 }] })
  })
})
