import { describe, expect, it } from 'vitest'
import { sessionOf } from '../conformance/records.ts'
import {
  agentPathOf,
  pathOf,
  promptRow,
  put,
  type Row,
  readOne,
  replied,
  tempProjects,
} from './claude-code.test-kit.ts'

const START = Date.UTC(2026, 8, 1, 9, 59, 58)

/** The counter that the client writes when it exits. */
const counted = (usd: number, tokens: number, more: Row = {}): Row => ({
  type: 'cost-state',
  totalCostUSD: usd,
  totalDuration: 5_000,
  startTime: START,
  modelUsage: { 'claude-opus-4-8': { inputTokens: tokens, outputTokens: 0, costUSD: usd } },
  hasUnknownModelCost: false,
  ...more,
})

const spendingOf = async (folder: string, id = 's') => sessionOf(await readOne(folder, id)).client_spending

async function spending(rows: readonly Row[]) {
  const folder = tempProjects()
  put(pathOf(folder, 's'), rows)
  return spendingOf(folder)
}

describe("the client's own total of a session", () => {
  it('is the last counter in its transcript', async () => {
    const rows = [promptRow('go'), replied('m', 'done', [100, 1]), counted(0.25, 110), counted(0.25, 110)]
    expect(await spending(rows)).toEqual({
      kind: 'total',
      cost_micro_usd: 250_000,
      within_micro_usd: 1,
      models: { 'claude-opus-4-8': { cost_micro_usd: 250_000, tokens: 110 } },
    })
  })

  it('adds up the counters of processes that each began at zero', async () => {
    const again = counted(0.5, 60, { startTime: START + 60_000 })
    const rows = [replied('m', 'a', [100, 1]), counted(0.25, 110), replied('n', 'b', [50, 1]), again]
    expect(await spending(rows)).toMatchObject({
      cost_micro_usd: 750_000,
      models: { 'claude-opus-4-8': { tokens: 170 } },
    })
  })

  it('is the last result row, which accumulates within a process and restarts with the next', async () => {
    const usage = (tokens: number, usd: number) => ({
      'claude-opus-4-8': { inputTokens: tokens, outputTokens: 0, costUSD: usd },
    })
    const result = (usd: number, tokens: number): Row => ({
      type: 'result',
      subtype: 'success',
      total_cost_usd: usd,
      modelUsage: usage(tokens, usd),
    })
    const [one, two] = [replied('m', 'a', [100, 1]), replied('n', 'b', [50, 1])]
    const total = (usd: number, tokens: number) => ({
      kind: 'total',
      cost_micro_usd: usd * 1_000_000,
      within_micro_usd: 1,
      models: { 'claude-opus-4-8': { cost_micro_usd: usd * 1_000_000, tokens } },
    })
    expect(await spending([one, result(0.25, 110)])).toEqual(total(0.25, 110))
    expect(await spending([one, result(0.25, 110), two, result(0.5, 170)])).toEqual(total(0.5, 170))
    expect(await spending([one, result(0.25, 110), two, result(0.125, 60)])).toEqual(total(0.375, 170))
    expect(await spending([one, result(0.25, 110), two])).toBeUndefined()
    expect(await spending([one, result(0.25, 110), counted(0.5, 120)])).toEqual(total(0.5, 120))
    const folder = tempProjects()
    put(pathOf(folder, 's'), [promptRow('go'), one, result(0.25, 110)])
    const copies = [promptRow('go'), one, result(0.25, 110)].map((row) => ({
      ...row,
      forkedFrom: { sessionId: 's' },
    }))
    const own = replied('n', 'b', [50, 1], { timestamp: promptRow('', 31).timestamp })
    put(pathOf(folder, 'b'), [...copies, promptRow('else', 30), own, result(0.375, 165)])
    expect(await spendingOf(folder, 'b')).toEqual(total(0.125, 55))
  })

  it('is unknown without a counter, after a later reply, and when the client could not price everything', async () => {
    const one = replied('m', 'a', [100, 1])
    expect(await spending([one])).toBeUndefined()
    expect(await spending([counted(0.25, 110), one])).toBeUndefined()
    expect(await spending([one, counted(0.25, 110, { hasUnknownModelCost: true })])).toBeUndefined()
    const unpriced = {
      'claude-opus-4-8': { inputTokens: 110, costUSD: 0.25 },
      'own-model': { inputTokens: 9 },
    }
    expect(await spending([one, counted(0.25, 110, { modelUsage: unpriced })])).toBeUndefined()
  })

  it('is unknown when a background agent replied after the counter', async () => {
    const folder = tempProjects()
    put(pathOf(folder, 's'), [promptRow('go'), replied('m', 'a', [100, 1]), counted(0.25, 110)])
    const late = { timestamp: new Date(START + 3_600_000).toISOString() }
    put(agentPathOf(folder, 's', 'a'), [replied('n', 'b', [5, 1])])
    expect(await spendingOf(folder)).toMatchObject({ cost_micro_usd: 250_000 })
    put(agentPathOf(folder, 's', 'a'), [replied('n', 'b', [5, 1], late)])
    expect(await spendingOf(folder)).toBeUndefined()
  })

  it("excludes from a branch what its origin's counter was at the branch point", async () => {
    const folder = tempProjects()
    const before = [promptRow('go'), replied('m', 'a', [100, 1])]
    const later = (text: string, at: number) => promptRow(text, at)
    put(pathOf(folder, 's'), [...before, counted(0.25, 110), later('on', 90), counted(0.9, 400)])
    const copies = before.map((row) => ({ ...row, forkedFrom: { sessionId: 's' } }))
    const own = [later('else', 30), replied('n', 'b', [5, 1], { timestamp: later('', 31).timestamp })]
    put(pathOf(folder, 'b'), [...copies, ...own, counted(0.35, 160)])
    expect(await spendingOf(folder, 'b')).toMatchObject({
      cost_micro_usd: 100_000,
      models: { 'claude-opus-4-8': { tokens: 50 } },
    })
  })

  it('is unknown for a branch of a session that had spent more than its counter showed', async () => {
    const folder = tempProjects()
    const before = [promptRow('go'), replied('m', 'a', [100, 1])]
    put(pathOf(folder, 's'), before)
    const copies = before.map((row) => ({ ...row, forkedFrom: { sessionId: 's' } }))
    put(pathOf(folder, 'b'), [...copies, promptRow('else', 30), counted(0.35, 160)])
    expect(await spendingOf(folder, 'b')).toBeUndefined()
  })

  it('is unknown after /clear when the client keeps counting the previous session', async () => {
    const cleared = promptRow('<command-name>/clear</command-name>', 50)
    const later = { timestamp: promptRow('', 51).timestamp }
    const rows = [cleared, replied('m', 'a', [100, 1], later)]
    expect(await spending([...rows, counted(0.35, 160)])).toBeUndefined()
    const fresh = counted(0.35, 160, { startTime: START + 52_000 })
    expect(await spending([...rows, fresh])).toMatchObject({ cost_micro_usd: 350_000 })
  })

  it('is the answer to /cost when no counter is written, as precise as its digits', async () => {
    const answer = (text: string) =>
      promptRow(
        `<local-command-stdout>\u001b[2mTotal cost:            ${text}\u001b[22m</local-command-stdout>`,
        3,
      )
    const one = replied('m', 'a', [100, 1])
    const expected = { kind: 'total', cost_micro_usd: 55_700, within_micro_usd: 50, models: null }
    expect(await spending([one, answer('$0.0557')])).toEqual(expected)
    expect(await spending([one, answer('$1.23')])).toMatchObject({ within_micro_usd: 5_000 })
    expect(await spending([answer('$0.0557'), one])).toBeUndefined()
    const unsure = '$0.05 (costs may be inaccurate due to usage of unknown models)'
    expect(await spending([one, answer(unsure)])).toBeUndefined()
    expect(await spending([one, promptRow('Total cost: $9')])).toBeUndefined()
  })
})
